"""One request over HTTP, whose reply is timed as its bytes arrive and can be given up meanwhile."""

from __future__ import annotations

import socket
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar
from urllib.parse import SplitResult, urlsplit

MAX_BODY: Final = 64 * 1024 * 1024
CONNECT_SECONDS: Final = 2.0
PATIENCE_SECONDS: Final = 60.0
PORTS: Final = {"http": 80, "https": 443}
# How long a wait lasts before it is asked whether to go on.
_TURN_SECONDS: Final = 0.05
_SLICE: Final = 1 << 16

_Result = TypeVar("_Result")


class NoServerError(Exception):
    """Nobody listens there; ``where`` is as the URL names it."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"no server at {where}: {reason}")
        self.where = where


class StoppedError(Exception):
    """The caller gave the request up."""


class _ClosedError(Exception):
    """The server closed the connection before the end of its reply."""


@dataclass(frozen=True, slots=True)
class TimedReply:
    """A reply and when it came, in seconds since its request was begun to be sent.

    Attributes:
        status: 0 where none came.
        headers: by their names in lower case.
        arrivals: after each read that brought some of the body, how many bytes of it there were,
            and when.
        problem: why the reply is not whole, "" where it is.
        is_cut: it is not, since the server closed the connection.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    arrivals: tuple[tuple[int, float], ...]
    problem: str = ""
    is_cut: bool = False

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "")

    def arrived(self, size: int) -> float:
        """When the first ``size`` bytes of the body were there; these have to be."""
        return self.arrivals[bisect_left(self.arrivals, (size, 0.0))][1]


def never() -> bool:
    return False


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    is_stopped: Callable[[], bool] = never,
    on_data: Callable[[bytes], None] | None = None,
    patience: float = PATIENCE_SECONDS,
) -> TimedReply:
    """POST ``body`` on a connection of its own and read the whole reply.

    Args:
        is_stopped: asked several times a second while this waits.
        on_data: gets each part of the body as it comes.
        patience: seconds to wait for the next bytes.

    Raises:
        NoServerError: no connection could be made.
        StoppedError: ``is_stopped`` said so.
    """
    parts = _split(url)
    head = [
        f"POST {parts.path or '/'} HTTP/1.1",
        f"Host: {host_and_port(url)}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    request = "\r\n".join([*head, "", ""]).encode("latin-1") + body
    patient = _Patience(is_stopped, patience)
    reply = _Reply(on_data)
    is_cut = False
    with _connect(url, parts) as connection:
        connection.settimeout(_TURN_SECONDS)
        started = time.perf_counter()
        try:
            _send(connection, request, patient)
            problem = _receive(connection, reply, patient, started)
        except _ClosedError as error:
            problem, is_cut = str(error), True
        except TimeoutError:
            problem = f"nothing came for {patience:g} s"
        except OSError as error:
            problem, is_cut = error.strerror or str(error), True
    return TimedReply(
        reply.status, reply.headers, bytes(reply.body), tuple(reply.arrivals), problem, is_cut
    )


def host_and_port(url: str) -> str:
    """Host and port as a URL names them; the URL itself where it names none."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2] or url
    except ValueError:
        return url


def _split(url: str) -> SplitResult:
    """The parts of a URL that can be asked. Raises NoServerError where it is none."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in PORTS and parts.hostname and url.isascii() and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise NoServerError(host_and_port(url), "this is no URL of a server")
    return parts


def _connect(url: str, parts: SplitResult) -> socket.socket:
    host = parts.hostname or ""
    try:
        address = (host, parts.port or PORTS[parts.scheme])
        connection = socket.create_connection(address, CONNECT_SECONDS)
        if parts.scheme == "http":
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        return _encrypted(connection, host)
    except OSError as error:
        raise NoServerError(host_and_port(url), error.strerror or str(error)) from None
    except UnicodeError:  # of a name that no host can have
        raise NoServerError(host_and_port(url), "this is no name of a host") from None


def _encrypted(connection: socket.socket, host: str) -> socket.socket:
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    except OSError:
        connection.close()
        raise


class _Patience:
    """Waits in short turns, so that the wait can be given up."""

    def __init__(self, is_stopped: Callable[[], bool], seconds: float) -> None:
        self._is_stopped = is_stopped
        self._seconds = seconds

    def until(self, act: Callable[[], _Result]) -> _Result:
        """The result of ``act``, a call of a socket whose time-out is one turn.

        Raises:
            StoppedError: the caller gives up.
            TimeoutError: ``seconds`` are over.
        """
        deadline = time.monotonic() + self._seconds
        while True:
            if self._is_stopped():
                raise StoppedError
            try:
                return act()
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise


class _Reply:
    """Takes a reply from the parser, part by part."""

    def __init__(self, on_data: Callable[[bytes], None] | None) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.arrivals: list[tuple[int, float]] = []
        self.is_complete = False
        self._on_data = on_data
        self._has_end = False

    def on_message_begin(self) -> None:
        """A reply may come behind others that only announce it (1xx)."""
        self.is_complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        key = name.decode("latin-1").lower()
        self.headers[key] = value.decode("latin-1")
        if key in ("content-length", "transfer-encoding"):
            self._has_end = True

    def on_body(self, data: bytes) -> None:
        self.body += data
        if self._on_data is not None:
            self._on_data(data)

    def on_message_complete(self) -> None:
        self.is_complete = True

    def taken(self, at: float) -> None:
        """Note when what was just parsed had come."""
        if len(self.body) > (self.arrivals[-1][0] if self.arrivals else 0):
            self.arrivals.append((len(self.body), at))

    def closed(self) -> None:
        """The server closes the connection.

        Raises:
            _ClosedError: that is not how the reply ends.
        """
        if not self.status:
            raise _ClosedError("the server closed the connection without a reply")
        if self._has_end:
            raise _ClosedError("the server closed the connection before the end")


def _send(connection: socket.socket, request: bytes, patient: _Patience) -> None:
    rest = memoryview(request)
    while rest:
        rest = rest[patient.until(partial(connection.send, rest)) :]


def _receive(connection: socket.socket, reply: _Reply, patient: _Patience, started: float) -> str:
    """Read into ``reply``; returns what is wrong with it, "" where nothing is. Raises OSError,
    _ClosedError, and as ``_Patience.until``.
    """
    import httptools

    parser = httptools.HttpResponseParser(reply)
    while True:
        data = patient.until(partial(connection.recv, _SLICE))
        at = time.perf_counter() - started
        if not data:
            reply.closed()
            return ""
        try:
            parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            return "what came is not HTTP"
        reply.status = parser.get_status_code()
        reply.taken(at)
        if reply.is_complete and reply.status >= 200:
            return ""
        if len(reply.body) > MAX_BODY:
            return f"the reply is longer than {MAX_BODY // (1024 * 1024)} MiB"
