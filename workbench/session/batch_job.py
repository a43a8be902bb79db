"""A decision about many digests takes long; meanwhile others have their turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from time import monotonic
from typing import Final, TypeVar

# So many seconds a key may wait for its turn; and so often it is told how far the work is.
TURN: Final = 0.005
TELL_EVERY: Final = 0.3

_Part = TypeVar("_Part")


class BatchJob:
    """Work on the session that is done in parts, one such work at a time.

    It is not left to a thread, since the session belongs to one; between two parts that thread
    does what else there is to do.

    Attributes:
        is_running: somebody is at it.
    """

    def __init__(self) -> None:
        self.is_running = False
        self._is_stopped = False
        self._tell_at = 0.0

    async def run(self, parts: Iterable[_Part]) -> AsyncIterator[_Part]:
        """Do the parts: each is done when it is taken from ``parts``, and given on. Raises what
        taking one raises.
        """
        self.is_running, self._is_stopped = True, False
        turn_ends = monotonic() + TURN
        self._tell_at = monotonic() + TELL_EVERY
        try:
            for part in parts:
                yield part
                if monotonic() >= turn_ends:
                    await asyncio.sleep(0)
                    turn_ends = monotonic() + TURN
                if self._is_stopped:
                    return
        finally:
            self.is_running = False

    def should_report(self) -> bool:
        """Whether it is time to tell how far the work is; asked behind each part."""
        is_time = monotonic() >= self._tell_at
        if is_time:
            self._tell_at = monotonic() + TELL_EVERY
        return is_time

    def stop(self) -> None:
        """Do no part after the one that is being done."""
        self._is_stopped = True
