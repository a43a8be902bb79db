"""What the tests of the proxy talk to: servers over HTTP and TLS, and a proxy of the user."""

from __future__ import annotations

import base64
import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import trustme

from workbench.core.apis.hosts import Hosts
from workbench.io.network.certificates import Certificates
from workbench.io.network.proxy import Proxy

PATIENCE_SECONDS = 30


class Echo(BaseHTTPRequestHandler):
    """Replies with what was asked."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        if self.headers["Transfer-Encoding"] == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        asked = {"path": self.path, "headers": dict(self.headers), "body": body.decode()}
        reply = json.dumps(asked).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None: ...


@contextlib.contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port of a server that replies with what it is asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.daemon_threads = True
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_port
        server.shutdown()


def tls_of(authority: trustme.CA, host: str) -> ssl.SSLContext:
    """The context of a server that has a certificate for ``host``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


def trusting(authority: str) -> ssl.SSLContext:
    """The context of a client that trusts one authority alone."""
    return ssl.create_default_context(cadata=authority)


def certificates() -> Certificates:
    return Certificates(Hosts().has)


class OwnProxy:
    """A proxy of the user, for which every host is on this machine.

    Attributes:
        port: where it listens.
        heads: of the requests that it got.
    """

    def __init__(self, target: int, credentials: str = "") -> None:
        self.heads: list[str] = []
        self._target = target
        self._credentials = base64.b64encode(credentials.encode()).decode() if credentials else ""

    def __enter__(self) -> OwnProxy:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # ends accept(), too
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._target)) as host:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += client.recv(1)
            self.heads.append(head.decode())
            needed = f"Proxy-Authorization: Basic {self._credentials}\r\n"
            if self._credentials and needed not in head.decode():
                client.sendall(b"HTTP/1.1 407 No\r\n\r\n")
                return
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            copying = threading.Thread(target=_copy, args=(client, host), daemon=True)
            copying.start()
            _copy(host, client)
            copying.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def connected(proxy: Proxy) -> socket.socket:
    """A connection to a proxy."""
    return socket.create_connection(("127.0.0.1", proxy.port), PATIENCE_SECONDS)


def asked(proxy: Proxy, request: bytes) -> bytes:
    """All that a proxy replies to a request."""
    with connected(proxy) as client:
        client.sendall(request)
        reply = b""
        with contextlib.suppress(ConnectionResetError):
            while data := client.recv(65536):
                reply += data
    return reply
