"""A batch job on the session that can be cancelled and reports progress."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from time import monotonic
from typing import Final, TypeVar

# Seconds after which the event loop gets a turn, and seconds between progress reports.
TURN: Final = 0.005
TELL_EVERY: Final = 0.3

_Part = TypeVar("_Part")


class BatchJob:
    """Runs one job at a time, part by part, on the event loop: the session belongs to its
    thread.
    """

    def __init__(self) -> None:
        self.is_running = False
        self._is_stopped = False

    def run(self, parts: Iterable[_Part], report: Callable[[int], object]) -> AsyncIterator[_Part]:
        """Begin a job, which runs from now on; returns its parts, to be iterated over. The iterator
        ``parts`` does the work of each; what it raises is raised.

        Args:
            report: called now and then with the number of parts done.
        """
        self.is_running, self._is_stopped = True, False
        return self._parts(parts, report)

    async def _parts(
        self, parts: Iterable[_Part], report: Callable[[int], object]
    ) -> AsyncIterator[_Part]:
        import asyncio

        turn_ends = monotonic() + TURN
        tell_at = monotonic() + TELL_EVERY
        try:
            for done, part in enumerate(parts, start=1):
                yield part
                if monotonic() >= tell_at:
                    report(done)
                    tell_at = monotonic() + TELL_EVERY
                if monotonic() >= turn_ends:
                    await asyncio.sleep(0)
                    turn_ends = monotonic() + TURN
                if self._is_stopped:
                    return
        finally:
            self.is_running = False

    def stop(self) -> None:
        """End the job after the current part."""
        self._is_stopped = True
