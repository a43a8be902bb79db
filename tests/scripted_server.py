"""A server that answers byte for byte what a test says."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Self

# Gets a connection whose request was read, and the request.
Answer = Callable[[socket.socket, bytes], object]

PATIENCE_SECONDS = 60


class ScriptedServer:
    """Listens inside a ``with`` block and answers each connection with ``answer``.

    Attributes:
        requests: what was asked, in order, head and body.
    """

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.requests: list[bytes] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE_SECONDS)
        self._listener.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            # The client may hang up whenever it likes.
            with connection, contextlib.suppress(ConnectionError):
                connection.settimeout(PATIENCE_SECONDS)
                request = _read_request(connection)
                self.requests.append(request)
                self._answer(connection, request)


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    lengths = [line.split(b":")[1] for line in lines if line.startswith(b"content-length")]
    while len(body) < int((lengths or [b"0"])[0]):
        body += _more(connection)
    return head + b"\r\n\r\n" + body


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionResetError
    return data


def reply(body: bytes, kind: str = "application/json", status: str = "200 OK") -> bytes:
    """A whole reply."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def chunk(data: bytes) -> bytes:
    """A part of a reply whose length is not known; b"" is the last."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


CHUNKED_STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)
