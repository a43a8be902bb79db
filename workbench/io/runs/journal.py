"""Journals of runs: append-only files ``<id>.jsonl``."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from workbench.core.models import FormatError
from workbench.core.runs import lines
from workbench.core.runs.exchanges import (
    CheckpointMark,
    End,
    Exchange,
    Header,
    NewerFormatError,
    Parsed,
    Record,
)
from workbench.io.regular import read_at

SUFFIX = ".jsonl"
_BLOCK = 1 << 18


class JournalWriter:
    """Appends records to a journal, each in one write: if the process is killed, only the record
    being written is lost. Thread-safe.

    Args:
        header: of a new journal; None continues the journal at ``path``.

    Raises:
        FileExistsError: there is a header, and ``path`` exists.
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
        except BaseException:  # without its header it is not a journal
            self.close()
            path.unlink()
            raise

    def _end_torn_line(self) -> None:
        """End a line that a killed writer left incomplete, so that new lines are separate."""
        if os.fstat(self._descriptor).st_size:
            os.lseek(self._descriptor, -1, os.SEEK_END)
            if os.read(self._descriptor, 1) != b"\n":
                os.write(self._descriptor, b"\n")

    def append(self, record: Record) -> None:
        """Write ``record``.

        Raises:
            FormatError: a value in it is not JSON; nothing is written.
            OSError: the disk is full; the part that was written is removed.
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
    """A journal being read. The places of exchanges and parsed replies are kept; they are read from
    the file when needed.

    Attributes:
        problems: lines that could not be read, one sentence each.
        torn: the message about a last line without an end; "" if there is none.

    Raises:
        FormatError: the header cannot be read.
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
        """Read what was appended; returns whether there was anything."""
        before = self._read_to
        with open(self.path, "rb") as file:
            self._read(file.fileno())
            rest = os.fstat(file.fileno()).st_size - self._read_to
        self.torn = f"line {self._lines + 1} was cut after {rest} bytes" if rest else ""
        return self._read_to > before

    @property
    def end(self) -> End | None:
        """How the run ended; None while it goes on, and if its process was killed. A run that ended
        may be continued.
        """
        return self._end if self._end_after == len(self._places) else None

    @property
    def size(self) -> int:
        """How many bytes were read; a shorter file is another one."""
        return self._read_to

    def __len__(self) -> int:
        """The number of exchanges."""
        return len(self._places)

    def exchange(self, number: int) -> Exchange:
        """The ``number``-th exchange, from 0. Raises FormatError if it cannot be read."""
        record = self._at(self._places[number])
        if not isinstance(record, Exchange):
            raise FormatError("the exchange is gone: the file was changed")
        return record

    def _at(self, place: tuple[int, int]) -> Record | None:
        start, size = place
        with open(self.path, "rb") as file:
            file.seek(start)
            return lines.parse(file.read(size))

    def parsed(self, position: int) -> object:
        """The application's parsed value of the reply at ``position``; None if not recorded.

        Raises:
            FormatError: it cannot be read.
        """
        place = self._parsed.get(position)
        record = self._at(place) if place else None
        return record.value if isinstance(record, Parsed) else None

    def _read(self, descriptor: int) -> None:
        """Read the next whole lines. There may be tens of thousands: of most only the place is
        kept, without a call for each.
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
                size = _BLOCK  # continue at the start of the incomplete line
            elif len(data) < size:
                return
            else:
                size *= 2

    def _take_line(self, line: bytes, start: int) -> None:
        """Read a line that is not an exchange as this program writes it."""
        place = start, len(line)
        if (position := lines.parsed_position(line)) is not None:
            self._parsed[position] = place
            return
        try:
            record = lines.parse(line)
        except FormatError as error:
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
    """The header of a journal; nothing else is read. Raises as ``Journal``."""
    return _first_line(path)[0]


def _first_line(path: Path) -> tuple[Header, int]:
    """The header, and its length in bytes."""
    with open(path, "rb") as file:
        line = file.readline(_BLOCK)
    try:
        record = lines.parse(line) if line.endswith(b"\n") else None
    except NewerFormatError:
        raise
    except FormatError as error:
        raise FormatError(f"line 1: {error}") from None
    if not isinstance(record, Header):
        raise FormatError("line 1: not a run: the first line is not a header")
    return record, len(line)
