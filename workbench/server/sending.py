"""Replies on their way out: their headers, and the line each has in the log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from workbench.core import wire
from workbench.core.log import note_line
from workbench.server.http import Header, RefusedError, Request
from workbench.server.log import Clock, LogSink, access_line

CORS: Final[list[Header]] = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"*"),
]
JSON: Final[Header] = (b"content-type", wire.ENVELOPE_TYPE.encode())
STREAM: Final[list[Header]] = [
    (b"content-type", wire.STREAM_TYPE.encode()),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
]


class Sender:
    """Sends replies and logs each with one access line, written together with what else its log
    lines say.

    Args:
        shared: headers of every reply.
    """

    def __init__(self, log: LogSink, clock: Clock, shared: Iterable[Header] = ()) -> None:
        self._log = log
        self._clock = clock
        self._shared = list(shared)

    async def json(
        self,
        request: Request,
        status: int,
        body: bytes,
        lines: str = "",
        headers: Iterable[Header] = (),
    ) -> None:
        """A whole reply. Where its status was sent already, what is left of it: the body."""
        if not request.is_started:
            length = (b"content-length", str(len(body)).encode())
            await self._start(request, status, [JSON, length, *headers], lines)
        else:
            self._log.write(lines)
        await request.send(body)

    async def start(self, request: Request, headers: Iterable[Header], lines: str = "") -> None:
        """The head of a reply whose parts come one by one; does nothing to one that has it."""
        if not request.is_started:
            await self._start(request, 200, headers, lines)
        else:
            self._log.write(lines)

    async def no_content(self, request: Request) -> None:
        await self._start(request, 204, ())
        await request.send(b"")

    async def refuse(self, request: Request, error: RefusedError) -> None:
        """An error in the shape of the API, and why it is one in the log."""
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        body = wire.error_body(str(error), code=error.code, kind=kind)
        note = note_line(f"refused {request.line}: {error}")
        await self.json(request, error.status, body, note, error.headers)

    async def _start(
        self, request: Request, status: int, headers: Iterable[Header], lines: str = ""
    ) -> None:
        stamp = self._clock.stamp()
        self._log.write(lines + access_line(request.client, stamp, request.line, status))
        await request.start(status, [*headers, *self._shared])
