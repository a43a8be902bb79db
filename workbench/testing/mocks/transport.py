"""Requests of httpx clients answered in the process, without a socket.

The official client uses httpx2, the successor of httpx with the same interface under another name.
Which of the two is used is seen from the request.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import httpx

from workbench.testing.mocks.engine import Engine, Outgoing
from workbench.testing.mocks.http import handle

if TYPE_CHECKING:
    import httpx2

    class Httpx2Transport(httpx2.BaseTransport, httpx2.AsyncBaseTransport):
        """For type checkers: what clients of httpx2 declare as their transport."""

else:  # clients of httpx2 use any object, and httpx2 may not be installed

    class Httpx2Transport: ...


__tracebackhide__ = True  # failed tests show their own frames


class Transport(httpx.BaseTransport, httpx.AsyncBaseTransport, Httpx2Transport):
    """A transport for ``Client`` and ``AsyncClient`` of httpx and httpx2. It waits as long as the
    reply is delayed. If the delay is longer than the time-out of the client, it raises
    ``ReadTimeout`` at once.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def handle_request(self, request: Any) -> Any:
        return reply(request, self._answer(request, request.read()))

    async def handle_async_request(self, request: Any) -> Any:
        return await async_reply(request, self._answer(request, await request.aread()))

    def _answer(self, request: Any, body: bytes) -> Outgoing:
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = request.url.query.decode("ascii")
        sent = handle(self._engine, request.method, request.url.path, headers, body, query)
        if request.method == "HEAD":
            return replace(sent, reply=replace(sent.reply, frames=()))
        return sent


def reply(request: Any, sent: Outgoing) -> Any:
    """The library's response. Raises what the library raises for such a connection."""
    _sleep(_wait(request, sent.delay))
    return _response(request, sent, _parts(request, sent))


async def async_reply(request: Any, sent: Outgoing) -> Any:
    """The same for an async client."""
    await _async_sleep(_wait(request, sent.delay))
    return _response(request, sent, _async_parts(request, sent))


def _response(request: Any, sent: Outgoing, body: Iterator[bytes] | AsyncIterator[bytes]) -> Any:
    library = library_of(request)
    if sent.is_refused:
        raise library.ConnectError("Connection refused", request=request)
    if not sent.reply.status:
        raise library.RemoteProtocolError(
            "Server disconnected without sending a response.", request=request
        )
    kind = sent.reply.content_type
    named = [*([("content-type", kind)] if kind else []), *sent.reply.headers]
    # In bytes, as on the wire: the library accepts only ASCII in strings.
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in named]
    return library.Response(sent.reply.status, headers=headers, content=body, request=request)


def library_of(request: Any) -> Any:
    """The module ``httpx`` or ``httpx2`` that made a request."""
    return sys.modules[type(request).__module__.partition(".")[0]]


def _wait(request: Any, delay: float | None) -> float:
    """How long to wait. Raises the library's ReadTimeout if that is longer than its client does."""
    timeout = request.extensions.get("timeout", {}).get("read")
    if delay is None or (timeout is not None and delay > timeout):
        raise library_of(request).ReadTimeout("The read operation timed out", request=request)
    return delay


def _sleep(seconds: float) -> None:
    if seconds:  # time.sleep(0) lets other programs run first
        time.sleep(seconds)


async def _async_sleep(seconds: float) -> None:
    if seconds:
        import anyio  # as httpx itself does, for any event loop

        await anyio.sleep(seconds)


def _parts(request: Any, sent: Outgoing) -> Iterator[bytes]:
    for frame in sent.reply.frames:
        _sleep(_wait(request, sent.pause if frame.paced else 0.0))
        yield frame.data
    _require_complete(request, sent)


async def _async_parts(request: Any, sent: Outgoing) -> AsyncIterator[bytes]:
    for frame in sent.reply.frames:
        await _async_sleep(_wait(request, sent.pause if frame.paced else 0.0))
        yield frame.data
    _require_complete(request, sent)


def _require_complete(request: Any, sent: Outgoing) -> None:
    """Raises the library's RemoteProtocolError for a reply that is cut off."""
    if sent.reply.is_cut:
        raise library_of(request).RemoteProtocolError(
            "peer closed connection without sending complete message body "
            "(incomplete chunked read)",
            request=request,
        )
