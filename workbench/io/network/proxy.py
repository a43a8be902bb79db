"""A proxy for the programs of a suite: it ends the TLS of the hosts of APIs and hands their
requests to our server; to other hosts it passes bytes on, and reads none.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from secrets import compare_digest
from typing import Final, Self
from urllib.parse import quote, urlsplit

from workbench.core.control_api import CLIENT_HEADER
from workbench.io.network.certificates import Certificates
from workbench.io.network.http_client import UPSTREAM_CONNECT_SECONDS
from workbench.io.network.offline import is_this_machine, refusal
from workbench.io.network.ports import address, listen
from workbench.io.network.proxy_request import (
    MAX_HEAD,
    ProxyError,
    ProxyRequest,
    read_request,
    send_body,
)
from workbench.io.network.user_proxy import Streams, UserProxy, connect

USER: Final = "workbench"
_ESTABLISHED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
_READ_BYTES: Final = 64 * 1024


@dataclass(kw_only=True)
class Proxy:
    """A proxy on 127.0.0.1 while its context is entered, in a thread of its own.

    Args:
        server_url: URL of our server.
        certificates: certificates of the intercepted hosts.
        user_proxy: the proxy for other hosts.
        password: required from clients; "" for none.
        is_offline: refuse other hosts, except this machine.

    Attributes:
        port: for requests to a proxy.
        tls_port: for clients that connect as if to the host itself.
        connected, refused: the other hosts, and the number of connections to each.
        distrusted: the hosts whose clients refused our certificate.
        unused: the hosts whose clients closed a connection without a request.
        used: the hosts that got a request.
    """

    server_url: str
    certificates: Certificates
    user_proxy: UserProxy | None = None
    password: str = ""
    is_offline: bool = False
    port: int = 0
    tls_port: int = 0
    connected: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    distrusted: Counter[str] = field(default_factory=Counter)
    unused: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        """Start. Raises OSError."""
        listeners = [listen("127.0.0.1", 0)[0] for _ in range(2)]
        self.port, self.tls_port = (listener.getsockname()[1] for listener in listeners)
        self._has_started = threading.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=asyncio.run, args=(self._listen(listeners),))
        self._thread.start()
        self._has_started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    @property
    def url(self) -> str:
        """As variables name it."""
        user = f"{USER}:{self.password}@" if self.password else ""
        return f"http://{user}127.0.0.1:{self.port}"

    async def _listen(self, listeners: list[socket.socket]) -> None:
        """Serve until the context is left; what is being passed on then is cut off."""
        # It would print a line for each client that leaves right after the beginning of TLS.
        logging.getLogger("asyncio").setLevel(logging.ERROR)
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._has_started.set()
        servers = [
            await asyncio.start_server(partial(self._serve, answer), sock=listener, limit=MAX_HEAD)
            for answer, listener in zip((self._answer, self._end_any_tls), listeners, strict=True)
        ]
        await self._stop.wait()
        for server in servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Connections

    async def _serve(
        self,
        answer: Callable[[Streams], Awaitable[None]],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Serve a connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await answer((reader, writer))
        except ProxyError as error:
            writer.write(_refusal(error))
        except (OSError, EOFError, UnicodeError, asyncio.LimitOverrunError):
            pass  # one side has disconnected, sends no HTTP, or uses an invalid host name
        except asyncio.CancelledError:  # at the end; asyncio would print it
            writer.transport.abort()
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _answer(self, client: Streams) -> None:
        """Answer the one request of a client that uses this as a proxy. Raises ProxyError."""
        request = await read_request(client[0])
        password, needed = request.password.encode(), self.password.encode()
        if needed and not compare_digest(password, needed):
            raise ProxyError("407 Proxy Authentication Required", "this proxy needs a password")
        if request.is_tunnel:
            await self._tunnel(request, client)
        else:
            await self._forward(request, client)

    async def _end_any_tls(self, client: Streams) -> None:
        """Answer a client that takes this for the target host."""
        await self._end_tls("", "", client)

    async def _tunnel(self, request: ProxyRequest, client: Streams) -> None:
        """Connect a client with a host."""
        if self.certificates.covers(request.host):
            # Nothing may be read between this and the beginning of TLS.
            client[1].write(_ESTABLISHED)
            await self._end_tls(request.host, _name(request), client)
            return
        host = await self._connect(request)
        client[1].write(_ESTABLISHED)
        await _join(_pump(client[0], host[1]), _pump(host[0], client[1]), host)

    async def _end_tls(self, host: str, name: str, client: Streams) -> None:
        """End the TLS of a client of an intercepted host, and forward the connection to our
        server.
        """
        reader, writer = client
        shown = host or "an API"
        try:
            await writer.start_tls(self.certificates.context(host))
            beginning = await reader.read(1)
        except ssl.SSLError as error:
            if "ALERT" in (error.reason or ""):  # sent by the client
                self.distrusted[shown] += 1
            return
        except ConnectionError:
            beginning = b""
        if not beginning:
            self.unused[shown] += 1
            return
        self.used.add(shown)
        if name:
            beginning += await reader.readuntil(b"\r\n") + _header(name)
        server = await self._server()
        server[1].write(beginning)
        await _join(_pump(reader, server[1]), _pump(server[0], writer), server)

    async def _forward(self, request: ProxyRequest, client: Streams) -> None:
        """Send a request that was sent in the clear, and its reply."""
        reader, writer = client
        head = request.head
        if self.certificates.covers(request.host):
            host = await self._server()
            if name := _name(request):
                line, end, rest = head.partition(b"\r\n")
                head = line + end + _header(name) + rest
        else:
            host = await self._connect(request)
        host[1].write(head)
        body = send_body(request.length, reader, host[1])
        await _join(body, _pump(host[0], writer), host)

    async def _server(self) -> Streams:
        parts = urlsplit(self.server_url)
        return await asyncio.open_connection(parts.hostname, parts.port, limit=MAX_HEAD)

    async def _connect(self, request: ProxyRequest) -> Streams:
        """A connection to a host that is not intercepted. Raises ProxyError."""
        is_here = is_this_machine(request.host)
        if self.is_offline and not is_here:
            self.refused[request.place] += 1
            raise ProxyError("403 Forbidden", refusal(request.place))
        user_proxy = None if is_here else self.user_proxy
        try:
            async with asyncio.timeout(UPSTREAM_CONNECT_SECONDS):
                streams = await connect(request.host, request.port, user_proxy, request.is_tls)
        except (OSError, UnicodeError) as error:
            place = address(request.host, request.port)
            reason = f"workbench run --intercept cannot connect to {place}: {error}"
            raise ProxyError("502 Bad Gateway", reason) from None
        if not is_here:
            self.connected[request.place] += 1
        return streams


def _name(request: ProxyRequest) -> str:
    """The name of the client process, sent as its user name: ASCII without blanks."""
    return quote(request.user, safe="") if request.user != USER else ""


def _header(name: str) -> bytes:
    return f"{CLIENT_HEADER}: {name}\r\n".encode("ascii")


async def _join(
    outgoing: Coroutine[None, None, None], incoming: Coroutine[None, None, None], host: Streams
) -> None:
    """Forward data between a client and a host in both directions, until one of the two breaks off.
    A connection that is closed on one side is closed on both.
    """
    directions = [asyncio.ensure_future(outgoing), asyncio.ensure_future(incoming)]
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        host[1].close()
        for direction in directions:
            direction.cancel()
        await asyncio.gather(*directions, return_exceptions=True)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on bytes. Raises EOFError at their end."""
    while data := await reader.read(_READ_BYTES):
        writer.write(data)
        await writer.drain()
    raise EOFError


def _refusal(error: ProxyError) -> bytes:
    body = f"{error}\n".encode("ascii", "replace")
    lines = [
        f"HTTP/1.1 {error.status}",
        "Content-Type: text/plain",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    if error.status.startswith("407"):
        lines.append('Proxy-Authenticate: Basic realm="workbench run"')
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body
