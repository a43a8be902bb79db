"""HTTP as uvicorn speaks it, with connections that an application can close on its own, replies
that go out in one piece, and requests that offer another protocol read as what they are without it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# The ASGI extension that closes the connection behind what was written: nothing more is sent.
CLOSE: Final = "workbench.close"
# The one that tells whether the whole body is here, so that it need not be waited for.
BODY: Final = "workbench.body"

_FRAMING: Final = (b"content-length", b"transfer-encoding")


class Protocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._renew_parser()
        self._is_declining = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(_Joining(transport))  # type: ignore[arg-type]  # all it asks for

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
            super().on_message_begin()

    def on_headers_complete(self) -> None:
        if not self._is_declining:
            super().on_headers_complete()
            self.scope["extensions"] = {
                CLOSE: {"close": self.transport.close},
                BODY: {"cycle": self.cycle},
            }
        self._is_declining = False

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            super().on_message_complete()


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
