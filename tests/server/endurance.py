"""Checks of documents as they come: by the rules, the answering function and a real server."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.server.running import RunningServer
from workbench.core.apis.chat.write import WRITERS
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import FixtureDocument, decode, read_value
from workbench.core.fixture.fixing import mend
from workbench.core.fixture.rules import RULES, Context, examine
from workbench.core.replies.answer import find_answer
from workbench.core.replies.response import FixtureError

UNREADABLE = {"invalid-json", "not-utf8", "not-an-object"}
# A document of a few kilobytes takes a millisecond, and on a busy machine some more.
MOST_SECONDS = 5
ASKED = {"model": "gpt-4o", "messages": [{"role": "user", "content": "weather in London?"}]}
NAME = f"{digest(ASKED)}.json"


@dataclass(frozen=True)
class Told:
    """How many documents could be read, and how many could not."""

    readable: int
    unreadable: int


def examine_all(documents: Iterable[bytes]) -> Told:
    """Check and mend each: nothing is raised, every finding has a place, no time is lost."""
    counts = [0, 0]
    for data in documents:
        begun = time.process_time()
        findings = examine(data, Context(NAME, [ASKED])).findings
        _check_places(data, findings)
        value = _read(data)
        counts[value is not None] += 1
        if value is None:
            assert UNREADABLE & {f.rule for f in findings}, data
        else:
            assert FixtureDocument(decode(data)).value.keys() == value.keys()
        _mend(data)
        assert time.process_time() - begun < MOST_SECONDS, data
    return Told(counts[True], counts[False])


def _check_places(data: bytes, findings: Sequence[Any]) -> None:
    lines = data.decode("utf-8", "replace").split("\n")
    for finding in findings:
        assert finding.rule in RULES
        assert 1 <= finding.line <= len(lines), (data, finding)
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1, (data, finding)
    places = [(finding.line, finding.column) for finding in findings]
    assert places == sorted(places) or UNREADABLE & {f.rule for f in findings}


def _read(data: bytes) -> Mapping[str, Any] | None:
    try:
        return read_value(data)
    except FixtureError as error:
        told = error
    assert told.rule in UNREADABLE
    assert str(told)
    return None


def _mend(data: bytes) -> None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    mended = mend(text, Context(NAME, [ASKED]))
    mended.text.encode("utf-8")
    assert bool(mended.made) == (mended.text != text)


def answer_from(documents: Iterable[bytes]) -> Counter[str]:
    """Answer a request from each, in both profiles and shapes; returns where replies came from."""
    sources: Counter[str] = Counter()
    for data in documents:

        def lookup(_digest: str, data: bytes = data) -> Mapping[str, Any]:
            return read_value(data)

        found = find_answer(view(ASKED), digest(ASKED), lookup)
        assert (found.broken is None) == (found.source == "fixture")
        sources[found.source] += 1
        for writer in WRITERS.values():
            assert isinstance(json.loads(writer.envelope(found, 0)), dict), data
            frames = b"".join(frame.data for frame in writer.frames(found, 0))
            frames.decode("utf-8")
    return sources


def serve_all(folder: Path, documents: Sequence[bytes]) -> int:
    """Ask a real server for each, plain and streamed; returns how many it could serve."""
    with RunningServer(folder) as server:
        for number, data in enumerate(documents):
            payload = {**ASKED, "user": "x", "model": f"m{number}"}
            server.write_fixture(digest(payload), data)
            for stream in (False, True):
                reply = _ask(server, {**payload, "stream": stream})
                if reply is not None and not stream:
                    assert isinstance(json.loads(reply), dict), data
        assert server.request("GET", "/healthz").json() == {"ok": True}
        log = server.log()
    assert "Traceback" not in log
    assert "Error" not in re.sub(r"failed to load fixture.*", "", log)
    broken = log.count("failed to load fixture")
    served = log.count("served fixture")
    assert broken + served == 2 * len(documents)
    return served // 2


def _ask(server: RunningServer, payload: Mapping[str, Any]) -> bytes | None:
    """The body of the reply; None where the fixture breaks off the connection."""
    try:
        reply = server.chat(payload)
    except (HTTPException, OSError, ValueError):
        return None
    assert reply.status == 200 or 400 <= reply.status <= 599
    return reply.body
