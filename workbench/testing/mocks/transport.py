"""Requests of httpx clients answered in the process, without a socket.

The official client rides on httpx2, the successor of httpx with the same interface under another
name; which of the two is meant is seen from the request.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from workbench.testing.mocks.outgoing import Outgoing
from workbench.testing.mocks.routes import handle

if TYPE_CHECKING:
    from workbench.testing.mocks.engine import Engine


class Transport:
    """A transport for ``Client`` and ``AsyncClient`` alike. Delays are real; a reply that comes
    later than its client waits is a ``ReadTimeout`` at once.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def handle_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        sent = self._answer(request, request.read())
        time.sleep(_delay(request, sent))
        return response(request, sent)

    async def handle_async_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        sent = self._answer(request, await request.aread())
        await _sleep(_delay(request, sent))
        return response(request, sent)

    def _answer(self, request: Any, body: bytes) -> Outgoing:
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = request.url.query.decode("ascii")
        return handle(self._engine, request.method, request.url.path, headers, body, query)

    def close(self) -> None:
        """There is nothing to close; clients ask for it."""

    async def aclose(self) -> None:
        """As ``close``."""

    def __enter__(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


async def _sleep(seconds: float) -> None:
    if seconds:
        import anyio  # what httpx's own clients sleep with, whatever loop they run in

        await anyio.sleep(seconds)


def _library(request: Any) -> Any:
    return sys.modules[type(request).__module__.partition(".")[0]]


def _delay(request: Any, sent: Outgoing) -> float:
    """How long to wait before the reply. Raises the library's ReadTimeout."""
    __tracebackhide__ = True
    _require_patience(request, sent.delay)
    assert sent.delay is not None
    return sent.delay


def _require_patience(request: Any, delay: float | None) -> None:
    __tracebackhide__ = True
    patience = request.extensions.get("timeout", {}).get("read")
    if delay is None or (patience is not None and delay > patience):
        raise _library(request).ReadTimeout("The read operation timed out", request=request)


def response(request: Any, sent: Outgoing) -> Any:
    """Raises the library's ConnectError where the connection is refused, and its
    RemoteProtocolError where it ends before the reply.
    """
    __tracebackhide__ = True
    library = _library(request)
    if sent.is_refused:
        raise library.ConnectError("Connection refused", request=request)
    if not sent.reply.status:
        raise library.RemoteProtocolError(
            "Server disconnected without sending a response.", request=request
        )
    return library.Response(
        sent.reply.status,
        headers=[("content-type", sent.reply.content_type), *sent.reply.headers],
        stream=_stream_class(library.__name__)(request, sent),
        request=request,
    )


@lru_cache
def _stream_class(library_name: str) -> Any:
    """The class of our bodies; the library's clients insist on one of theirs."""
    library: Any = sys.modules[library_name]

    class Body(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, request: Any, sent: Outgoing) -> None:
            self._request = request
            self._sent = sent

        def __iter__(self) -> Iterator[bytes]:
            __tracebackhide__ = True
            for pause, part in self._paced():
                time.sleep(pause)
                yield part
            self._end()

        async def __aiter__(self) -> AsyncIterator[bytes]:
            __tracebackhide__ = True
            for pause, part in self._paced():
                await _sleep(pause)
                yield part
            self._end()

        def _paced(self) -> Iterator[tuple[float, bytes]]:
            __tracebackhide__ = True
            for frame in self._sent.reply.frames:
                pause = self._sent.pause if frame.paced else 0.0
                _require_patience(self._request, pause)
                yield pause, frame.data

        def _end(self) -> None:
            __tracebackhide__ = True
            if self._sent.reply.is_cut:
                raise library.RemoteProtocolError(
                    "peer closed connection without sending complete message body "
                    "(incomplete chunked read)",
                    request=self._request,
                )

    return Body
