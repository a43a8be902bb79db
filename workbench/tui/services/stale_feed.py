"""Compares misses with fixtures: which are the request of a fixture on another day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from workbench.io.watcher import FolderWatcher
from workbench.session.misses.stale import StaleMisses

# Seconds between steps of the comparison, for keys.
COMPARE_PAUSE = 0.05


async def compare_misses(
    stale: StaleMisses,
    watcher: FolderWatcher,
    news: asyncio.Event,
    on_stale: Callable[[set[str], bool], None],
) -> None:
    """Compare misses and fixtures until the watcher is closed, in a thread and in small steps.

    Args:
        news: set when there are new misses or files.
        on_stale: called with the misses that became stale or ceased to be, and whether fixtures
            changed; once more when everything is compared.
    """
    while not watcher.is_closed:
        await news.wait()
        news.clear()
        while stale.is_behind and not watcher.is_closed:
            try:
                found = await asyncio.to_thread(stale.read)
            except OSError:
                break  # the folder cannot be read now
            changed = stale.take(found)
            if changed or found.concerned or not stale.is_behind:
                on_stale(changed, bool(found.concerned))
            await asyncio.sleep(COMPARE_PAUSE)
