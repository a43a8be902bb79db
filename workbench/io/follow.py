"""Following several logs at once."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from workbench.io.tail import SLICE, LogChange, LogTail, StreamTail, Tail, TailEvent
from workbench.io.wakeups import POLL_SECONDS, Wakeups


async def follow(
    tails: Sequence[Tail],
    stop: asyncio.Event,
    *,
    limit: int = SLICE,
    interval: float = POLL_SECONDS,
    events: bool = True,
    threads: Executor | None = None,
) -> AsyncGenerator[tuple[Tail, list[TailEvent]], None]:
    """What happens in several logs, in batches of one log each, until ``stop`` or all have ended.

    Logs take turns, ``limit`` bytes each, so that a large one neither holds up the others nor
    keeps the caller from showing progress (``tail.backlog``) or stopping. Reading is done in
    threads. A tail whose following was cancelled may have lost a batch: begin with a new one.

    Args:
        interval: seconds between polls.
        events: False leaves the polls alone.
        threads: where reading is done, if not where the loop does such things.
    """
    loop = asyncio.get_running_loop()
    open_tails = list(tails)
    files = [tail.path for tail in tails if isinstance(tail, LogTail)]
    names = {path.name for path in files} | {os.path.basename(os.path.realpath(p)) for p in files}

    def look(told: set[str]) -> set[str]:
        return told or {tail.path.name for tail in list(open_tails) if tail.has_news()}

    wakeups = Wakeups(
        lambda: _folders(files), names.__contains__, look, stop, interval=interval, events=events
    )
    async with wakeups:
        while open_tails and not stop.is_set():
            for tail in list(open_tails):
                batch = await loop.run_in_executor(threads, tail.read, limit)
                if batch:
                    yield tail, batch
                    if batch[-1] is LogChange.ENDED:
                        open_tails.remove(tail)
                if stop.is_set():
                    return
            if open_tails and not any(tail.backlog for tail in open_tails):
                with _woken_by_streams(open_tails, wakeups):
                    await wakeups.wait()


def _folders(files: Sequence[Path]) -> set[Path]:
    """The folders to watch, not the files: a watched file is lost when another takes its name."""
    return {path.parent for path in files} | {Path(os.path.realpath(p)).parent for p in files}


@contextlib.contextmanager
def _woken_by_streams(tails: Sequence[Tail], wakeups: Wakeups) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    watched = []
    for tail in tails:
        if isinstance(tail, StreamTail):
            try:
                loop.add_reader(tail.descriptor, wakeups.poke)
                watched.append(tail.descriptor)
            except PermissionError:  # a file as standard input: there is always something to read
                wakeups.poke()
            except NotImplementedError:  # an event loop without readers: the polls have to do
                break
    try:
        yield
    finally:
        for descriptor in watched:
            loop.remove_reader(descriptor)
