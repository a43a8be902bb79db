"""Noticing changed files: one watchfiles watch for all folders, and a look every half second."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import stat
import time
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

# Bind mounts and network folders send no events, so readers look themselves, too.
POLL_SECONDS: Final = 0.5
# Changes this close together are reported together, but held back no longer than the second figure.
_STEP_MS: Final = 50
_DEBOUNCE_MS: Final = 200

# Looking at every file of a large folder takes at most this share of the time, and is done after
# this many seconds all the same.
_SCAN_SHARE = 1 / 50
_SCAN_SECONDS = 5.0

_Stamp = tuple[int, int, int]
_Identity = tuple[int, int]


Look = Callable[[Collection[str]], set[str]]


class Subscription:
    """The changes in some folders since they were last asked for.

    Args:
        folders: the folders to watch; asked again at every poll, since symlinks may change. They
            need not exist yet.
        wanted: whether a change of the file of this name matters.
        look: called with the names of files that events report, and with none at every poll;
            returns the names of files that did change. All three are called in a thread, one call
            after the other.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        wanted: Callable[[str], bool],
        look: Look,
    ) -> None:
        self.folders = folders
        self._wanted = wanted
        self._look = look
        self._names: set[str] = set()
        self._news = asyncio.Event()

    def changes(self, names: Iterable[str], *, is_poll: bool) -> set[str]:
        """Look for changes; to be called in a thread."""
        wanted = set(filter(self._wanted, names))
        changed = self._look(wanted) if wanted else set()
        return changed | self._look(()) if is_poll else changed

    def report(self, names: set[str]) -> None:
        """Let ``next`` return these names."""
        if names:
            self._names |= names
            self.wake()

    def wake(self) -> None:
        """End a wait now."""
        self._news.set()

    async def next(self) -> set[str]:
        """Wait for a change or for ``wake``; returns the names of changed files."""
        await self._news.wait()
        self._news.clear()
        names, self._names = self._names, set()
        return names


class FolderWatcher:
    """Watches the folders of all subscriptions with a single ``watchfiles.awatch``, while ``run``
    runs.

    Args:
        interval: seconds between two polls.
        events: False for polls alone.
    """

    def __init__(self, *, interval: float = POLL_SECONDS, events: bool = True) -> None:
        self.is_closed = False
        self._interval = interval
        self._events = events
        self._subscriptions: list[Subscription] = []
        # Those that are watched.
        self._folders: dict[Path, _Identity] = {}
        # Ends the watch under way, because there are other folders to watch.
        self._restart = asyncio.Event()
        self._looking = asyncio.Lock()

    @contextlib.contextmanager
    def subscribe(
        self,
        folders: Callable[[], Iterable[Path]],
        wanted: Callable[[str], bool],
        look: Look,
    ) -> Iterator[Subscription]:
        """Watch ``folders`` as long as the context is open; see `Subscription`."""
        subscription = Subscription(folders, wanted, look)
        self._subscriptions.append(subscription)
        self._restart.set()
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)
            self._restart.set()

    def close(self) -> None:
        """End ``run`` and every subscriber's wait."""
        self.is_closed = True
        self._restart.set()
        for subscription in self._subscriptions:
            subscription.wake()

    async def run(self) -> None:
        """Report changes until ``close``."""
        # Loading takes a tenth of a second, in which the event loop is to handle keys.
        await asyncio.to_thread(importlib.import_module, "watchfiles")
        tasks = [asyncio.ensure_future(look) for look in (self._follow_events(), self._poll())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()

    async def _follow_events(self) -> None:
        while not self.is_closed:
            self._restart.clear()
            self._folders = await self._look((), is_poll=True)
            try:
                if self._folders and self._events:
                    await self._watch(self._folders)
                else:
                    await self._restart.wait()
            except (OSError, RuntimeError):
                # A folder that went away just now, or a system without another watch to give: polls
                # alone until the next attempt.
                await asyncio.sleep(self._interval)

    async def _poll(self) -> None:
        """Look at every interval. The watch begins again when a folder appeared, disappeared or was
        replaced (it follows the old one).
        """
        while True:
            await asyncio.sleep(self._interval)
            if await self._look((), is_poll=True) != self._folders:
                self._restart.set()

    async def _watch(self, folders: dict[Path, _Identity]) -> None:
        """Report the changes that the operating system tells of, until the watch is to begin again
        or one of the folders is deleted.
        """
        from watchfiles import Change, awatch

        # A new folder may get the inode number of a deleted one: then only the event shows it.
        own_names = {os.path.basename(os.path.abspath(folder)) for folder in folders}
        batches = awatch(
            *folders,
            watch_filter=None,
            recursive=False,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            stop_event=self._restart,
        )
        async with contextlib.aclosing(batches):
            async for batch in batches:
                changes = [(change, os.path.basename(path)) for change, path in batch]
                found = await self._look({name for _, name in changes}, is_poll=False)
                if found != folders or any(
                    change == Change.deleted and name in own_names for change, name in changes
                ):
                    return

    async def _look(self, names: Collection[str], *, is_poll: bool) -> dict[Path, _Identity]:
        """Have all subscriptions look for changes, and report them; the folders that exist."""
        async with self._looking:
            subscriptions = list(self._subscriptions)
            changes, folders = await asyncio.to_thread(_look_at, subscriptions, names, is_poll)
            for subscription, changed in zip(subscriptions, changes, strict=True):
                subscription.report(changed)
        return folders


def _look_at(
    subscriptions: Sequence[Subscription], names: Collection[str], is_poll: bool
) -> tuple[list[set[str]], dict[Path, _Identity]]:
    """The changes each subscription sees, and device and inode number of each existing folder."""
    changes = [subscription.changes(names, is_poll=is_poll) for subscription in subscriptions]
    folders = {}
    for folder in {folder for subscription in subscriptions for folder in subscription.folders()}:
        with contextlib.suppress(OSError):
            status = os.stat(folder)
            if stat.S_ISDIR(status.st_mode):
                folders[folder] = (status.st_dev, status.st_ino)
    return changes, folders


async def watch_folder(folder: Path, watcher: FolderWatcher) -> AsyncGenerator[frozenset[str]]:
    """The names of files in ``folder`` that were created, written or deleted, until the watcher is
    closed.

    Begins with the names of all files, none if the folder does not exist yet. Names that begin with
    a dot (files being written) are left out. A folder of many thousand files is listed at once when
    a file appears or disappears, and searched for rewritten files a little less often.
    """
    listing = _Listing(folder)
    yield frozenset(await asyncio.to_thread(listing.scan))
    with watcher.subscribe(lambda: [folder], _is_reported, listing.look) as subscription:
        while not watcher.is_closed:
            if changed := await subscription.next():
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

    def look(self, names: Collection[str]) -> set[str]:
        """Which of ``names`` changed; for none, which of all files.

        A large folder that did not change itself is not searched each time.
        """
        if names:
            return {name for name in names if self._has_changed(name)}
        if time.monotonic() < self._next_scan and _stamp(self._folder) == self._folder_stamp:
            return set()
        return self.scan()

    def scan(self) -> set[str]:
        """Look at every file; the names that changed. A folder that cannot be read counts as
        unchanged.
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

    def _has_changed(self, name: str) -> bool:
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
    """None if there is no file: nothing, a folder, a dangling symlink."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
