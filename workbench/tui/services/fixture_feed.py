"""Follows the fixtures folder: brings changed files into the session, examines them, and compares
misses with them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic, sleep

from workbench.io.files.atomic import remove_leftovers
from workbench.io.files.watcher import FolderWatcher, watch_folder
from workbench.session.fixture.index import FixtureEntry
from workbench.session.misses.stale import StaleMisses
from workbench.session.session import Session

# Seconds between updates of the list while the folder is read.
SHOW_EVERY = 0.5
# Thousands of rows take long to show: that may take this share of the time, so that keys act.
SHOW_SHARE = 0.1
# After so many files the reading thread pauses, so that keys are not delayed.
PAUSE_EVERY, PAUSE = 4, 0.001
# Seconds between steps of the comparison, for keys.
COMPARE_PAUSE = 0.05


@dataclass
class FixtureFeed:
    """Follows until the watcher is closed, and reports by callbacks.

    Attributes:
        on_files: called with the names of changed files and the misses they concern.
        on_examined: called when files were examined.
    """

    session: Session
    watcher: FolderWatcher
    on_files: Callable[[frozenset[str], set[str]], None]
    on_examined: Callable[[], None]
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        """Remove what killed saves left in the folder, then follow all changes of it."""
        await asyncio.to_thread(remove_leftovers, self.session.store.folder)
        async for names in watch_folder(self.session.store.folder, self.watcher):
            self.session.fixtures.announce(names)
            self.on_files(names, self.session.take_files(names))
            self._news.set()

    async def examine(self) -> None:
        """Examine changed files, in a thread and in steps."""
        index = self.session.fixtures
        pause = SHOW_EVERY
        while not self.watcher.is_closed:
            await self._news.wait()
            self._news.clear()
            while index.waiting:
                waiting = dict(index.waiting)
                entries = await asyncio.to_thread(self._examine, waiting, pause)
                begun = monotonic()
                self.session.take_examined(entries, waiting)
                self.on_examined()
                pause = max(SHOW_EVERY, (monotonic() - begun) / SHOW_SHARE)

    def examine_again(self) -> None:
        """Examine all files once more, because the rules have new data."""
        self.session.fixtures.announce(self.session.fixtures.entries)
        self._news.set()

    def _examine(self, names: Iterable[str], seconds: float) -> dict[str, FixtureEntry | None]:
        """Examine as many files as there is time for until the next update."""
        entries: dict[str, FixtureEntry | None] = {}
        end = monotonic() + seconds
        for name in names:
            with self.session.store.turn:
                entries[name] = self.session.fixtures.examine(name)
            if self.watcher.is_closed or monotonic() > end:
                break
            if len(entries) % PAUSE_EVERY == 0:
                sleep(PAUSE)
        return entries


async def compare_misses(
    stale: StaleMisses,
    watcher: FolderWatcher,
    news: asyncio.Event,
    on_stale: Callable[[set[str], bool], None],
) -> None:
    """Compare misses and fixtures until the watcher is closed, in a thread and in small steps.

    Args:
        news: set when there are new misses or files.
        on_stale: called with the misses that became stale or ceased to be, and True if fixtures
            changed; once more when everything is compared.
    """
    while not watcher.is_closed:
        await news.wait()
        news.clear()
        while stale.is_behind and not watcher.is_closed:
            try:
                comparison = await asyncio.to_thread(stale.read)
            except OSError:
                break  # the folder cannot be read now
            changed = stale.take(comparison)
            if changed or comparison.concerned or not stale.is_behind:
                on_stale(changed, bool(comparison.concerned))
            await asyncio.sleep(COMPARE_PAUSE)
