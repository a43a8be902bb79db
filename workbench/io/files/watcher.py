"""Watches folders for changed files: one watchfiles watch for all, with a look every half second at
what sends no events.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.io.files.stamps import FileStamp, OwnWrites

if TYPE_CHECKING:
    from watchfiles import Change

# Bind mounts and network folders send no events, so readers look themselves, too.
POLL_SECONDS: Final = 0.5
# Changes this close together are reported together, but held back no longer than the second figure.
_STEP_MS: Final = 50
_DEBOUNCE_MS: Final = 200

# Looking at every file of a large folder takes at most this share of the time without events, and
# is done after this many seconds anyway; after events it may take the greater share.
_SCAN_SHARE = 1 / 50
_SCAN_SECONDS = 5.0
_SCAN_SHARE_WITH_EVENTS = 1 / 5

_Identity = tuple[int, int]


class Subscription:
    """Wakes its owner when files in some folders may have changed.

    Args:
        folders: returns the folders to watch; called at every poll, in a thread, since symlinks may
            change. They need not exist yet.
        look: returns True if a poll must wake the owner; called in a thread.

    Attributes:
        identities: identities of the existing folders.
    """

    def __init__(self, folders: Callable[[], Iterable[Path]], look: Callable[[], bool]) -> None:
        self.folders = folders
        self.look = look
        self.identities: set[_Identity] = set()
        self._is_time = asyncio.Event()
        self._has_changed = False

    def wake(self, *, has_changed: bool = True) -> None:
        """End a wait now; ``has_changed`` is True if events reported a change."""
        self._has_changed = self._has_changed or has_changed
        self._is_time.set()

    async def next(self) -> bool:
        """Wait for events or a poll. Return True if there were events."""
        await self._is_time.wait()
        self._is_time.clear()
        has_changed, self._has_changed = self._has_changed, False
        return has_changed


class FolderWatcher:
    """Watches the folders of all subscriptions, in one thread with one ``watchfiles.watch``, while
    ``run`` runs. The thread wakes the event loop only for a subscriber.

    Args:
        interval: seconds between two polls.
        events: False to poll only.
    """

    def __init__(self, *, interval: float = POLL_SECONDS, events: bool = True) -> None:
        self.is_closed = False
        self._interval = interval
        self._events = events
        self._subscriptions: list[Subscription] = []
        # Ends the watch under way, because there are other folders to watch.
        self._restart = threading.Event()

    @contextlib.contextmanager
    def subscribe(
        self, folders: Callable[[], Iterable[Path]], look: Callable[[], bool] = lambda: True
    ) -> Iterator[Subscription]:
        """Watch ``folders`` as long as the context is open; see `Subscription`."""
        subscription = Subscription(folders, look)
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
        """Wake the subscribers after changes, until ``close``."""
        try:
            await asyncio.to_thread(self._run, asyncio.get_running_loop())
        finally:
            self.close()  # also the thread of a task that was cancelled

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while True:
            self._restart.clear()
            if self.is_closed:
                return
            subscriptions = list(self._subscriptions)
            folders = _existing(subscriptions)
            for subscription in subscriptions:
                loop.call_soon_threadsafe(subscription.wake)
            try:
                self._watch(folders, loop)
            except (OSError, RuntimeError):
                # A folder that went away just now, or a system without another watch to give: polls
                # alone until the next attempt.
                self._restart.wait(self._interval)

    def _watch(self, folders: dict[Path, _Identity], loop: asyncio.AbstractEventLoop) -> None:
        """Wake the subscribers after changes, until the watch has to be renewed: when one of the
        folders appeared, disappeared or was replaced (a watch follows the old one).
        """
        from watchfiles import Change  # a tenth of a second

        # A new folder may get the inode number of a deleted one: then only the event shows it.
        own_names = {os.path.basename(os.path.abspath(folder)) for folder in folders}
        next_poll = 0.0
        for batch in self._batches(folders):
            subscriptions = list(self._subscriptions)
            # Events may name a folder by another path than ours.
            changed = set(map(_identity, {os.path.dirname(path) for _, path in batch}))
            for subscription in subscriptions:
                if not changed.isdisjoint(subscription.identities):
                    loop.call_soon_threadsafe(subscription.wake)
            if any(
                change == Change.deleted and os.path.basename(path) in own_names
                for change, path in batch
            ):
                return
            if time.monotonic() < next_poll:
                continue
            if _existing(subscriptions) != folders:
                return
            for subscription in subscriptions:
                if subscription.look():
                    loop.call_soon_threadsafe(partial(subscription.wake, has_changed=False))
            next_poll = time.monotonic() + self._interval

    def _batches(self, folders: Iterable[Path]) -> Iterator[set[tuple[Change, str]]]:
        """The changes that the operating system reports, as watchfiles has them; an empty set when
        an interval passed without any. Ends when the watch is to begin again.
        """
        yield set()
        if not folders or not self._events:
            while not self._restart.wait(self._interval):
                yield set()
            return
        from watchfiles import watch

        yield from watch(
            *folders,
            watch_filter=None,
            recursive=False,
            step=_STEP_MS,
            debounce=_DEBOUNCE_MS,
            rust_timeout=round(self._interval * 1000),
            yield_on_timeout=True,
            stop_event=self._restart,
        )


def _existing(subscriptions: Iterable[Subscription]) -> dict[Path, _Identity]:
    existing: dict[Path, _Identity] = {}
    for subscription in subscriptions:
        identities = {folder: _identity(folder) for folder in subscription.folders()}
        present = {folder: of for folder, of in identities.items() if of is not None}
        subscription.identities = set(present.values())
        existing |= present
    return existing


def _identity(folder: Path | str) -> _Identity | None:
    """Device and inode number; None if the folder does not exist."""
    status = _status(folder)
    if status is None or not stat.S_ISDIR(status.st_mode):
        return None
    return status.st_dev, status.st_ino


async def watch_folder(
    folder: Path, watcher: FolderWatcher, own: OwnWrites | None = None
) -> AsyncGenerator[frozenset[str]]:
    """The names in ``folder`` that were created, written or deleted, until the watcher is closed. A
    folder may have the name that a file is looked for by: what reads it reports that.

    Begins with all names, none if the folder does not exist yet. Names that begin with
    a dot (files being written) are left out. Without events a folder of many thousand files is
    searched at once when a file appears or disappears, and for rewritten files a little less often.

    Args:
        own: what this program wrote there, which is left out.
    """
    listing = _Listing(folder, own or OwnWrites())
    await asyncio.to_thread(listing.scan)
    yield listing.changes.popleft() if listing.changes else frozenset()
    with watcher.subscribe(lambda: [folder], listing.poll) as subscription:
        while not watcher.is_closed:
            if await subscription.next():
                await asyncio.to_thread(listing.scan)
            while listing.changes:
                yield listing.changes.popleft()
            await asyncio.sleep(min(listing.scan_seconds / _SCAN_SHARE_WITH_EVENTS, POLL_SECONDS))


class _Listing:
    """The contents of a folder at the last scan. Several threads may use it.

    Attributes:
        changes: the changed names, for each scan that found some.
        scan_seconds: duration of a scan of every file.
    """

    def __init__(self, folder: Path, own: OwnWrites) -> None:
        self._folder = folder
        self._own = own
        self._lock = threading.Lock()
        self._files: dict[str, FileStamp] = {}
        self._folder_stamp: FileStamp | None = None
        self._next_scan = 0.0
        self.changes: deque[frozenset[str]] = deque()
        self.scan_seconds = 0.0

    def poll(self) -> bool:
        """As ``scan``, but a large folder whose own status is unchanged is not searched each time.
        Return True if something changed.
        """
        is_due = time.monotonic() >= self._next_scan
        if is_due or _stamp(self._folder) != self._folder_stamp:
            self.scan()
        return bool(self.changes)

    def scan(self) -> None:
        """Look at every file. A folder that cannot be read counts as unchanged."""
        with self._lock:
            begun = time.monotonic()
            # Before the listing, so that a change during it is seen as one the next time.
            self._folder_stamp = _stamp(self._folder)
            try:
                files = self._list()
            except OSError:
                return
            before, self._files = self._files, files
            finished = time.monotonic()
            self.scan_seconds = finished - begun
            self._next_scan = finished + min(self.scan_seconds / _SCAN_SHARE, _SCAN_SECONDS)
            if before != files:
                names = {name for name, _ in before.items() ^ files.items()}
                changed = frozenset(n for n in names if not self._own.has(n, files.get(n)))
                self.changes += [changed] if changed else []

    def _list(self) -> dict[str, FileStamp]:
        files = {}
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    status = None if entry.name.startswith(".") else _status(entry.path)
                    if status is not None:
                        files[entry.name] = FileStamp.of(status)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return files


def _status(path: Path | str) -> os.stat_result | None:
    """None if there is nothing, as at the end of a dangling symlink."""
    try:
        return os.stat(path)
    except OSError:
        return None


def _stamp(path: Path) -> FileStamp | None:
    status = _status(path)
    return None if status is None else FileStamp.of(status)
