"""A folder watcher for a test, with events or with polls alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from workbench.io.files.watcher import FolderWatcher


@asynccontextmanager
async def watching(*, events: bool = True, interval: float) -> AsyncIterator[FolderWatcher]:
    watcher = FolderWatcher(interval=interval, events=events)
    running = asyncio.ensure_future(watcher.run())
    try:
        yield watcher
    finally:
        watcher.close()
        await running
