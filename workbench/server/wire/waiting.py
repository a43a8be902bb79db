"""Waiting before a reply: until the delay is over, the client disconnects, or the server stops; and
how long a client surely waits.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request

# ``fetch`` of Node gives up after so many seconds.
MOST_SECONDS: Final = 300.0
# The seconds after which a client gives up. The OpenAI and Anthropic clients for Python always say
# so, those for JavaScript and google-genai where a request has its own time-out.
_STATED: Final = ("x-stainless-read-timeout", "x-stainless-timeout", "x-server-timeout")
# Every ``fetch`` sends the first; google-genai, which gives up on its own never, the second.
_FETCH: Final = "sec-fetch-mode"
_CLIENT: Final = "x-goog-api-client"
_GEMINI: Final = "google-genai-sdk"


class Stop:
    """A flag that is set once, when the server stops: all waits end."""

    def __init__(self) -> None:
        self._future: asyncio.Future[None] | None = None

    @property
    def future(self) -> asyncio.Future[None]:
        """A future of the running loop that is done once the flag is set."""
        if self._future is None:
            self._future = asyncio.get_running_loop().create_future()
        return self._future

    def set(self) -> None:
        if not self.future.done():
            self.future.set_result(None)

    async def pause(self, seconds: float) -> None:
        """Sleep, or return early when the server stops."""
        await asyncio.wait((self.future,), timeout=seconds)


async def wait(request: Request, seconds: float | None, *until: asyncio.Future[Any]) -> None:
    """Sleep (None: without an end), but no longer than until one of ``until`` is done. The body of
    the request has been read.

    Raises:
        ClientDisconnect: the client left meanwhile.
    """
    left = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((left, *until), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if left.done():
            raise ClientDisconnect
    finally:
        left.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def patience(headers: Mapping[str, str]) -> float | None:
    """The seconds that the client of a request waits for the beginning of a plain reply; None: not
    known. Until then its reply need not begin, and an answer that is an error can still have its
    status. Many clients would report a broken connection instead: those for JavaScript and
    google-genai do not ask again after a reply that breaks off.

    Args:
        headers: of the request, with names in lower case.
    """
    stated = [_seconds(headers[name]) for name in _STATED if name in headers]
    if not stated and _FETCH not in headers and _GEMINI not in headers.get(_CLIENT, ""):
        return None
    return min([MOST_SECONDS, *stated])


def _seconds(text: str) -> float:
    """A number of seconds; infinity for what is none."""
    try:
        seconds = float(text)
    except ValueError:
        return math.inf
    return seconds if seconds > 0 else math.inf
