"""Strict mode: misses get an error that names the nearest fixture instead of the fallback."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply, miss_error
from workbench.core.text.wording import mebibytes

if TYPE_CHECKING:
    from workbench.io.fixture.nearest_search import NearestIndex


MAX_COMPARED: Final = 1024 * 1024
"""The longest request that is compared with those of fixtures, in bytes: that takes a second for
each MiB, and others wait for it, even in a thread.
"""

# How long a client waits for the fixtures to be read, for the nearest one to be named.
_HINT_SECONDS: Final = 1.0


class Strict:
    """Writes the error replies for misses.

    Attributes:
        served: the fixtures that were: these are not stale versions of a miss in this run.
    """

    def __init__(self, nearest: NearestIndex) -> None:
        self._nearest = nearest
        self.served: set[str] = set()
        self._reading: asyncio.Future[None] | None = None

    async def error(self, miss: Answer, size: int, *, held_s: float | None = None) -> ErrorReply:
        """The error for a request without a usable fixture.

        Args:
            size: of the request, in bytes.
            held_s: the seconds that it was held in vain; None if it was not.
        """
        if miss.broken is not None:
            message = miss.broken_text
        elif size > MAX_COMPARED:
            limit = mebibytes(MAX_COMPARED)
            message = (
                f"No fixture for {miss.digest}. The request is longer than {limit}: "
                "the nearest fixture was not looked for."
            )
        elif not await self._is_read():
            message = (
                f"No fixture for {miss.digest}. The fixtures are still being read: "
                "the nearest one was not looked for."
            )
        else:
            message = await asyncio.to_thread(
                self._nearest.explained, miss.request, in_same_run=self.served.__contains__
            )
        if held_s is not None:
            message = f"Held for {held_s:.0f} s, and nobody answered. {message}"
        return miss_error(message)

    async def _is_read(self) -> bool:
        """Whether all fixtures have been read, or will be in a moment. One thread at a time does
        it.
        """
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(asyncio.to_thread(self._read))
        await asyncio.wait({self._reading}, timeout=_HINT_SECONDS)
        return self._reading.done()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # the search says why
            self._nearest.refresh()
