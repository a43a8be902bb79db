"""Noticing changes in folders: by events where the system sends them, and by looking, because bind
mounts and network folders send none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

POLL_SECONDS = 0.5
# Event after some 15 ms instead of 80, and never held back for long in a busy folder.
_STEP_MS = 10
_DEBOUNCE_MS = 100
# Looking at every file of a large folder takes at most this share of the time, and is done after
# this many seconds all the same.
_SCAN_SHARE = 1 / 50
_SCAN_SECONDS = 5.0

_Identity = tuple[int, int]
_Stamp = tuple[int, int, int]


class Wakeups:
    """Wakes a reader when something happens in folders, and every ``interval`` seconds anyhow.

    Folders may not exist yet, and may be deleted and made anew. To be used as a context manager.

    Args:
        folders: says which folders; asked again at every poll, in a thread.
        wanted: whether a file of this name matters.
        stop: wakes the reader too.
        events: False leaves the polls alone.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        wanted: Callable[[str], bool],
        stop: asyncio.Event,
        *,
        interval: float = POLL_SECONDS,
        events: bool = True,
    ) -> None:
        self._folders = folders
        self._wanted = wanted
        self._stop = stop
        self._interval = interval
        self._events = events
        self._names: set[str] = set()
        self._nudge = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._tasks.append(loop.create_task(self._wake_at_stop()))
        if self._events:
            self._tasks.append(loop.create_task(self._watch()))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def wait(self) -> set[str]:
        """Wait for an event, a poke or the next poll; returns the names the events told, if any."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._interval):
                await self._nudge.wait()
        self._nudge.clear()
        names, self._names = self._names, set()
        return names

    def poke(self) -> None:
        """Wake the reader now."""
        self._nudge.set()

    async def _wake_at_stop(self) -> None:
        await self._stop.wait()
        self.poke()

    async def _watch(self) -> None:
        while True:
            present = await asyncio.to_thread(self._identities)
            if present:
                # The folder went away just now, or the system has no more watches to give: the
                # polls go on alone until the next attempt.
                with contextlib.suppress(OSError, RuntimeError):
                    await self._listen(present)
            await asyncio.sleep(self._interval)

    async def _listen(self, present: dict[Path, _Identity]) -> None:
        """Take events until a folder comes, goes or is made anew: a watch follows the old one."""
        from watchfiles import Change, awatch

        # A new folder may well get the number of one that was deleted: only the event tells then.
        own_names = {os.path.basename(os.path.abspath(folder)) for folder in present}

        def is_end(change: Change, path: str) -> bool:
            return change == Change.deleted and os.path.basename(path) in own_names

        events = awatch(
            *present,
            watch_filter=lambda *event: is_end(*event) or self._wanted(os.path.basename(event[1])),
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            recursive=False,
            rust_timeout=int(self._interval * 1000),
            yield_on_timeout=True,
        )
        next_check = time.monotonic() + self._interval
        async with contextlib.aclosing(events) as batches:
            async for batch in batches:
                if batch:
                    self._names.update(os.path.basename(path) for _, path in batch)
                    self.poke()
                if any(is_end(*event) for event in batch):
                    return
                if time.monotonic() >= next_check:
                    if await asyncio.to_thread(self._identities) != present:
                        return
                    next_check = time.monotonic() + self._interval

    def _identities(self) -> dict[Path, _Identity]:
        found = {}
        for folder in self._folders():
            with contextlib.suppress(OSError):
                status = os.stat(folder)
                if stat.S_ISDIR(status.st_mode):
                    found[folder] = (status.st_dev, status.st_ino)
        return found


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
    listing = _Listing(folder, interval)
    wakeups = Wakeups(lambda: [folder], _is_reported, stop, interval=interval, events=events)
    async with wakeups:
        yield frozenset(await asyncio.to_thread(listing.scan))
        while True:
            names = await wakeups.wait()
            if stop.is_set():
                return
            changed = await asyncio.to_thread(listing.look, names)
            if changed:
                yield frozenset(changed)


def _is_reported(name: str) -> bool:
    return not name.startswith(".")


class _Listing:
    """What a folder held when it was last looked at."""

    def __init__(self, folder: Path, interval: float) -> None:
        self._folder = folder
        self._interval = interval
        self._files: dict[str, _Stamp] = {}
        self._folder_stamp: _Stamp | None = None
        self._next_poll = 0.0
        self._next_scan = 0.0

    def look(self, names: set[str]) -> set[str]:
        """The names that changed. Looks at ``names`` alone unless a poll is due."""
        changed = {name for name in names if self._look_at(name)}
        now = time.monotonic()
        if not names or now >= self._next_poll:
            self._next_poll = now + self._interval
            if now >= self._next_scan or _stamp(self._folder) != self._folder_stamp:
                changed |= self.scan()
        return changed

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
