"""Noticing which files of a folder changed."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import AsyncGenerator
from pathlib import Path

from workbench.io.wakeups import POLL_SECONDS, Wakeups

# Looking at every file of a large folder takes at most this share of the time, and is done after
# this many seconds all the same.
_SCAN_SHARE = 1 / 50
_SCAN_SECONDS = 5.0

_Stamp = tuple[int, int, int]


async def watch_folder(
    folder: Path, stop: asyncio.Event, *, interval: float = POLL_SECONDS, events: bool = True
) -> AsyncGenerator[frozenset[str], None]:
    """The names of files in ``folder`` that were created, written or deleted, until ``stop``.

    Begins with every name there is, none where there is no folder yet. Names that begin with a dot
    (files being written) are left out.

    Args:
        interval: seconds between polls; a folder of many thousand files is listed at once when one
            comes or goes, and looked through for rewritten ones a little less often.
        events: False leaves the polls alone.
    """
    listing = _Listing(folder)
    yield frozenset(await asyncio.to_thread(listing.scan))
    wakeups = Wakeups(
        lambda: [folder], _is_reported, listing.look, stop, interval=interval, events=events
    )
    async with wakeups:
        while True:
            changed = await wakeups.wait()
            if stop.is_set():
                return
            if changed:
                yield frozenset(changed)


def _is_reported(name: str) -> bool:
    return not name.startswith(".")


class _Listing:
    """What a folder held when it was last looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, _Stamp] = {}
        self._folder_stamp: _Stamp | None = None
        self._next_scan = 0.0

    def look(self, names: set[str]) -> set[str]:
        """Which of ``names`` changed; for none, which of all."""
        if names:
            return {name for name in names if self._look_at(name)}
        if time.monotonic() < self._next_scan and _stamp(self._folder) == self._folder_stamp:
            return set()
        return self.scan()

    def scan(self) -> set[str]:
        """Look at every file; the names that changed. A folder that cannot be read stays as it
        was: what happens in it is not known.
        """
        begun = time.monotonic()
        # Before the listing, so that a change during it is seen as one the next time.
        self._folder_stamp = _stamp(self._folder)
        try:
            found = self._list()
        except OSError:
            return set()
        before, self._files = self._files, found
        finished = time.monotonic()
        self._next_scan = finished + min((finished - begun) / _SCAN_SHARE, _SCAN_SECONDS)
        return set() if before == found else {name for name, _ in before.items() ^ found.items()}

    def _list(self) -> dict[str, _Stamp]:
        found = {}
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    if _is_reported(entry.name) and (stamp := _file_stamp(entry.path)):
                        found[entry.name] = stamp
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return found

    def _look_at(self, name: str) -> bool:
        stamp = _file_stamp(os.path.join(self._folder, name))
        if stamp == self._files.get(name):
            return False
        if stamp is None:
            del self._files[name]
        else:
            self._files[name] = stamp
        return True


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _file_stamp(path: str) -> _Stamp | None:
    """None where there is no file: nothing, a folder, a link to nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
