"""Strict mode: misses get an error that names the nearest fixture instead of the fallback."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from workbench.core.digest import RequestError
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import RequestView

if TYPE_CHECKING:
    from workbench.io.fixtures.nearest import NearestIndex


class Strict:
    """Writes the error replies for misses.

    Attributes:
        served: the fixtures that were: these are not stale versions of a miss in this run.
    """

    def __init__(self, nearest: NearestIndex) -> None:
        self._nearest = nearest
        self.served: set[str] = set()

    async def error(self, miss: Answer, *, held_s: float | None = None) -> ErrorReply:
        """The error for a request without a usable fixture, which was held for ``held_s`` seconds
        in vain, if at all.
        """
        if miss.broken is not None:
            message = f"The fixture of {miss.digest} cannot be used: {miss.broken}"
        else:
            # The first one reads the whole folder: in a thread, so that others are answered.
            message = await asyncio.to_thread(self._explained, miss.request)
        if held_s is not None:
            message = f"Held for {held_s:.0f} s, and nobody answered. {message}"
        return ErrorReply(404, message, "invalid_request_error", "fixture_not_found")

    def _explained(self, request: RequestView) -> str:
        from workbench.core.requests.nearest import sentence

        nearest = None
        with contextlib.suppress(OSError, RequestError):  # then it is said without
            self._nearest.refresh()
            nearest = self._nearest.nearest(
                request.digest, request, is_beside=self.served.__contains__
            )
        return sentence(request.digest, nearest)
