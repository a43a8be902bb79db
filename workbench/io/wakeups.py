"""Waking readers when something happens in folders: by events where the system sends them, and by
looking, because bind mounts and network folders send none.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Self

from workbench.io import inotify
from workbench.io.inotify import FolderWatch

POLL_SECONDS = 0.5
# What comes so close together is told together, and never held back for long in a busy folder.
_QUIET_SECONDS = 0.005
_MOST_SECONDS = 0.1

_Identity = tuple[int, int]
_Look = Callable[[set[str]], set[str]]


class Wakeups:
    """Wakes a reader when something happened in folders.

    Folders may not exist yet, and may be deleted and made anew. To be used as a context manager.

    Args:
        folders: says which folders; asked again at every poll.
        wanted: whether a file of this name matters.
        look: called with names that events told, and with none every ``interval`` seconds; what it
            returns wakes the reader, unless that is nothing. Called, as ``folders`` and ``wanted``
            are, in a thread of its own, one call after the other.
        stop: wakes the reader too.
        events: False leaves the polls alone.
    """

    def __init__(
        self,
        folders: Callable[[], Iterable[Path]],
        wanted: Callable[[str], bool],
        look: _Look,
        stop: asyncio.Event,
        *,
        interval: float = POLL_SECONDS,
        events: bool = True,
    ) -> None:
        self.folders = folders
        self.wanted = wanted
        self.interval = interval
        self.events = events
        self._look = look
        self._stop = stop
        self._next_poll = 0.0
        self._news: set[str] = set()
        self._nudge = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._stopping = self._loop.create_task(self._wake_at_stop())
        _WATCHER.add(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        _WATCHER.remove(self)
        self._stopping.cancel()
        await asyncio.gather(self._stopping, return_exceptions=True)

    async def wait(self) -> set[str]:
        """Wait for news, a poke or the stop; returns the news, if any."""
        await self._nudge.wait()
        self._nudge.clear()
        news, self._news = self._news, set()
        return news

    def poke(self) -> None:
        """Wake the reader now."""
        self._nudge.set()

    async def _wake_at_stop(self) -> None:
        await self._stop.wait()
        self.poke()

    def turn(self, names: set[str]) -> None:
        """Look, in the watcher's thread, at ``names`` and, when it is time, at everything."""
        news = self._look(names) if names else set()
        now = time.monotonic()
        if now >= self._next_poll:
            self._next_poll = now + 0.9 * self.interval  # a wait may end a little early
            news |= self._look(set())
        if news:
            with contextlib.suppress(RuntimeError):  # the loop ended meanwhile
                self._loop.call_soon_threadsafe(self._take, news)

    def _take(self, news: set[str]) -> None:
        self._news |= news
        self.poke()


class _Watcher:
    """One thread that watches and polls for every reader of the process: each watch and each wait
    of its own would cost as much as all of them do together.
    """

    def __init__(self) -> None:
        self._readers: list[Wakeups] = []
        self._lock = threading.Lock()
        self._readers_changed = threading.Event()
        self._watch: FolderWatch | None = None
        self._is_running = False

    def add(self, reader: Wakeups) -> None:
        with self._lock:
            self._readers.append(reader)
            self._tell_change()
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="watcher").start()

    def remove(self, reader: Wakeups) -> None:
        with self._lock:
            self._readers.remove(reader)
            self._tell_change()

    def _tell_change(self) -> None:
        self._readers_changed.set()
        if self._watch is not None:
            self._watch.interrupt()

    def _run(self) -> None:
        while readers := self._current():
            _turn(readers, set())
            timeout = min(reader.interval for reader in readers)
            try:
                self._listen(readers, timeout)
            except (OSError, RuntimeError):
                # A folder went away just now, or the system has no more watches to give: the
                # polls go on alone until the next attempt.
                self._readers_changed.wait(timeout)

    def _current(self) -> list[Wakeups]:
        """The readers; none, which ends the thread, when the program is about to end too."""
        with self._lock:
            self._readers_changed.clear()
            self._is_running = bool(self._readers) and threading.main_thread().is_alive()
            return list(self._readers) if self._is_running else []

    def _listen(self, readers: list[Wakeups], timeout: float) -> None:
        """Take events until a folder comes, goes or is made anew, since a watch follows the old
        one, or until there are other readers.
        """
        present = _identities(readers)
        if not present:
            self._readers_changed.wait(timeout)
            return
        next_check = time.monotonic() + timeout
        with contextlib.closing(self._batches(present, timeout)) as batches:
            for names in batches:
                _turn(readers, names)
                if time.monotonic() >= next_check:
                    if _identities(readers) != present or not threading.main_thread().is_alive():
                        return
                    next_check = time.monotonic() + timeout

    def _batches(self, folders: Iterable[Path], timeout: float) -> Generator[set[str]]:
        """The names of files to which something happened, or none after ``timeout`` seconds. Ends
        when a folder went away or the readers changed.
        """
        if not inotify.IS_AVAILABLE:
            yield from _told_by_watchfiles(folders, timeout, self._readers_changed)
            return
        with FolderWatch(folders, quiet=_QUIET_SECONDS, most=_MOST_SECONDS) as watch:
            with self._lock:
                self._watch = watch
            try:
                if not self._readers_changed.is_set():
                    yield from watch.batches(timeout)
            finally:
                with self._lock:
                    self._watch = None


def _told_by_watchfiles(
    folders: Iterable[Path], timeout: float, stop: threading.Event
) -> Iterator[set[str]]:
    from watchfiles import Change, watch

    # A new folder may well get the number of one that was deleted: only the event tells then.
    own_names = {os.path.basename(os.path.abspath(folder)) for folder in folders}
    for batch in watch(
        *folders,
        watch_filter=None,
        step=int(2000 * _QUIET_SECONDS),
        debounce=int(1000 * _MOST_SECONDS),
        recursive=False,
        rust_timeout=max(int(timeout * 1000), 1),
        yield_on_timeout=True,
        stop_event=stop,
    ):
        told = [(change, os.path.basename(path)) for change, path in batch]
        yield {name for _, name in told}
        if any(change == Change.deleted and name in own_names for change, name in told):
            return


_WATCHER = _Watcher()


def _turn(readers: Iterable[Wakeups], names: set[str]) -> None:
    for reader in readers:
        reader.turn({name for name in names if reader.wanted(name)})


def _identities(readers: Iterable[Wakeups]) -> dict[Path, _Identity]:
    """The folders to watch that there are."""
    found = {}
    for folder in {folder for reader in readers if reader.events for folder in reader.folders()}:
        with contextlib.suppress(OSError):
            status = os.stat(folder)
            if stat.S_ISDIR(status.st_mode):
                found[folder] = (status.st_dev, status.st_ino)
    return found
