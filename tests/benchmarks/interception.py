"""Row 34: a request that comes through interception, beside the same one over plain HTTP.

What is measured is the time that the processes of the server and of the proxy compute for it.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks import installed
from tests.benchmarks.place import PROGRAMS, Place
from tests.benchmarks.server import OURS, PATIENCE_SECONDS, Server, asked_of, running
from tests.benchmarks.table import NotMeasuredError, Row
from tests.server.load import Connection

HOST = "api.openai.com"
REQUESTS = 10_000


class Proxy(NamedTuple):
    """One that listens.

    Attributes:
        certificate: the file with that of its authority.
    """

    process: subprocess.Popen[bytes]
    port: int
    certificate: Path


@contextlib.contextmanager
def ours(place: Place, server: int) -> Iterator[Proxy]:
    certificate = place.folder / "proxy.pem"
    command = [sys.executable, str(PROGRAMS / "proxy.py"), f"http://127.0.0.1:{server}"]
    process = subprocess.Popen([*command, str(certificate)], stdout=subprocess.PIPE)
    with ended(process):
        assert process.stdout is not None
        yield Proxy(process, int(process.stdout.readline()), certificate)


@contextlib.contextmanager
def mitmdump(place: Place, server: int) -> Iterator[Proxy]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    folder = place.folder / "mitmdump"
    # It asks no other machine for its certificate.
    settings = (
        *(f"confdir={folder}", f"listen_port={port}"),
        *("connection_strategy=lazy", "upstream_cert=false"),
    )
    command = [
        *(installed.program("mitmproxy", "mitmdump"), "--quiet", "--listen-host", "127.0.0.1"),
        *(word for setting in settings for word in ("--set", setting)),
        *("--map-remote", f"|https://[^/]+/|http://127.0.0.1:{server}/"),
    ]
    process = subprocess.Popen(command)
    with ended(process):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                yield Proxy(process, port, folder / "mitmproxy-ca-cert.pem")
                return
            time.sleep(0.01)
        raise NotMeasuredError("mitmdump does not start")


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ends a process with the context."""
    try:
        yield
    finally:
        process.kill()
        process.communicate()


def per_request(
    proxy_for: Callable[[Place, int], AbstractContextManager[Proxy]] | None,
) -> Callable[[Place], float]:
    """Microseconds that are computed for a request; without a proxy, over plain HTTP."""
    requests = [asked_of("chat", number, stream=False) for number in range(20)]

    def measure(place: Place) -> float:
        with running(place, OURS) as server:
            if proxy_for is None:
                return server.microseconds_of(requests, REQUESTS)
            with proxy_for(place, server.port) as proxy:
                context = ssl.create_default_context(cafile=str(proxy.certificate))
                opening = partial(Connection.through, host=HOST, context=context)
                behind = Server(proxy.port, *server.processes, proxy.process, opening=opening)
                return behind.microseconds_of(requests, REQUESTS)

    return measure


WHAT = "server CPU per request, intercepted"
ROWS = [
    Row(34, WHAT, "over plain HTTP", 2.0, per_request(ours), per_request(None), "µs"),
    Row(34, WHAT, "mitmdump", None, per_request(ours), per_request(mitmdump), "µs"),
]
