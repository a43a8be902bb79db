"""Reads recorded runs: a journal and, for a fork, the exchanges shared with its parent."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.core.models import FormatError
from workbench.core.runs import lines
from workbench.core.runs.exchanges import CheckpointMark, End, Exchange, Header
from workbench.io.runs.journal import SUFFIX, Journal, read_header

# A limit for forks of forks, and for runs that name each other as parents.
_MAX_GENERATIONS = 100


class RecordedRun:
    """One run of a folder.

    Attributes:
        shared: how many of its exchanges belong to its parent.

    Args:
        known: runs of the folder by id; parents among them are not read again.

    Raises:
        FormatError: it, or a run it was forked from, cannot be read.
        OSError: the file cannot.
    """

    def __init__(
        self, path: Path, known: Mapping[str, RecordedRun] | None = None, _generation: int = 0
    ) -> None:
        self.path = path
        self.journal = Journal(path)
        parent = self.journal.header.parent
        self.parent: RecordedRun | None = None
        self.shared = 0
        self._unreadable: dict[int, str] = {}
        if parent is None:
            return
        if _generation > _MAX_GENERATIONS:
            raise FormatError(f"{path.name} is a fork of too many forks, or of itself")
        beside = path.parent / f"{parent.run}{SUFFIX}"
        if beside.parent != path.parent or not os.path.exists(beside):
            raise FormatError(f"its parent run {parent.run} is not in {path.parent}")
        self.parent = known.get(parent.run) if known is not None else None
        if self.parent is None:
            self.parent = RecordedRun(beside, known, _generation + 1)
        self.shared = min(max(parent.at - 1, 0), len(self.parent))

    @property
    def header(self) -> Header:
        return self.journal.header

    @property
    def end(self) -> End | None:
        return self.journal.end

    @property
    def problems(self) -> list[str]:
        """Problems found so far, one sentence each."""
        torn = [self.journal.torn] if self.journal.torn and self.journal.end is None else []
        return [*self.journal.problems, *torn, *self._unreadable.values()]

    def __len__(self) -> int:
        return self.shared + len(self.journal)

    def exchange(self, position: int) -> Exchange:
        """The exchange at ``position``, from 1.

        Raises:
            IndexError: there is none.
            FormatError: it cannot be read.
        """
        if not 1 <= position <= len(self):
            raise IndexError(f"the run has exchanges 1 to {len(self)}, not {position}")
        if self.parent is not None and position <= self.shared:
            return self.parent.exchange(position)
        return self.journal.exchange(position - self.shared - 1)

    def exchanges(self, after: int = 0) -> Iterator[Exchange]:
        """The exchanges after the one at ``after``; unreadable ones are skipped, and named in
        ``problems``.
        """
        for position in range(after + 1, len(self) + 1):
            try:
                found = self.exchange(position)
            except FormatError as error:
                self._unreadable[position] = f"exchange {position} cannot be read: {error}"
            else:
                yield found

    @property
    def marks(self) -> list[CheckpointMark]:
        """The checkpoints, including those of the parent before the fork."""
        before = self.parent.marks if self.parent is not None else []
        return [*(mark for mark in before if mark.after <= self.shared), *self.journal.marks]

    def parsed(self, position: int) -> object:
        """The application's parsed value of the reply at ``position``; None if not recorded."""
        if self.parent is not None and position <= self.shared:
            return self.parent.parsed(position)
        return self.journal.parsed(position)


def journals(folder: Path) -> list[Path]:
    """The journals of a folder, latest change first."""
    found: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.glob(f"*{SUFFIX}"):
            with contextlib.suppress(OSError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    found.append((status.st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)]


def exchanges_with(folder: Path, text: str) -> Iterator[Exchange]:
    """The exchanges of a folder's runs whose lines contain an ASCII text, such as the id of a
    reply. Reads all journals; what cannot be read is passed over.
    """
    for path in journals(folder):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            for line in file:
                if text.encode() in line:
                    with contextlib.suppress(FormatError):
                        record = lines.parse(line)
                        if isinstance(record, Exchange):
                            yield record


def find(folder: Path, name: str) -> Path:
    """The journal of a run.

    Args:
        name: a path, an id or its beginning, or the name of a run (the newest one counts).

    Raises:
        LookupError: there is none, or several.
    """
    if Path(name).is_file():
        return Path(name)
    known = journals(folder)
    begun = [path for path in known if path.stem.startswith(name)] if name else []
    if len(begun) == 1:
        return begun[0]
    for path in known:
        with contextlib.suppress(OSError, FormatError):
            if read_header(path).name == name:
                return path
    if begun:
        raise LookupError(f"{len(begun)} runs in {folder} begin with {name}")
    raise LookupError(f"there is no run {name!r} in {folder}")
