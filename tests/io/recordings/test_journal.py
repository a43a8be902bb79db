"""Journals of recordings on disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.session.support import full_disk
from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    NewerFormatError,
    Parsed,
    Returned,
)
from workbench.io.recordings.journal import JournalWriter, read_header
from workbench.io.recordings.recording_file import Recording

HEADER = Header("r1", "weather-agent", "2026-11-20T10:09:22+01:00")


def call(position: int, text: str = "") -> Exchange:
    return Exchange(position, "ask", position, {"text": text}, Returned(text))


def exchanges(recording: Recording) -> list[Exchange]:
    return [recording.exchange(position) for position in range(1, len(recording) + 1)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r1.jsonl"


def test_what_is_appended_is_read_as_it_comes(path: Path) -> None:
    writer = JournalWriter(path, HEADER)
    journal = Recording(path)
    assert (journal.header, len(journal), journal.end) == (HEADER, 0, None)
    # Longer than what is read at once.
    long = call(1, "naïve\u2028\ud800 " * 200_000)
    for record in (long, Parsed(1, {"a": 1}), CheckpointMark("c1", 1, 1), call(2)):
        writer.append(record)
    assert journal.refresh()
    assert exchanges(journal) == [long, call(2)]
    assert (journal.parsed(1), journal.marks) == ({"a": 1}, [CheckpointMark("c1", 1, 1)])
    assert not journal.refresh()
    writer.append(End("died"))
    writer.close()
    assert journal.refresh()
    assert journal.end == End("died")
    assert (journal.problems, journal.torn) == ([], "")


def test_lines_of_any_length_are_told_apart(path: Path) -> None:
    """Longer and shorter than what is read at once, and ending where that ends."""
    writer = JournalWriter(path, HEADER)
    sizes = [1, 262_000, 3, 2_000_000, 262_144, 524_288, 5]
    calls = [call(number, "x" * size) for number, size in enumerate(sizes, start=1)]
    for one in calls:
        writer.append(one)
        writer.append(CheckpointMark("c", one.position, 1))
    writer.close()
    journal = Recording(path)
    assert exchanges(journal) == calls
    assert [mark.after for mark in journal.marks] == [one.position for one in calls]
    assert journal.size == path.stat().st_size


def test_the_header_alone_is_read(path: Path) -> None:
    JournalWriter(path, HEADER).close()
    with path.open("ab") as file:
        file.write(b"{nonsense\n")
    assert read_header(path) == HEADER


def test_a_torn_last_line_is_said_and_read_when_it_is_whole(path: Path) -> None:
    writer = JournalWriter(path, HEADER)
    writer.append(call(1))
    writer.append(call(2))
    writer.close()
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    journal = Recording(path)
    assert exchanges(journal) == [call(1)]
    assert journal.torn.startswith("line 3 was cut after ")
    path.write_bytes(data)
    assert journal.refresh()
    assert (exchanges(journal), journal.torn) == ([call(1), call(2)], "")


def test_lines_that_are_damaged_are_named_and_the_others_read(path: Path) -> None:
    writer = JournalWriter(path, HEADER)
    writer.append(call(1))
    writer.close()
    with open(path, "ab") as file:
        file.write(b'{"type":"exchange","position":"two"}\nnonsense\n')
    journal = Recording(path)
    assert journal.exchange(1) == call(1)
    with pytest.raises(FormatError, match="reply should be an object, not null"):
        journal.exchange(2)
    (problem,) = journal.problems
    assert problem.startswith("line 4: not JSON")


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b'{"type":"run"', b"\x00" * 3_000_000])
def test_a_file_that_is_no_recording_is_refused(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    with pytest.raises(FormatError):
        Recording(path)


def test_a_recording_of_a_later_format_is_refused_by_name(path: Path) -> None:
    path.write_bytes(b'{"type":"run","format":7}\n')
    with pytest.raises(NewerFormatError, match="written in format 7"):
        Recording(path)


def test_a_journal_is_never_written_over(path: Path) -> None:
    JournalWriter(path, HEADER).close()
    with pytest.raises(FileExistsError):
        JournalWriter(path, HEADER)
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_written_leaves_the_journal_as_it_was(path: Path) -> None:
    writer = JournalWriter(path, HEADER)
    before = path.read_bytes()
    with pytest.raises(FormatError):
        writer.append(Parsed(1, float("inf")))
    writer.append(call(1))
    writer.close()
    assert path.read_bytes().startswith(before)
    assert exchanges(Recording(path)) == [call(1)]


def test_a_line_that_a_full_disk_cuts_is_taken_back(path: Path) -> None:
    writer = JournalWriter(path, HEADER)
    writer.append(call(1))
    before = path.read_bytes()
    with full_disk(len(before) + 100), pytest.raises(OSError, match="File too large"):
        writer.append(call(2, "x" * 1000))
    assert path.read_bytes() == before
    writer.append(call(2))
    writer.close()
    assert exchanges(Recording(path)) == [call(1), call(2)]


def test_threads_write_whole_lines(path: Path) -> None:
    writer = JournalWriter(path, HEADER)

    def write(number: int) -> None:
        for _ in range(40):
            writer.append(call(number, "x" * 9_000))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    journal = Recording(path)
    assert len(exchanges(journal)) == 320
    assert journal.problems == []


KILLED = """
import sys
from pathlib import Path
from workbench.core.recordings.exchanges import Exchange, Header, Returned
from workbench.io.recordings.journal import JournalWriter
writer = JournalWriter(Path(sys.argv[1]), Header("r", "r", ""))
for n in range(1, 10**9):
    writer.append(Exchange(n, "ask", n, {}, Returned("x" * 50_000)))
    print(n, flush=True)
"""


def test_a_killed_writer_loses_nothing_it_had_written(path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = 0
    for line in child.stdout:
        told = int(line)
        if told == 57:
            os.kill(child.pid, signal.SIGKILL)
    child.stdout.close()
    child.wait()
    positions = [exchange.position for exchange in exchanges(Recording(path))]
    assert positions == list(range(1, len(positions) + 1))
    assert len(positions) >= told
