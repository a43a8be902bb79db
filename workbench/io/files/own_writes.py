"""What this program wrote itself, which its watcher of a folder does not report."""

from __future__ import annotations

import os

Stamp = tuple[int, int, int]


class OwnWrites:
    """The states in which this program left the files of a folder."""

    def __init__(self) -> None:
        self._states: dict[str, Stamp | None] = {}

    def note(self, name: str, status: os.stat_result | None) -> None:
        """A file was written, or deleted (None)."""
        self._states[name] = stamp_of(status)

    def has(self, name: str, stamp: Stamp | None) -> bool:
        """Whether a file that changed is as it was left here."""
        return name in self._states and self._states[name] == stamp


def stamp_of(status: os.stat_result | None) -> Stamp | None:
    """Identifies one state of a file; None for no file."""
    return (status.st_mtime_ns, status.st_size, status.st_ino) if status is not None else None
