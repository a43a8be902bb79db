"""The list of misses: the same whether a server is asked, or its log is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.server.routes.test_control import get
from tests.server.running import RunningServer
from tests.session.support import LISTENING, chat, missed, open_session, second_turn, take, tool
from workbench.core.digest import digest
from workbench.core.log.lines import asked_line
from workbench.io.network.control_client import ControlClient
from workbench.io.network.server_misses import ServerMisses
from workbench.session.misses.listing import records
from workbench.session.session import Session

ANSWERED = {"response": {"content": "hi"}}
TIMES = {"first_seen", "last_seen"}


@pytest.fixture
def missing(tmp_path: Path) -> Iterator[RunningServer]:
    """A server that missed requests of every kind, in the fixtures folder of sessions."""
    with RunningServer(tmp_path) as server:
        for payload in (chat("one"), chat("one"), chat("one", tools=[tool()]), second_turn()):
            server.chat(payload)
        server.chat(chat("answered"))
        server.post("/as/test_b/v1/chat/completions", chat("one"))
        server.post("/as/test_a/v1/messages/batches", {})
        server.write_fixture(digest(chat("answered")), ANSWERED)
        yield server


def from_the_log(session: Session, server: RunningServer) -> None:
    take(session, server.log_path.read_bytes())


def from_the_server(session: Session, server: RunningServer) -> None:
    client = ControlClient(server.url)
    session.take_log([*ServerMisses(client, session.intake).connected("a")])


@pytest.mark.parametrize("read", [from_the_log, from_the_server])
def test_a_session_lists_what_its_server_does(
    missing: RunningServer,
    read: Callable[[Session, RunningServer], None],
    tmp_path: Path,
) -> None:
    with closing(open_session(tmp_path)) as session:
        read(session, missing)
        listed = [json.loads(json.dumps(record.record())) for record in records(session)]
    assert [without_times(row) for row in listed] == [
        without_times(row) for row in get(missing, "misses")
    ]
    assert [row["tests"] for row in listed] == [["test_b"], [], [], ["test_a"]]
    assert [row["state"] for row in listed] == ["missing", "missing", "answered", "unsupported"]


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    assert row.keys() >= TIMES
    return {key: value for key, value in row.items() if key not in TIMES}


def test_those_of_a_run_or_a_test_can_be_chosen(session: Session) -> None:
    first, second, third = payloads = [chat(text) for text in ("first", "second", "third")]
    test = asked_line("tests/test_a.py::test_Weather", digest(third))
    take(session, missed(first), LISTENING, missed(second, third), test)
    assert [record.digest for record in records(session)] == list(map(digest, payloads))
    chosen = [record.digest for record in records(session, last_run=True)]
    assert chosen == list(map(digest, payloads[1:]))
    assert [record.digest for record in records(session, test="weather")] == [digest(third)]
