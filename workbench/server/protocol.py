"""HTTP as uvicorn speaks it, with connections that an application can close on its own, replies
that go out in one piece, requests that offer another protocol read as what they are without it,
clients that say they are done and still listen, and heads within bounds.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import Any, Final

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from workbench.core import wire

# The ASGI extension that closes the connection behind what was written: nothing more is sent.
CLOSE: Final = "workbench.close"
# The one that tells whether the whole body is here, so that it need not be waited for.
BODY: Final = "workbench.body"
# The one of a client that sends nothing more. Most of those hung up; some read their reply.
ENDED: Final = "workbench.ended"
# The one of HTTP/1.0, which does not know chunks: a reply without a length is sent as it is, and
# ends with its connection.
UNTIL_CLOSE: Final = "workbench.until_close"

# Of a head, beyond the piece it begins in; and how long it may take.
MAX_HEAD: Final = 64 * 1024
HEAD_SECONDS: Final = 60.0
# So many requests may wait for the reply to one before them; no client sends as many.
MAX_WAITING: Final = 100
# Connections of a pool are reused after pauses; a suite must not lose the race with a close.
KEEP_ALIVE_SECONDS: Final = 75
# Those who take their reply slowly, or do not finish their request, are left after this.
STOP_SECONDS: Final = 1
# So long what follows a refusal is taken in: a client that is cut off never reads why.
LINGER_SECONDS: Final = 5.0

_FRAMING: Final = (b"content-length", b"transfer-encoding")


class Protocol(HttpToolsProtocol):
    """One connection.

    Attributes:
        is_refused: nothing more of what comes is read.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._renew_parser()
        self._is_declining = False
        self.is_refused = False
        self._is_in_head = False
        self._heads = 0
        self._head_size = 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(_Joining(transport))  # type: ignore[arg-type]  # all it asks for

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_timer()
        # Also of one that was reset: its timer would keep all of it for as long as that runs.
        self._unset_keepalive_if_required()

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client sends nothing more. Whether the connection stays open to it: where it has
        asked something and is answered without a wait.
        """
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            self.transport.close()  # behind what is written
            return False
        cycle.keep_alive = False
        cycle.scope["extensions"][ENDED] = {}
        cycle.message_event.set()
        return True

    def data_received(self, data: bytes) -> None:
        if self.is_refused:
            return
        heads = self._heads
        super().data_received(data)
        if self._is_in_head and not self.transport.is_closing():
            self._bound_head(len(data) if self._heads == heads else 0)

    # Heads within bounds

    def _bound_head(self, more: int) -> None:
        self._head_size += more
        if self._head_size > MAX_HEAD:
            self._refuse(431, "head_too_long", f"the head is longer than {MAX_HEAD // 1024} KiB")
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._head_is_late)

    def _head_is_late(self) -> None:
        if not self.transport.is_closing():
            message = f"the head of the request took longer than {HEAD_SECONDS:g} s"
            self._refuse(408, "head_incomplete", message)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int, code: str, message: str) -> None:
        self.logger.warning(message)
        self._end_with(status, code, message)

    def send_400_response(self, msg: str) -> None:
        self._end_with(400, "invalid_http", msg)

    def _end_with(self, status: int, code: str, message: str) -> None:
        """Close the connection behind an error; where requests before it wait for their replies,
        behind those.
        """
        self.is_refused = True
        cycle: RequestResponseCycle | None = self.cycle
        error = _error(status, code, message)
        if cycle is None or cycle.response_complete:
            self.transport.write(error)
            self.transport.write_eof()
            self._stop_timer()
            self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)
        elif not cycle.more_body:
            cycle.keep_alive = False
        else:
            if not (cycle.response_started or self.pipeline):
                self.transport.write(error)
            self.transport.close()

    # What the parser finds

    def _renew_parser(self) -> None:
        self.parser = _Parser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

    def decline_upgrade(self, rest: bytes) -> None:
        """Go on with a request whose head offers an upgrade, with what came behind that head."""
        self._is_declining = True
        framing = [name + b": " + value for name, value in self.headers if name in _FRAMING]
        # The parser that read the head takes nothing more where the head says "close".
        self._renew_parser()
        self.parser.feed_data(b"\r\n".join([b"POST / HTTP/1.1", *framing, b"", rest]))

    def on_message_begin(self) -> None:
        if not self._is_declining:
            self._is_in_head = True
            self._heads += 1
            self._head_size = 0
            super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._is_in_head:  # behind a body they would pass for the head's
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if not self._is_declining:
            self._is_in_head = False
            self._stop_timer()
            super().on_headers_complete()
            self.scope["extensions"] = {
                CLOSE: {"close": self.transport.close},
                BODY: {"cycle": self.cycle},
            }
            if self.scope["http_version"] == "1.0":
                begin = partial(_send_until_close, self.cycle)
                self.scope["extensions"][UNTIL_CLOSE] = {"begin": begin}
        self._is_declining = False

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            super().on_message_complete()
        if len(self.pipeline) > MAX_WAITING:
            message = f"more than {MAX_WAITING} requests wait on one connection"
            self._refuse(429, "too_many_requests", message)
            raise _EnoughError


def uvicorn_config(app: Any) -> uvicorn.Config:
    """How uvicorn serves the ASGI application ``app``: whatever the environment says, with a log
    of its own.
    """
    return uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        workers=1,  # else the environment's WEB_CONCURRENCY is read
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


def _send_until_close(cycle: RequestResponseCycle) -> None:
    """Have the body of a reply written as it comes, neither in chunks nor against a length."""
    cycle.chunked_encoding = False
    cycle.expected_content_length = sys.maxsize


class _EnoughError(Exception):
    """Ends the reading of a piece in its middle."""


def _error(status: int, code: str, message: str) -> bytes:
    """The reply to what is no request."""
    body = wire.error_body(message, code=code)
    head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n"
    return STATUS_LINE[status] + head % len(body) + body


class _Joining:
    """Sends what is written in one turn of the event loop at once: the head of a reply and its
    body are two writes, and each would be a call of the system.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._waiting: list[bytes] = []
        self._call_soon = asyncio.get_running_loop().call_soon
        self.is_closing = transport.is_closing
        self.get_extra_info = transport.get_extra_info
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading

    def write(self, data: Any) -> None:
        if not self._waiting:
            self._call_soon(self._send)
        self._waiting.append(data)

    def _send(self) -> None:
        if self._waiting:
            data, self._waiting = b"".join(self._waiting), []
            self._transport.write(data)

    def write_eof(self) -> None:
        self._send()
        self._transport.write_eof()

    def close(self) -> None:
        self._send()
        self._transport.close()


class _Parser(httptools.HttpRequestParser):
    """Ends a request that offers an upgrade behind its head, as every HTTP parser does: what
    follows is the other protocol's. Nobody here speaks one, and clients such as Java's offer it
    with each request, whose body follows all the same.
    """

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol)
        self._protocol = protocol

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]  # uvicorn has bytes
        try:
            super().feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            self._protocol.decline_upgrade(data[offer.args[0] :])
        except httptools.HttpParserCallbackError:
            if not self._protocol.is_refused:
                raise
