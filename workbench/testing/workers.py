"""Threads for what may never return."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

Made = TypeVar("Made")


class Workers:
    """Runs functions in threads of its own. Unlike those of a ``ThreadPoolExecutor`` they need not
    be waited for: not here, and not at the end of the process.

    Args:
        most: so many run at once; the others wait for their turn.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._queue: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def submit(self, work: Callable[[], Made]) -> Future[Made]:
        """Have ``work`` done; to be called from one thread."""
        future: Future[Made] = Future()
        self._queue.put((future, work))
        if not self._idle.acquire(blocking=False) and len(self._threads) < self._most:
            thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def _work(self) -> None:
        while (given := self._queue.get()) is not None:
            _do(*given)
            del given  # what was made is not kept while nothing is asked for
            self._idle.release()

    def stop(self, seconds: float) -> None:
        """Wait until what was begun is done, so long at most."""
        for _ in self._threads:
            self._queue.put(None)
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(until - time.monotonic(), 0))


def _do(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        made = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(made)
