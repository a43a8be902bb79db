"""Replies as Starlette responses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from workbench.core.log.lines import note_line
from workbench.core.replies.http_reply import ENVELOPE_TYPE, HTTPReply, json_body
from workbench.server.wire.connection import close_connection
from workbench.server.wire.incoming import request_line
from workbench.server.wire.waiting import Stop, wait

# Prevents proxies from buffering a stream.
UNBUFFERED: Final = {"cache-control": "no-cache", "x-accel-buffering": "no"}
# The reference stub sends these with every reply.
CORS: Final = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"*"),
)


class RenderedResponse(Response):
    """A reply of which all bytes are known: one message for its head, one for its body. A reply
    that breaks off ends with its connection.
    """

    def __init__(self, request: Request, reply: HTTPReply) -> None:
        self.raw_headers = _raw_headers(reply, is_http_1_0=is_http_1_0(request))
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply, headers = self._reply, self.raw_headers
        if reply.status:
            await send({"type": "http.response.start", "status": reply.status, "headers": headers})
            body = {"type": "http.response.body", "body": reply.body, "more_body": reply.is_cut}
            await send(body)
        if reply.is_cut:
            await close_connection(scope, receive)


def _raw_headers(reply: HTTPReply, *, is_http_1_0: bool) -> list[tuple[bytes, bytes]]:
    """Without a Content-Length uvicorn uses the chunked encoding, which HTTP/1.0 does not have:
    there, a reply that is cut off announces one byte more than is sent.
    """
    if not reply.content_type:  # it has no body, and no length
        return _encoded(reply.headers)
    headers = [(b"content-type", reply.content_type.encode("latin-1"))]
    if reply.is_stream:
        headers += _encoded(UNBUFFERED.items())
    if reply.headers:
        headers += _encoded(reply.headers)
    if is_http_1_0 or not (reply.is_stream or reply.is_cut):
        headers.append((b"content-length", b"%d" % (len(reply.body) + reply.is_cut)))
    return headers


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]


async def reply_response(
    request: Request, reply: HTTPReply, seconds: float, stop: Stop
) -> Response:
    """The response for a reply.

    Args:
        seconds: the wait before each paced frame of a stream, which ends at ``stop``.

    Raises:
        ClientDisconnect: as ``wait``.
    """
    if not (seconds and reply.status and reply.is_stream):
        return RenderedResponse(request, reply)
    if is_http_1_0(request):
        pauses = sum(frame.paced for frame in reply.frames)
        await wait(request, pauses * seconds, stop.future)
        return RenderedResponse(request, reply)
    response = StreamingResponse(frames(request, reply, seconds, stop), reply.status)
    response.raw_headers = _raw_headers(reply, is_http_1_0=False)
    return response


def json_response(value: object) -> Response:
    """A reply with a JSON body."""
    return Response(json_body(value), media_type=ENVELOPE_TYPE)


def is_http_1_0(request: Request) -> bool:
    """True if the client uses HTTP/1.0, which has no chunked encoding."""
    return bool(request.scope["http_version"] == "1.0")


def cut_line(request: Request, reply: HTTPReply) -> str:
    """The log line of a reply that breaks off; "" for any other."""
    if not reply.is_cut:
        return ""
    return note_line(f"{request_line(request.scope)}: {reply.end}, as set in the fixture")


async def frames(
    request: Request, reply: HTTPReply, seconds: float, stop: Stop
) -> AsyncIterator[bytes]:
    """The body of a reply as its client gets it.

    Args:
        seconds: the wait before each paced frame, which ends at a stop.
    """
    for frame in reply.frames:
        if frame.paced and seconds:
            await stop.pause(seconds)
        yield frame.data
    if reply.is_cut:
        await close_connection(request.scope, request.receive)


class OwningStream(StreamingResponse):
    """A streaming response that releases what its content uses, however it ends. (The ``finally``
    of a generator does not run if the client leaves before its first part.)
    """

    def __init__(
        self,
        content: AsyncIterator[bytes],
        resources: AsyncExitStack,
        *,
        status_code: int = 200,
        headers: Mapping[str, str],
    ) -> None:
        super().__init__(content, status_code, headers)
        self._resources = resources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._resources:
            await super().__call__(scope, receive, send)
