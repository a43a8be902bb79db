"""Follows several logs at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from workbench.io.files.watcher import FolderWatcher, Subscription
from workbench.io.logs.tail import SLICE, LogChange, LogTail, StreamTail, Tail, TailEvent


async def follow(
    tails: Sequence[Tail],
    watcher: FolderWatcher,
    *,
    first: int | None = None,
    limit: int = SLICE,
    threads: Executor | None = None,
) -> AsyncGenerator[tuple[Tail, list[TailEvent]]]:
    """The events of several logs, in batches of one log each, until the watcher is closed or all
    logs have ended.

    Logs take turns, ``limit`` bytes each, so that a large one does not delay the others, and the
    caller can show progress (``tail.backlog``) or stop. Logs are read in threads. After a
    cancellation a batch may be lost, so start again with new tails.

    Args:
        first: how many bytes of each log to read at first; None for ``limit``.
        threads: for reading; None for the default executor of the event loop.
    """
    loop = asyncio.get_running_loop()
    open_tails, size = list(tails), limit if first is None else first
    files = [tail.path for tail in tails if isinstance(tail, LogTail)]

    def folders() -> set[Path]:
        # Watching files would lose those that are replaced.
        return {path.parent for path in files} | {Path(os.path.realpath(p)).parent for p in files}

    def look() -> bool:
        return any(tail.may_have_news() for tail in list(open_tails))

    with watcher.subscribe(folders, look) as news:
        while open_tails:
            for tail in list(open_tails):
                if watcher.is_closed:
                    return
                batch = await loop.run_in_executor(threads, tail.read, size)
                if batch:
                    yield tail, batch
                    if batch[-1] is LogChange.ENDED:
                        open_tails.remove(tail)
            size = limit
            if open_tails and not watcher.is_closed and not any(t.backlog for t in open_tails):
                with _woken_by_streams(open_tails, news):
                    await news.next()


@contextlib.contextmanager
def _woken_by_streams(tails: Sequence[Tail], subscription: Subscription) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    watched = []
    for tail in tails:
        if isinstance(tail, StreamTail):
            try:
                loop.add_reader(tail.descriptor, subscription.wake)
                watched.append(tail.descriptor)
            except PermissionError:  # standard input is a file: it can always be read
                subscription.wake()
            except NotImplementedError:  # an event loop without readers: polling has to do
                break
    try:
        yield
    finally:
        for descriptor in watched:
            loop.remove_reader(descriptor)
