"""Runs that are being recorded, several at a time."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path

import pytest

from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import End, Exchange, Header, Parent, Returned
from workbench.io.recordings.journal import JournalWriter
from workbench.io.recordings.recording_file import Recording
from workbench.io.recordings.writers import RecordingWriters, write_fork


def call(node: str, value: object = "") -> Exchange:
    return Exchange(0, node, 0, {}, Returned(value))


def test_each_recording_has_a_journal_and_each_exchange_its_place(tmp_path: Path) -> None:
    writers = RecordingWriters(tmp_path / "runs")
    started = time.monotonic()
    first = writers.append("a", call("planner"), started)
    other = writers.append("b", call("planner"), started)
    assert writers.append("a", call("critic"), started + 2) == first != other
    writers.append("a", call("planner"), started - 1)
    writers.close()
    recording = Recording(first)
    assert (recording.header.name, recording.end) == ("a", End())
    found = list(recording.exchanges())
    assert [(e.position, e.node, e.call) for e in found] == [
        (1, "planner", 1),
        (2, "critic", 1),
        (3, "planner", 2),
    ]
    assert [e.at_ms for e in found] == [0, 2000, 0]
    assert first.parent.stat().st_mode & 0o777 == 0o700


def test_what_cannot_be_written_takes_no_place(tmp_path: Path) -> None:
    writers = RecordingWriters(tmp_path)
    with pytest.raises(FormatError):
        writers.append("a", call("n", float("nan")), 0)
    path = writers.append("a", call("n"), 0)
    writers.close()
    assert [(e.position, e.call) for e in Recording(path).exchanges()] == [(1, 1)]


def test_a_disk_that_is_full_does_not_keep_recordings_from_ending(tmp_path: Path) -> None:
    writers = RecordingWriters(tmp_path)
    paths = [writers.append(name, call("n", "x" * 1000), 0) for name in "ab"]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        writers.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    for journal in map(Recording, paths):
        assert (len(journal), journal.end, journal.torn) == (1, None, "")


def test_of_many_recordings_no_journal_stays_open(tmp_path: Path) -> None:
    names = [f"run {number}" for number in range(10)]
    writers = RecordingWriters(tmp_path)
    before = open_files()
    for _ in range(2):
        paths = [writers.append(name, call("n"), time.monotonic()) for name in names]
        assert open_files() == before
    writers.close()
    assert len(set(paths)) == len(names)
    for name, recording in zip(names, map(Recording, paths), strict=True):
        assert (recording.header.name, recording.end) == (name, End())
        assert [(e.position, e.call) for e in recording.exchanges()] == [(1, 1), (2, 2)]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc") else "/dev/fd"))


def test_a_fork_begins_with_the_exchange_that_is_its_own(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    writer = JournalWriter(path, Header("p", "parent", "2026-11-20T10:00:00+01:00"))
    for position in (1, 2):
        writer.append(Exchange(position, "n", position, {}, Returned(position)))
    writer.close()
    parent = Recording(path)
    fork = Recording(write_fork(parent, Exchange(2, "n", 2, {}, Returned("new")), "what if"))
    assert (fork.header.name, fork.header.parent) == ("what if", Parent("p", 2))
    assert [exchange.outcome for exchange in fork.exchanges()] == [Returned(1), Returned("new")]
    with pytest.raises(FormatError):
        write_fork(parent, call("n", float("nan")), "none")
    assert len(list(tmp_path.iterdir())) == 2
