"""Journals of runs: ``<id>.jsonl``, only ever appended to."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from workbench.core.runs import lines
from workbench.core.runs.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    NewerFormatError,
    Parsed,
    Record,
    RunFormatError,
)
from workbench.io.regular import read_at

SUFFIX = ".jsonl"
_BLOCK = 1 << 18


class JournalWriter:
    """Appends records to a journal. Each is one write, so that a process killed at any moment has
    lost nothing but the record it was about to write. Safe to use from several threads.

    Args:
        header: of a new journal; without one ``path`` is gone on with.

    Raises:
        FileExistsError: ``path`` exists and is to be new.
        OSError: it cannot be created or opened.
    """

    def __init__(self, path: Path, header: Header | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        is_new = os.O_CREAT | os.O_EXCL if header is not None else 0
        flags = os.O_RDWR | os.O_APPEND | is_new | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(path, flags, 0o600)
        if header is None:
            self._end_torn_line()
            return
        try:
            self.append(header)
        except BaseException:  # without its header it is no journal
            self.close()
            path.unlink()
            raise

    def _end_torn_line(self) -> None:
        """A writer that was killed may have left a part of a line; it stays a line of its own."""
        if os.fstat(self._descriptor).st_size:
            os.lseek(self._descriptor, -1, os.SEEK_END)
            if os.read(self._descriptor, 1) != b"\n":
                os.write(self._descriptor, b"\n")

    def append(self, record: Record) -> None:
        """Write ``record``.

        Raises:
            RunFormatError: a value in it is no JSON value; nothing is written.
            OSError: the disk is full; what was written of the line is taken back.
        """
        data = lines.line(record)
        with self._lock:
            start = os.fstat(self._descriptor).st_size
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
            except OSError:
                os.ftruncate(self._descriptor, start)
                raise

    def close(self) -> None:
        os.close(self._descriptor)


class Journal:
    """A journal as it is read: where its exchanges, and what was made of their replies, stand is
    kept; they themselves are read back when they are asked for.

    Attributes:
        header: its first line.
        marks: as far as it was read.
        problems: lines that could not be read, one sentence each.
        torn: what is said of a last line without its end; "" where there is none.

    Raises:
        RunFormatError: the header cannot be read.
        OSError: the file cannot.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.marks: list[CheckpointMark] = []
        self._end: End | None = None
        self._end_after = 0
        self.problems: list[str] = []
        self._places: list[tuple[int, int]] = []
        self._parsed: dict[int, tuple[int, int]] = {}
        self.torn = ""
        self.header, self._read_to = _first_line(path)
        self._lines = 1
        self.refresh()

    def refresh(self) -> bool:
        """Read what was appended since; returns whether that was anything."""
        before = self._read_to
        with open(self.path, "rb") as file:
            self._read(file.fileno())
            rest = os.fstat(file.fileno()).st_size - self._read_to
        self.torn = f"line {self._lines + 1} was cut after {rest} bytes" if rest else ""
        return self._read_to > before

    @property
    def end(self) -> End | None:
        """How it ended; None while the run goes on, which an ended one may do again, and where its
        process was killed.
        """
        return self._end if self._end_after == len(self._places) else None

    @property
    def size(self) -> int:
        """How many bytes were read: a file that is shorter is another one."""
        return self._read_to

    def __len__(self) -> int:
        """How many exchanges it holds."""
        return len(self._places)

    def exchange(self, number: int) -> Exchange:
        """The ``number``-th exchange, from 0. Raises RunFormatError where it cannot be read."""
        record = self._at(self._places[number])
        if not isinstance(record, Exchange):
            raise RunFormatError("no exchange is there any more: the file was changed")
        return record

    def _at(self, place: tuple[int, int]) -> Record | None:
        start, size = place
        with open(self.path, "rb") as file:
            file.seek(start)
            return lines.parse(file.read(size))

    def parsed(self, position: int) -> object:
        """What the application made of the reply at ``position``; None where it did not tell.

        Raises:
            RunFormatError: it cannot be read.
        """
        place = self._parsed.get(position)
        record = self._at(place) if place else None
        return record.value if isinstance(record, Parsed) else None

    def _read(self, descriptor: int) -> None:
        """Take in the whole lines behind those that were read. There are ten thousands of them,
        most keep their place alone: what is done for each is little, and done here.
        """
        size, exchange, places = _BLOCK, lines.EXCHANGE, self._places
        while data := read_at(descriptor, self._read_to, size):
            start, at = self._read_to, 0
            while (end := data.find(b"\n", at) + 1) > 0:
                self._lines += 1
                if data.startswith(exchange, at):
                    places.append((start + at, end - at))
                else:
                    self._take_line(data[at:end], start + at)
                at = end
            self._read_to += at
            if at:
                size = _BLOCK  # from the start of the line that was not whole
            elif len(data) < size:
                return
            else:
                size *= 2

    def _take_line(self, line: bytes, start: int) -> None:
        """Take in a line that is not an exchange as this program writes it."""
        place = start, len(line)
        if (position := lines.parsed_position(line)) is not None:
            self._parsed[position] = place
        else:
            self._take_record(line, place)

    def _take_record(self, line: bytes, place: tuple[int, int]) -> None:
        try:
            record = lines.parse(line)
        except RunFormatError as error:
            self.problems.append(f"line {self._lines}: {error}")
            return
        match record:
            case Exchange():
                self._places.append(place)
            case Parsed():
                self._parsed[record.position] = place
            case CheckpointMark():
                self.marks.append(record)
            case End():
                self._end, self._end_after = record, len(self._places)


def read_header(path: Path) -> Header:
    """The header of a journal, of which nothing else is read. Raises as ``Journal``."""
    return _first_line(path)[0]


def _first_line(path: Path) -> tuple[Header, int]:
    """The header, and how many bytes it takes."""
    with open(path, "rb") as file:
        line = file.readline(_BLOCK)
    try:
        record = lines.parse(line) if line.endswith(b"\n") else None
    except NewerFormatError:
        raise
    except RunFormatError as error:
        raise RunFormatError(f"line 1: {error}") from None
    if not isinstance(record, Header):
        raise RunFormatError("line 1: no run: its first line is no header")
    return record, len(line)
