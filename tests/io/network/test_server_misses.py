"""The misses of a server that is asked instead of its log: each request is counted once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import digest
from workbench.core.log.events import Accessed
from workbench.core.misses.index import MissIndex
from workbench.core.misses.intake import LogIntake
from workbench.core.misses.miss import Miss
from workbench.core.misses.record import MissRecord
from workbench.io.logs.spool import Spool
from workbench.io.network.control_client import ControlClient, NotControllableError, read_as
from workbench.io.network.server_misses import ServerMisses

FIRST, LAST = "2026-11-20T10:09:22", "2026-11-20T10:10:00"
TOOLS = [{"type": "function", "function": {"name": "search"}}]
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
SPEECH = UnsupportedRequest("POST", "/v1/x", "not supported")


class KnownMisses(ControlClient):
    """A client that has its answers already."""

    def __init__(self, records: tuple[dict[str, Any], ...]) -> None:
        super().__init__("http://127.0.0.1:1")
        self._records = records

    def misses(self) -> list[MissRecord]:
        short = [{k: v for k, v in each.items() if k != "requests"} for each in self._records]
        return read_as(list[MissRecord], short)

    def miss(self, digest: str) -> MissRecord:
        (record,) = (each for each in self._records if each["digest"] == digest)
        return read_as(MissRecord, record)


class Reader:
    """What a session makes of the records of a server."""

    def __init__(self, spool: Spool, *records: dict[str, Any]) -> None:
        self.index = MissIndex(spool)
        self._misses = ServerMisses(KnownMisses(records), LogIntake(spool))

    def connect(self, server: str = "a") -> None:
        self.index.apply([*self._misses.connected(server)])

    def read(self, record: dict[str, Any]) -> None:
        self.index.apply([*self._misses.read(record)])


@contextmanager
def reader_of(*records: dict[str, Any]) -> Iterator[Reader]:
    with closing(Spool()) as spool:
        yield Reader(spool, *records)


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


def unsupported_record(count: int, *tests: str) -> dict[str, Any]:
    miss = Miss(str(SPEECH), SPEECH, count=count, first_seen=FIRST, last_seen=LAST, tests=tests)
    return MissRecord.of(miss).record()


def test_what_was_missed_before_is_all_there() -> None:
    with reader_of(record_of(ASKED, 3, {**ASKED, "tools": TOOLS})) as reader:
        reader.connect()
        miss = reader.index.misses[digest(ASKED)]
        assert (miss.count, len(miss.dumps)) == (3, 2)
        assert (miss.first_seen, miss.last_seen) == (FIRST, LAST)
        assert reader.index.payload(miss.digest) == ASKED
        assert reader.index.listening is not None


def test_another_server_is_another_run() -> None:
    with reader_of(record_of(ASKED, 2)) as reader:
        for server in ("a", "a", "b"):
            reader.connect(server)
        miss = reader.index.misses[digest(ASKED)]
        assert (miss.count, reader.index.last_run) == (4, 2)


def test_unsupported_requests_are_counted_once() -> None:
    record = unsupported_record(2)
    with reader_of(record) as reader:
        reader.connect()
        reader.read(record)
        reader.read({**record, "count": 3})
        reader.connect()
        (miss,) = reader.index.unsupported.values()
        assert (miss.unsupported, miss.count) == (SPEECH, 3)
        assert (miss.first_seen, miss.last_seen) == (FIRST, LAST)
        assert reader.index.misses == {}


def test_what_another_server_tells_is_told_apart() -> None:
    with reader_of({"digest": "a", "count": 1}) as reader:
        with pytest.raises(NotControllableError):
            reader.read({"digest": "a", "count": []})
        with pytest.raises(NotControllableError):
            reader.connect()


@pytest.mark.parametrize("digest", [None, "a"])
def test_a_record_that_counts_nothing_is_no_failure(digest: str | None) -> None:
    record = {"digest": digest, "count": 0, "first_seen": None, "last_seen": None}
    with reader_of(record) as reader:
        reader.connect()
        reader.read(record)
        assert [miss.count for miss in reader.index.rows.values()] == [0] * (digest is not None)


@given(st.lists(st.sampled_from(["told", "asked", "missed"]), max_size=20))
def test_nothing_is_counted_twice(what_happens: list[str]) -> None:
    """However often it is told and asked, in whichever order."""
    record = record_of({"model": "m"}, 1)
    with reader_of(record) as reader:
        reader.connect()
        late = dict(record)
        for what in what_happens:
            if what == "missed":
                late = dict(record)  # this is told again, when more happened
                record["count"] += 1
            elif what == "told":
                reader.read(late)
            else:
                reader.connect()
        reader.read(record)
        assert reader.index.misses[record["digest"]].count == record["count"]


def test_the_tests_that_asked_are_those_of_the_server() -> None:
    record = {**record_of(ASKED, 1), "tests": ["test_a"]}
    with reader_of(record, unsupported_record(1, "test_c")) as reader:
        reader.connect()
        reader.read({**record, "tests": ["test_a", "test_b"]})
        tests = [miss.tests for miss in reader.index.rows.values()]
        assert tests == [("test_a", "test_b"), ("test_c",)]


def test_the_time_of_a_log_that_is_read_later_is_not_that_of_a_reported_miss() -> None:
    with reader_of(record_of(ASKED, 1)) as reader:
        reader.connect()
        reader.index.apply([Accessed("2027-01-01T00:00:00")])
        assert reader.index.misses[digest(ASKED)].last_seen == LAST
