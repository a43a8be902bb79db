"""Exported pages show a conversation, and interpret nothing of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.session.support import asked, chat, full_disk, write
from tests.strategies import TRICKY
from workbench.core.digest import digest
from workbench.core.text.digests import short
from workbench.core.text.inert import unsafe
from workbench.session.export.conversation_page import (
    PageEntry,
    as_markdown,
    conversation,
)
from workbench.session.export.requests import export
from workbench.session.session import Session

KEY = "sk-proj-a8Kd93jLmQ02xZtY7bNc41vR"
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"London"}'},
}
FIRST: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "weather in London?"},
    ],
}
SECOND: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        *FIRST["messages"],
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12C rain"},
    ],
}
PAGE = """\
## `Conversation {short}, gpt-4o`

**`system`**

```text
You are helpful.
```

**`user`**

```text
weather in London?
```

**`assistant`** `answer of {first}.json`

`calls get_weather  call_1`

```text
{{
  "city": "London"
}}
```

**`tool`** `result of call_1`

```text
12C rain
```

**`assistant`** `answer of {second}.json`

```text
12 degrees and rain.
```
"""
HOSTILE = [
    "</pre><script>alert(1)</script>",
    "```\n# a heading\n````\n@everyone <b>",
    "` `` ``` | a | b |",
    '"><img src=x onerror=alert(1)>&amp;',
    "[link](javascript:alert(1)) ![picture](http://example.org/x.png)",
    "\x1b[31m\u202e\u2028",
    TRICKY,
    "",
]


def answered(session: Session) -> list[str]:
    """The digests of two turns with their fixtures."""
    digests = asked(session, FIRST, SECOND)
    write(session, digests[0], json.dumps({"response": {"content": "", "tool_calls": [CALL]}}))
    write(session, digests[1], json.dumps({"response": {"content": "12 degrees and rain."}}))
    return digests


def test_a_page_has_all_that_was_said_and_names_the_fixtures(session: Session) -> None:
    first, second = answered(session)
    said = export(session, second, SECOND, "markdown")
    path = session.state_folder.path / "exports" / f"{short(second)}.md"
    assert said == f"Wrote {path}."
    expected = PAGE.format(short=short(second), first=first, second=second)
    assert path.read_text("utf-8") == expected


def test_a_fixture_that_answered_from_the_start_is_named_too(session: Session) -> None:
    session.store.folder.mkdir(parents=True)
    first = digest(FIRST)
    session.store.path(first).write_text(json.dumps({"response": {"content": ""}}))
    (second,) = asked(session, SECOND)
    notes = [said.note for said in conversation(session, second, SECOND)]
    assert notes[2] == f"answer of {first}.json"


def test_a_request_without_a_digest_is_shown_all_the_same(session: Session) -> None:
    messages = [chat("\ud800")["messages"][0], {"role": "assistant", "content": "hi"}]
    said = list(conversation(session, "0" * 64, {**chat(), "messages": messages}))
    assert [one.note for one in said] == ["", "", "no fixture answers this yet"]


def test_what_has_no_answer_says_so(session: Session) -> None:
    first, second = asked(session, FIRST, SECOND)
    notes = [said.note for said in conversation(session, second, SECOND)]
    assert notes == ["", "", "", "result of call_1", "no fixture answers this yet"]
    write(session, second, "{")
    assert list(conversation(session, second, SECOND))[-1].note.startswith(
        f"the fixture {second}.json is broken: "
    )
    assert first != second


def test_secrets_are_left_out(session: Session) -> None:
    payload = chat(f"my key is {KEY}, or {KEY}")
    (found,) = asked(session, payload)
    arguments = json.dumps({"key": KEY})
    call = {**CALL, "function": {"name": "use", "arguments": arguments}}
    write(session, found, json.dumps({"response": {"content": "", "tool_calls": [call]}}))
    export(session, found, payload, "markdown")
    (path,) = (session.state_folder.path / "exports").iterdir()
    text = path.read_text("utf-8")
    assert KEY not in text
    assert text.count("[an OpenAI API key]") == 3


@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=20), min_size=1, max_size=3))
def test_no_text_is_interpreted(texts: list[str]) -> None:
    messages = [PageEntry(text, text, [(text, text)]) for text in texts]
    markdown = as_markdown(texts[0], messages)
    assert not unsafe().search(markdown.replace("\n", ""))
    assert outside_of_code(markdown) <= {"", "## ", "****", "**** "}


def outside_of_code(markdown: str) -> set[str]:
    """The lines of a Markdown text without its code."""
    lines: set[str] = set()
    fence = ""
    for line in markdown.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif opened := re.fullmatch("(```+)text", line):
            fence = opened[1]
        else:
            lines.add(re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", line))
    assert not fence
    return lines


def test_a_full_disk_is_told(session: Session) -> None:
    session.state_folder.ensure()
    with full_disk(), pytest.raises(OSError, match="File too large"):
        export(session, digest(FIRST), FIRST, "markdown")
    assert list((Path(session.state_folder.path) / "exports").iterdir()) == []
