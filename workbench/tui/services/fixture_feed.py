"""Follows the fixtures folder: brings changed files into the session, and examines them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep

from workbench.io.watcher import FolderWatcher, watch_folder
from workbench.session.fixtures.index import ExaminedFile
from workbench.session.session import Session

# Seconds between updates of the list while the folder is read.
SHOW_EVERY = 0.5
# Thousands of rows take long to show: that may take this share of the time, so that keys act.
SHOW_SHARE = 0.1
# After so many files the reading thread pauses, so that keys are not delayed.
PAUSE_EVERY, PAUSE = 4, 0.001


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
        """Follow all changes of the folder."""
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
                found = await asyncio.to_thread(self._examine, waiting, pause)
                begun = monotonic()
                self.session.take_examined(found)
                self.on_examined()
                pause = max(SHOW_EVERY, (monotonic() - begun) / SHOW_SHARE)

    def _examine(self, waiting: Mapping[str, int], seconds: float) -> list[ExaminedFile]:
        """Examine as many files as there is time for until the next update."""
        found: list[ExaminedFile] = []
        end = monotonic() + seconds
        for name, change in waiting.items():
            with self.session.store.turn:
                found.append(ExaminedFile(name, change, self.session.fixtures.examine(name)))
            if self.watcher.is_closed or monotonic() > end:
                break
            if len(found) % PAUSE_EVERY == 0:
                sleep(PAUSE)
        return found
