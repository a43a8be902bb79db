"""The state of a file from its status, and the states in which this program left files."""

from __future__ import annotations

import os
from typing import NamedTuple

# Resolution of file system clocks: a file written twice within this time keeps its stamp.
_TICK_NS = 20_000_000


class FileStamp(NamedTuple):
    """Identifies one state of a file without reading it."""

    modified_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStamp:
        return cls(status.st_mtime_ns, status.st_size, status.st_ino)

    def is_settled(self, now_ns: int) -> bool:
        """True if a write at ``now_ns`` or later gives the file another stamp."""
        return abs(now_ns - self.modified_ns) > _TICK_NS


class OwnWrites:
    """The states in which this program left the files of a folder, which its watcher does not
    report.
    """

    def __init__(self) -> None:
        self._states: dict[str, FileStamp | None] = {}

    def note(self, name: str, status: os.stat_result | None) -> None:
        """A file was written, or deleted (None)."""
        self._states[name] = None if status is None else FileStamp.of(status)

    def forget(self, name: str) -> None:
        """A file is now read as another program left it."""
        self._states.pop(name, None)

    def is_replaced(self, name: str, stamp: FileStamp | None) -> bool:
        """True if another program changed a file since this program wrote or deleted it."""
        return name in self._states and self._states[name] != stamp

    def has(self, name: str, stamp: FileStamp | None) -> bool:
        """True if a changed file still has the state in which this program left it."""
        return name in self._states and self._states[name] == stamp
