"""A log that gzip packed is read to its end, a part at a time."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest

from workbench.io.logs.log_files import open_tail
from workbench.io.logs.tail import LogChange, LogData, LogFailed, LogTail, PackedTail, TailEvent


def read_all(path: Path, limit: int) -> list[TailEvent]:
    with closing(open_tail(path)) as tail:
        assert isinstance(tail, PackedTail)
        events: list[TailEvent] = []
        while tail.backlog:
            events += tail.read(limit)
        assert tail.read(limit) == []
    return events


def test_it_is_read_in_parts_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "suite.log.gz"
    log.write_bytes(gzip.compress(b"0123456789") + gzip.compress(b"ab"))
    *found, end = read_all(log, 4)
    assert found[:2] == [LogData(b"0123", 0), LogData(b"4567", 4)]
    assert b"".join(part.data for part in found if isinstance(part, LogData)) == b"0123456789ab"
    assert end is LogChange.ENDED


@pytest.mark.parametrize(
    ("packed", "why"),
    [
        (gzip.compress(bytes(range(256)) * 9)[:60], "ended before the end"),
        (gzip.compress(b"")[:9] + b"\xff" * 100, "Error -3"),
    ],
    ids=["cut", "broken"],
)
def test_one_that_cannot_be_unpacked_ends_with_the_reason(
    tmp_path: Path, packed: bytes, why: str
) -> None:
    log = tmp_path / "suite.log.gz"
    log.write_bytes(packed)
    *_, failed, end = read_all(log, 1 << 20)
    assert isinstance(failed, LogFailed)
    assert why in failed.reason
    assert end is LogChange.ENDED


def test_the_beginning_decides_not_the_name(tmp_path: Path) -> None:
    log = tmp_path / "suite.log.gz"
    log.write_bytes(b"2026")
    with closing(open_tail(log)) as tail:
        assert isinstance(tail, LogTail)
