"""The connections of the server: uvicorn's, with features that its settings do not offer.

- The size of a request's head is limited. (uvicorn does so only with its other parser, h11.)
- A client that closes its sending side after a request gets the reply, if it follows soon.
- If a connection is lost, each of its requests is notified. (uvicorn notifies only the last one.)
- The application can close the connection of a request, and store a name with it, through the
  state of the request.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from workbench.core.replies.http_reply import ENVELOPE_TYPE, json_body

# The key of the connection in the state of a request.
_CONNECTION: Final = "workbench.connection"

MAX_HEAD: Final = 64 * 1024
"""Limit for the request line and headers, in bytes; also for trailers and the like."""
# A refused client has this time to read why, before the connection is closed.
LINGER_SECONDS: Final = 1
# A client that has closed its sending side may be gone. Its connection is kept for this time.
HALF_CLOSED_SECONDS: Final = 1

_TOO_LONG: Final = f"the head of a request is longer than {MAX_HEAD // 1024} KiB"

_logger = logging.getLogger(__name__)


@dataclass
class Connection:
    """A connection of a client, and the name that the client gave it."""

    transport: asyncio.Transport
    name: str = ""


class ConnectionProtocol(HttpToolsProtocol):
    """One connection. The callbacks ``on_…`` are called by httptools."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, _CONNECTION: Connection(transport)}
        # Bytes since the parser last finished a head, or got a part of a body.
        self._head_size = 0
        self._is_refused = False
        # The requests without a complete reply: the current one, then waiting ones.
        self._cycles: list[RequestResponseCycle] = []

    def data_received(self, data: bytes) -> None:
        """Parse received data; refuse a head that is too long."""
        while data and not self._is_refused:
            part = data[: MAX_HEAD - self._head_size]
            data = data[len(part) :]
            self._head_size += len(part)
            super().data_received(part)
            if self.transport.is_closing():  # it was not HTTP
                return
            if self._head_size == MAX_HEAD:
                self._refuse()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self.pipeline:
            waiting = [cycle for cycle in self._cycles if not cycle.response_complete]
            self._cycles = [*waiting, self.cycle]
        else:
            self._cycles = [self.cycle]
        self._head_size = 0

    def on_body(self, body: bytes) -> None:
        super().on_body(body)
        self._head_size = 0

    def eof_received(self) -> bool:  # type: ignore[override]
        """The client has closed its side. Return True if the connection stays open for replies."""
        if not self._owes_replies:
            return False
        self.shutdown()  # after the replies
        self.loop.call_later(HALF_CLOSED_SECONDS, self.transport.close)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Notify each request that its client is gone; uvicorn notifies only the last one."""
        for cycle in self._cycles:
            if not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        super().connection_lost(exc)

    @property
    def _owes_replies(self) -> bool:
        """True if the last request was received completely and waits for its reply."""
        if not self._cycles:
            return False
        last = self._cycles[-1]
        return not (last.more_body or last.response_complete)

    def _refuse(self) -> None:
        _logger.warning("refused a request: %s", _TOO_LONG)
        self._is_refused = True
        if self._owes_replies:
            self.shutdown()  # after these
        else:
            self.transport.write(_refusal())
            self.loop.call_later(LINGER_SECONDS, self.transport.close)


def _refusal() -> bytes:
    error = {"message": _TOO_LONG, "type": "invalid_request_error", "code": "head_too_long"}
    body = json_body({"error": {**error, "param": None}})
    head = (
        "HTTP/1.1 431 Request Header Fields Too Large",
        f"content-type: {ENVELOPE_TYPE}",
        f"content-length: {len(body)}",
        "connection: close",
    )
    return "\r\n".join([*head, "", ""]).encode("ascii") + body


def connection_of(scope: Scope) -> Connection | None:
    """The connection of a request; None if another server has it."""
    connection: Connection | None = scope["state"].get(_CONNECTION)
    return connection


async def close_connection(scope: Scope, receive: Receive) -> None:
    """Close the connection of a request once what was sent is out; returns when it is closed. ASGI
    has no message for that.
    """
    connection = connection_of(scope)
    assert connection is not None
    connection.transport.close()
    while (await receive())["type"] != "http.disconnect":
        pass


class NoResponse(Response):
    """Closes the connection instead of replying."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await close_connection(scope, receive)
