"""Logs that are kept for one session after another: what is read of them, and how often."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.session.support import chat, dump_line, hash_line, missed
from workbench.core.digest import digest
from workbench.core.log.events import MissLogged
from workbench.core.log.reader import LogParser
from workbench.core.misses.miss import Dump
from workbench.io.logs.kept_logs import KeptLogs

FIRST, SECOND = chat("first"), chat("second")


@pytest.fixture
def kept() -> Iterator[KeptLogs]:
    with closing(KeptLogs()) as logs:
        yield logs


def listed(kept: KeptLogs, log: Path) -> list[str]:
    """The digests of the dumps, in order."""
    return [event.digest for event in kept.events(log) if isinstance(event, Dump)]


def test_each_byte_of_a_log_is_read_once(
    kept: KeptLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, sizes = tmp_path / "suite.log", list[int]()
    feed = LogParser.feed

    def counted(parser: LogParser, data: bytes) -> object:
        sizes.append(len(data))
        return feed(parser, data)

    monkeypatch.setattr(LogParser, "feed", counted)
    log.write_text(missed(FIRST))
    assert listed(kept, log) == listed(kept, log) == [digest(FIRST)]
    with log.open("a") as file:
        file.write(missed(SECOND))
    assert listed(kept, log) == listed(kept, log) == [digest(FIRST), digest(SECOND)]
    assert sizes == [len(missed(FIRST)), len(missed(SECOND))]


def test_a_line_without_an_end_counts_as_it_is_now(kept: KeptLogs, tmp_path: Path) -> None:
    log = tmp_path / "suite.log"
    whole = hash_line(FIRST) + dump_line(FIRST)
    log.write_text(whole.removesuffix("\n"))
    assert listed(kept, log) == [digest(FIRST)]
    with log.open("a") as file:
        file.write("\n" + hash_line(SECOND))
    events = kept.events(log)
    assert listed(kept, log) == [digest(FIRST)]
    assert sum(isinstance(event, MissLogged) for event in events) == 2


def test_a_log_that_was_replaced_or_cut_is_read_from_its_start(
    kept: KeptLogs, tmp_path: Path
) -> None:
    log, other = tmp_path / "suite.log", tmp_path / "other.log"
    log.write_text(missed(FIRST))
    assert listed(kept, log) == [digest(FIRST)]
    other.write_text(missed(SECOND))
    other.replace(log)
    assert listed(kept, log) == [digest(SECOND)]
    log.write_text(missed(FIRST))
    assert listed(kept, log) == [digest(FIRST)]


def test_what_cannot_be_read_is_an_error_each_time(kept: KeptLogs, tmp_path: Path) -> None:
    log = tmp_path / "suite.log"
    for data, why in ((b"\xff\xfea\0", "UTF-16"), (gzip.compress(b"a" * 99)[:-9], "ended before")):
        log.write_bytes(data)
        for _ in range(2):
            with pytest.raises(OSError, match=why):
                kept.events(log)
    log.write_bytes(gzip.compress(missed(FIRST).encode()))
    assert listed(kept, log) == [digest(FIRST)]
