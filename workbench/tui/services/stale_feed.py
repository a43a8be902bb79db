"""Compares misses with fixtures: which are the request of a fixture on another day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from workbench.io.watcher import FolderWatcher
from workbench.session.session import Session

# Seconds between steps of the comparison, for keys.
COMPARE_PAUSE = 0.05


@dataclass
class StaleFeed:
    """Compares until the watcher is closed, and reports by a callback.

    Attributes:
        on_stale: called with the misses that became stale or ceased to be, and whether fixtures
            changed; once more when everything is compared.
    """

    session: Session
    watcher: FolderWatcher
    on_stale: Callable[[set[str], bool], None]
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Compare new misses or files."""
        self._news.set()

    async def compare(self) -> None:
        """Compare misses and fixtures when there are new ones, in a thread and in small steps."""
        stale = self.session.stale
        while not self.watcher.is_closed:
            await self._news.wait()
            self._news.clear()
            while stale.is_behind and not self.watcher.is_closed:
                try:
                    found = await asyncio.to_thread(stale.read)
                except OSError:
                    break  # the folder cannot be read now
                changed = stale.take(found)
                if changed or found.concerned or not stale.is_behind:
                    self.on_stale(changed, bool(found.concerned))
                await asyncio.sleep(COMPARE_PAUSE)
