"""Replies on their way out: their headers, and the line each has in the log."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from workbench.core import wire
from workbench.core.delivery import ErrorReply
from workbench.core.log_lines import note_line
from workbench.core.wire import HTTPReply, Profile
from workbench.server.http import Header, RefusedError, Request, Stop
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
_CLOSES: Final[Header] = (b"connection", b"close")


@dataclass(frozen=True, slots=True)
class Pace:
    """The wait before each paced frame, which ends at a stop."""

    seconds: float
    stop: Stop


class Sender:
    """Sends replies and logs each with one access line, written together with what else its log
    lines say.

    Args:
        profile: how errors look.
        shared: headers of every reply.
        access: whether replies have an access line at all.
    """

    def __init__(
        self,
        log: LogSink,
        clock: Clock,
        profile: Profile,
        shared: Iterable[Header] = (),
        *,
        access: bool = True,
    ) -> None:
        self._log = log
        self._clock = clock
        self._profile = profile
        self._shared = list(shared)
        self._access = access

    async def reply(
        self,
        request: Request,
        reply: HTTPReply,
        lines: str = "",
        *,
        stream: bool,
        pace: Pace | None = None,
    ) -> None:
        """Any reply, its frames together unless there is a ``pace``; one that is cut ends with its
        connection. Where a status was sent already, what is left of it.

        Raises:
            ClientGoneError: the client hung up.
        """
        if reply.is_cut:
            lines += note_line(f"{request.line}: {reply.end}, as its fixture asks")
        if request.is_started or not reply.status:
            self._log.write(lines)
            reply = wire.behind_status(reply) if stream else reply
        else:
            await self._start(request, reply.status, _headers(reply), lines)
        if pace is not None and reply.is_stream:
            for frame in reply.frames:
                if frame.paced:
                    await request.wait(pace.seconds, pace.stop.future)
                await request.send(frame.data, more=True)
            rest = b""
        else:
            rest = reply.body
        if reply.status:
            await request.send(rest, more=reply.is_cut)
        if reply.is_cut:
            await request.drop()

    async def json(self, request: Request, status: int, body: bytes) -> None:
        """A whole reply that is JSON."""
        length = (b"content-length", str(len(body)).encode())
        await self._start(request, status, [JSON, length])
        await request.send(body)

    async def json_parts(self, request: Request, parts: Sequence[bytes]) -> None:
        """A long reply that is JSON, each part when the client has taken most of those before."""
        length = (b"content-length", str(sum(map(len, parts))).encode())
        await self._start(request, 200, [JSON, length])
        for part in parts[:-1]:
            await request.send(part, more=True)
            await asyncio.sleep(0)  # what was sent is on its way, or has to wait for the client
        await request.send(parts[-1])

    async def start(
        self, request: Request, headers: Iterable[Header], lines: str = "", *, status: int = 200
    ) -> None:
        """The head of a reply whose parts come one by one; does nothing to one that has it."""
        if not request.is_started:
            await self._start(request, status, headers, lines)
        else:
            self._log.write(lines)

    async def no_content(self, request: Request) -> None:
        await self._start(request, 204, ())
        await request.send(b"")

    async def refuse(self, request: Request, error: RefusedError) -> None:
        """An error in the shape of the API, and why it is one in the log."""
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        said = ErrorReply(error.status, str(error), kind, error.code)
        reply = wire.error_reply(self._profile, said, error.headers)
        await self.reply_early(request, reply, note_line(f"refused {request.line}: {error}"))

    async def reply_early(self, request: Request, reply: HTTPReply, lines: str) -> None:
        """A reply to a request of which the body may be unread. Where that is still to come the
        connection ends with the reply.
        """
        if not request.is_arriving:
            await self.reply(request, reply, lines, stream=request.is_stream)
            return
        await self._start(request, reply.status, [*_headers(reply), _CLOSES], lines)
        await request.send(reply.body, more=True)
        await request.linger()
        await request.send(b"")

    async def _start(
        self, request: Request, status: int, headers: Iterable[Header], lines: str = ""
    ) -> None:
        if self._access:
            lines += access_line(request.client, self._clock.stamp(), request.line, status)
        self._log.write(lines)
        await request.start(status, [*headers, *self._shared])


def _headers(reply: HTTPReply) -> list[Header]:
    """The headers of a reply; the length only of one that comes to its end."""
    headers = [(name.lower().encode(), value.encode()) for name, value in reply.headers]
    if reply.is_stream:
        return [*STREAM, *headers]
    length = [] if reply.is_cut else [(b"content-length", str(len(reply.body)).encode())]
    return [JSON, *length, *headers]
