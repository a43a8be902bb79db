"""A project in which every field of every file holds text that would act on a terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.golden_reports import query, write_report
from tests.recorded import chat, user, write_recording
from workbench.core.digest import digest
from workbench.core.evals import CalledTool, Check, QueryRun
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import MARK, load_failed_line, miss_lines
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Parent,
    Parsed,
    Raised,
    Record,
    Returned,
)
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.state_folder import StateFolder

# A title, a printer, text turned round, a clipboard, a link, a string for a device, a reset: none
# of it is written by a program here, so that each can be told from what Textual writes.
HOSTILE = (
    "\x1b]0;PWNED\x07\x1b[5i\x9b5i\u202e\r\x08\x1b]52;c;UFdORUQ=\x07\x1b]8;;http://pwned/\x1b\\"
    "\x1bPpwned\x1b\\\x1bc\x7f\u2028[red]pwned[/red][@click=app.quit]pwned[/]"
)
_ACTS = re.compile(
    rb"\x1b\]0;|\x1b\[5i|\x1b\]52;c;UFdORUQ=|\x1b\]8;|\x1bP|\x1bc|[\x08\x7f]|"
    + "|".join("\x9b\u202e\u2028").encode()
)
# What stands in a log's line or in a file's name cannot hold the ends of those.
IN_NAME = HOSTILE.replace("/", "")
PARTS = [{"type": "text", "text": HOSTILE}, {"type": HOSTILE, HOSTILE: HOSTILE}]
PLAN = {"type": "object", "properties": {HOSTILE: {"type": HOSTILE, "description": HOSTILE}}}


def leaks(raw: bytes) -> list[bytes]:
    """What of ``HOSTILE`` went to a terminal as it is, each kind once, with what is around it."""
    found = {m[0]: raw[max(m.start() - 60, 0) : m.end() + 20] for m in _ACTS.finditer(raw)}
    return list(found.values())


def request(text: str = "", **more: Any) -> dict[str, Any]:
    """A request whose every text is hostile."""
    function = {"name": HOSTILE, "description": HOSTILE, "parameters": PLAN}
    schema = {"name": HOSTILE, "schema": PLAN, HOSTILE: HOSTILE}
    return {
        "model": HOSTILE,
        "messages": [
            {"role": HOSTILE, "name": HOSTILE, "content": HOSTILE},
            {"role": "assistant", "content": HOSTILE, "tool_calls": [call()]},
            {
                "role": "tool",
                "tool_call_id": HOSTILE,
                "content": [{"type": "text", "text": HOSTILE}],
            },
            {"role": "user", "name": HOSTILE, "content": HOSTILE + text},
        ],
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": HOSTILE}},
        "response_format": {"type": "json_schema", "json_schema": schema},
        HOSTILE: HOSTILE,
        **more,
    }


def call() -> dict[str, Any]:
    arguments = json.dumps({HOSTILE: HOSTILE})
    return {
        "index": 0, "id": HOSTILE, "type": "function",
        "function": {"name": HOSTILE, "arguments": arguments},
    }  # fmt: skip


def response(**more: Any) -> dict[str, Any]:
    """The response of a fixture whose every text is hostile."""
    return {
        "content": HOSTILE, "tool_calls": [call()], "finish_reason": HOSTILE, HOSTILE: HOSTILE,
        "usage": {HOSTILE: 1}, **more,
    }  # fmt: skip


OTHER_DAY = request("on 2026-11-19")
BROKEN = request("broken")
MISSES = [
    request("first"),
    request("on 2026-11-20"),
    request("first", tools=[], response_format={"type": HOSTILE}),  # two dumps of one digest
    BROKEN,
    request("ignored"),
    {
        "model": HOSTILE,
        "messages": [
            user(HOSTILE),
            {"role": "assistant", "content": FALLBACK_TEXT},
            user(HOSTILE + "again"),
        ],
    },
]


def write_project(folder: Path) -> None:
    """Log, fixtures, recordings and reports of a project."""
    (folder / "pyproject.toml").write_text("")
    write_log(folder)
    write_fixtures(folder / "fixtures")
    state = StateFolder(folder / ".workbench")
    write_recordings(state.recordings)
    write_reports(state)


def write_log(folder: Path) -> None:
    inline = HOSTILE.replace("\r", "")
    lines = [
        f"{MARK}listening on http://127.0.0.1:9/{inline.replace(' ', '')} (fixtures: {inline})\n",
        "".join(miss_lines(digest(payload), payload) for payload in MISSES),
        f"{inline} | {MARK}unknown fixture hash {'0' * 64}\n",
        load_failed_line(f"/{IN_NAME}/{digest(BROKEN)}.json", HOSTILE),
        f"{MARK}unsupported request POST /v1/[red]pwned[/red]: {inline}\n",
        f"{MARK}unsupported request POST /v1/x: {inline}\n",
        f'{inline} - - [20/Nov/2026 10:09:22] "POST /{inline} HTTP/1.1" 200 -\n',
        f"{MARK}request: {inline}\n{inline}\n",
    ]
    (folder / "mock-llm.log").write_bytes("".join(lines).encode())


def write_fixtures(fixtures: Path) -> None:
    fixtures.mkdir()

    def write(name: str, text: str) -> None:
        (fixtures / f"{name}.json").write_text(text, "utf-8")

    kept = new_document(digest(OTHER_DAY), response(), description=HOSTILE, request=OTHER_DAY).text
    write(digest(OTHER_DAY), kept)
    write(digest(BROKEN), f'{{"response": {{"content": "{HOSTILE}" {HOSTILE}}}}}')
    write(IN_NAME, "{}")
    error = {"status": 500, "message": HOSTILE, "type": HOSTILE, "code": HOSTILE}
    no_index = {key: value for key, value in call().items() if key != "index"}  # has a fix
    odd = {
        "response": response(error=error, tool_calls=[no_index]),
        HOSTILE: HOSTILE,
        "workbench": {"allow": [HOSTILE]},
    }
    write("f" * 64, json.dumps(odd))
    (fixtures / "workbench-ignore.txt").write_text(f"{digest(MISSES[4])} {HOSTILE}\n", "utf-8")


def write_recordings(folder: Path) -> None:
    records: list[Record] = [
        chat(1, MISSES[0], response(), node=HOSTILE),
        CheckpointMark(HOSTILE, 1, 1, 4),
        Exchange(2, HOSTILE, 1, {HOSTILE: HOSTILE}, Returned(HOSTILE), extra={HOSTILE: HOSTILE}),
        Exchange(3, HOSTILE, 2, {HOSTILE: HOSTILE}, Raised(HOSTILE, HOSTILE)),
        Parsed(3, {HOSTILE: HOSTILE}),
        End(HOSTILE),
    ]
    write_recording(folder, "aa", records, name=HOSTILE)
    write_recording(folder, "bb", records[2:4], name=HOSTILE, parent=Parent("aa", 2))
    (folder / f"{IN_NAME}.jsonl").write_text(f'{{"{HOSTILE}": 1}}\n{HOSTILE}\n', "utf-8")


def write_reports(state: StateFolder) -> None:
    check = Check(HOSTILE, False, HOSTILE)
    called = CalledTool("search", {"max_price": HOSTILE, HOSTILE: HOSTILE})
    failed = QueryRun(1, False, 0.1, f"{HOSTILE}: {HOSTILE}", [check], [called])
    write_report(state, found=[query(HOSTILE, HOSTILE, failed)])
    skipped = query(f"{HOSTILE}2", HOSTILE, skipped=HOSTILE)
    write_report(state, "2026-11-20T10:12:01+00:00", [skipped])
    (state.evals / f"2026-11-19T{IN_NAME}.json").write_text(f'{{"{HOSTILE}": 1', "utf-8")
