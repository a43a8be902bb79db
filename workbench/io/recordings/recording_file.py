"""Reads recordings: a journal and, for a fork, the exchanges shared with its parent."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from workbench.core.formats import FormatError
from workbench.core.recordings import journal as lines
from workbench.core.recordings.exchanges import CheckpointMark, End, Exchange, Parsed, Record
from workbench.core.text.wording import did_you_mean, near, shortlist
from workbench.io.files.regular import read_at
from workbench.io.recordings.journal import BLOCK, SUFFIX, first_line, read_header

# A limit for forks of forks, and for recordings that name each other as parents.
_MAX_GENERATIONS = 100


class Recording:
    """One recording of a folder, as it is in its journal. The places of exchanges and parsed
    replies are kept; they are read from the file when needed.

    Attributes:
        shared: how many of its exchanges belong to its parent.
        torn: the message about a last line without an end; "" if there is none.

    Args:
        read: recordings of the folder by id; parents among them are not read again.

    Raises:
        FormatError: it, or a recording it was forked from, cannot be read.
        OSError: the file cannot.
    """

    def __init__(
        self, path: Path, read: Mapping[str, Recording] | None = None, _generation: int = 0
    ) -> None:
        self.path = path
        self._marks: list[CheckpointMark] = []
        self._end: End | None = None
        self._end_after = 0
        self._problems: list[str] = []
        self._unreadable: dict[int, str] = {}
        self._places: list[tuple[int, int]] = []
        self._parsed: dict[int, tuple[int, int]] = {}
        self.torn = ""
        self.header, self._read_to = first_line(path)
        self._lines = 1
        self.refresh()
        self.parent: Recording | None = None
        self.shared = 0
        parent = self.header.parent
        if parent is None:
            return
        if _generation > _MAX_GENERATIONS:
            raise FormatError(f"{path.name} is a fork of too many forks, or of itself")
        beside = path.parent / f"{parent.run}{SUFFIX}"
        if beside.parent != path.parent or not os.path.exists(beside):
            raise FormatError(f"its parent recording {parent.run} is not in {path.parent}")
        self.parent = read.get(parent.run) if read is not None else None
        if self.parent is None:
            self.parent = Recording(beside, read, _generation + 1)
        self.shared = min(max(parent.at - 1, 0), len(self.parent))

    def refresh(self) -> bool:
        """Read appended data. Return True if there was any."""
        before = self._read_to
        with open(self.path, "rb") as file:
            self._read(file.fileno())
            unread = os.fstat(file.fileno()).st_size - self._read_to
        self.torn = f"line {self._lines + 1} was cut after {unread} bytes" if unread else ""
        return self._read_to > before

    @property
    def end(self) -> End | None:
        """How the recording ended; None while it goes on, and if its process was killed. A
        recording that ended may be continued.
        """
        return self._end if self._end_after == len(self._places) else None

    @property
    def size(self) -> int:
        """How many bytes were read; a shorter file is another one."""
        return self._read_to

    @property
    def problems(self) -> list[str]:
        """Problems found so far, one sentence each."""
        torn = [self.torn] if self.torn and self.end is None else []
        return [*self._problems, *torn, *self._unreadable.values()]

    def __len__(self) -> int:
        return self.shared + len(self._places)

    def exchange(self, position: int) -> Exchange:
        """The exchange at ``position``, from 1.

        Raises:
            IndexError: there is none.
            FormatError: it is damaged.
            OSError: the file cannot be read.
        """
        if not 1 <= position <= len(self):
            raise IndexError(f"the recording has exchanges 1 to {len(self)}, not {position}")
        if self.parent is not None and position <= self.shared:
            return self.parent.exchange(position)
        record = self._at(self._places[position - self.shared - 1])
        if not isinstance(record, Exchange):
            raise FormatError("the exchange no longer exists, because the file was changed")
        return record if record.position == position else replace(record, position=position)

    def _at(self, place: tuple[int, int]) -> Record | None:
        start, size = place
        with open(self.path, "rb") as file:
            file.seek(start)
            return lines.parse(file.read(size))

    def exchanges(self, after: int = 0) -> Iterator[Exchange]:
        """The exchanges after the one at ``after``; damaged ones are skipped, and listed in
        ``problems``. Raises OSError if the file cannot be read.
        """
        for position in range(after + 1, len(self) + 1):
            try:
                exchange = self.exchange(position)
            except FormatError as error:
                self._unreadable[position] = f"exchange {position} cannot be read: {error}"
            else:
                yield exchange

    @property
    def marks(self) -> list[CheckpointMark]:
        """The checkpoints, with the parent's before the fork."""
        before = self.parent.marks if self.parent is not None else []
        return [*(mark for mark in before if mark.after <= self.shared), *self._marks]

    def parsed(self, position: int) -> object:
        """The application's parsed value of the reply at ``position``; None if not recorded. Raises
        FormatError if it cannot be read.
        """
        if self.parent is not None and position <= self.shared:
            return self.parent.parsed(position)
        place = self._parsed.get(position)
        record = self._at(place) if place else None
        return record.value if isinstance(record, Parsed) else None

    def _read(self, descriptor: int) -> None:
        """Read the next whole lines. There may be tens of thousands: of most only the place is
        kept, without a call for each.
        """
        size, exchange, places = BLOCK, lines.EXCHANGE, self._places
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
                size = BLOCK  # continue at the start of the incomplete line
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
            self._problems.append(f"line {self._lines}: {error}")
            return
        match record:
            case Exchange():
                self._places.append(place)
            case Parsed():
                self._parsed[record.position] = place
            case CheckpointMark():
                self._marks.append(record)
            case End():
                self._end, self._end_after = record, len(self._places)


def journals(folder: Path) -> list[Path]:
    """The journals of a folder, latest change first."""
    paths: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    paths.append((status.st_mtime, path))
    return [path for _, path in sorted(paths, reverse=True)]


def exchanges_with(folder: Path, text: str, is_wanted: Callable[[], bool]) -> Iterator[Exchange]:
    """The exchanges of a folder's recordings whose lines contain an ASCII text, such as the id of a
    reply. Reads all journals, as long as ``is_wanted``; skips what cannot be read.
    """
    searched = text.encode("utf-8", "replace")
    for path in journals(folder):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            for line in file:
                if not is_wanted():
                    return
                if searched in line:
                    with contextlib.suppress(FormatError):
                        record = lines.parse(line)
                        if isinstance(record, Exchange):
                            yield record


def find(folder: Path, name: str) -> Path:
    """The journal of a recording.

    Args:
        name: a path, an id or its beginning, or the name of a recording (the newest one counts).

    Raises:
        LookupError: there is none, or several.
    """
    if os.path.isfile(name):
        return Path(name)
    paths = journals(folder)
    begun = [path for path in paths if path.stem.startswith(name)] if name else []
    if len(begun) == 1:
        return begun[0]
    names = []
    for path in paths:
        with contextlib.suppress(OSError, FormatError):
            names.append(read_header(path).name)
            if names[-1] == name:
                return path
    if begun:
        raise LookupError(f"{len(begun)} recordings in {folder} begin with {name}")
    others = list(dict.fromkeys(filter(None, names)))
    hint = did_you_mean(near(name, others)) or f"; it has {shortlist(others)}"
    if not folder.is_dir():
        hint = ", which does not exist"
    raise LookupError(f"there is no recording {name!r} in {folder}{hint}")
