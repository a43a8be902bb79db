"""The misses of a server that is asked instead of its log: each request is counted once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.control_api import MissRow
from workbench.core.digest import digest
from workbench.core.log.events import LogEvent
from workbench.core.misses.index import MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.io.logs.spool import Spool
from workbench.io.network.control_client import ControlClient, NotControllableError, read_as
from workbench.session.misses.server_misses import ServerMisses

FIRST, LAST = "2026-11-20T10:09:22", "2026-11-20T10:10:00"
TOOLS = [{"type": "function", "function": {"name": "search"}}]


class KnownMisses(ControlClient):
    """A client that has its answers already."""

    def __init__(self, records: dict[str, dict[str, Any]]) -> None:
        super().__init__("http://127.0.0.1:1")
        self._records = records

    def misses(self) -> list[MissRow]:
        found = [{k: v for k, v in r.items() if k != "requests"} for r in self._records.values()]
        return read_as(list[MissRow], found)

    def miss(self, digest: str) -> MissRow:
        return read_as(MissRow, self._records[digest])


def record_of(payload: dict[str, Any], count: int, *more: dict[str, Any]) -> dict[str, Any]:
    requests = [payload, *more]
    return {
        "digest": digest(payload),
        "count": count,
        "variants": len(requests),
        "first_seen": FIRST,
        "last_seen": LAST,
        "requests": requests,
    }


class Reader:
    """What a session makes of it."""

    def __init__(self) -> None:
        self.spool = Spool()
        self.index = MissIndex(self.spool)
        self._intake = LogIntake(self.spool)

    def take(self, events: list[LogEvent]) -> None:
        self.index.apply(self._intake.read(events))


def test_what_was_missed_before_is_all_there() -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    record = record_of(asked, 3, {**asked, "tools": TOOLS})
    reader = Reader()
    reader.take(list(ServerMisses(KnownMisses({record["digest"]: record})).connected("a")))
    miss = reader.index.misses[digest(asked)]
    assert (miss.count, len(miss.dumps)) == (3, 2)
    assert (miss.first_seen, miss.last_seen) == (FIRST, LAST)
    assert reader.index.payload(miss.digest) == asked
    assert reader.index.listening is not None
    reader.spool.close()


def test_another_server_is_another_run() -> None:
    asked = {"model": "m"}
    record = record_of(asked, 2)
    misses = ServerMisses(KnownMisses({record["digest"]: record}))
    reader = Reader()
    for server in ("a", "a", "b"):
        reader.take(list(misses.connected(server)))
    miss = reader.index.misses[digest(asked)]
    assert (miss.count, reader.index.last_run) == (4, 2)
    reader.spool.close()


def test_unsupported_requests_are_counted_once() -> None:
    asked = UnsupportedRequest("POST", "/v1/x", "not spoken")
    sent = MissRow.of_unsupported(asked, count=2, first_seen=FIRST, last_seen=LAST)
    record = sent.record()
    misses = ServerMisses(KnownMisses({"": record}))
    reader = Reader()
    reader.take(list(misses.connected("a")))
    reader.take(list(misses.events_of(record)))
    reader.take(list(misses.events_of({**record, "count": 3})))
    reader.take(list(misses.connected("a")))
    (row,) = reader.index.unsupported.values()
    assert (row.unsupported, row.count) == (asked, 3)
    assert (row.first_seen, row.last_seen) == (FIRST, LAST)
    assert reader.index.misses == {}
    reader.spool.close()


def test_what_another_server_tells_is_told_apart() -> None:
    misses = ServerMisses(KnownMisses({"": {"digest": "a", "count": 1}}))
    with pytest.raises(NotControllableError):
        list(misses.events_of({"digest": "a", "count": []}))
    with pytest.raises(NotControllableError):
        list(misses.connected("a"))


@given(st.lists(st.sampled_from(["told", "asked", "missed"]), max_size=20))
def test_nothing_is_counted_twice(what_happens: list[str]) -> None:
    """However often it is told and asked, in whichever order."""
    asked = {"model": "m"}
    record = record_of(asked, 1)
    misses = ServerMisses(KnownMisses({record["digest"]: record}))
    reader = Reader()
    reader.take(list(misses.connected("a")))
    late = dict(record)
    for what in what_happens:
        if what == "missed":
            late = dict(record)  # this is told again, when more happened
            record["count"] += 1
        elif what == "told":
            reader.take(list(misses.events_of(late)))
        else:
            reader.take(list(misses.connected("a")))
    reader.take(list(misses.events_of(record)))
    assert reader.index.misses[digest(asked)].count == record["count"]
    reader.spool.close()


def test_the_tests_that_asked_are_those_of_the_server() -> None:
    asked, speech = {"model": "m"}, UnsupportedRequest("POST", "/v1/x", "not spoken")
    sent = MissRow.of_unsupported(
        speech, count=1, first_seen=FIRST, last_seen=LAST, tests=["test_c"]
    )
    record = {**record_of(asked, 1), "tests": ["test_a"]}
    misses = ServerMisses(KnownMisses({record["digest"]: record, "": sent.record()}))
    reader = Reader()
    reader.take(list(misses.connected("a")))
    reader.take(list(misses.events_of({**record, "tests": ["test_a", "test_b"]})))
    assert [row.tests for row in reader.index.rows.values()] == [("test_a", "test_b"), ("test_c",)]
    reader.spool.close()
