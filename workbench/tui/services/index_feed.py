"""Follows a folder of recorded runs, or of reports, and brings its files into the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from workbench.io.watcher import FolderWatcher, watch_folder

# Files read at once, so that the first show soon.
BATCH = 10

News = TypeVar("News")


class Index(Protocol[News]):
    """What is known of the files of a folder. ``read`` is slow, ``apply`` stores its result."""

    folder: Path

    def read(self, names: Iterable[str]) -> News: ...

    def apply(self, news: News) -> None: ...


async def follow_index(
    index: Index[News], watcher: FolderWatcher, changed: Callable[[], None]
) -> None:
    """Read all files, then follow them until the watcher is closed; ``changed`` is called after
    each update of the index.
    """
    async for names in watch_folder(index.folder, watcher):
        # The newest first: their names begin with the time. They grow while tests run.
        waiting = sorted(names, reverse=True)
        for start in range(0, len(waiting), BATCH):
            index.apply(await asyncio.to_thread(index.read, waiting[start : start + BATCH]))
            changed()
