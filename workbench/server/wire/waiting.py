"""Waiting before a reply: until the delay is over, the client disconnects, or the server stops."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import ClientDisconnect, Request


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
        ClientDisconnect: the client left while it waited.
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
