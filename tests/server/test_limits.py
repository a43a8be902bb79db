"""Many clients, slow clients, and clients that vanish: the others do not notice."""

from __future__ import annotations

import json
import resource
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from tests.server.running import RunningServer, wait_until
from workbench.core.digest import digest

IDLE = 2000


@contextmanager
def many_files() -> Iterator[None]:
    """Let this process open as many files as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def head_of(body: bytes, *headers: bytes) -> bytes:
    lines = [b"POST /v1/chat/completions HTTP/1.1", b"Host: x", *headers]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"", b""])


def connect(server: RunningServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), 60)


def vanish(client: socket.socket) -> None:
    """Close with a reset, as a client that is killed does."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_NOFILE)[1] < IDLE + 200, reason="too few files may be open"
)
def test_idle_connections_are_nothing(server: RunningServer) -> None:
    with many_files(), ExitStack() as idle:
        for _ in range(IDLE):
            idle.enter_context(connect(server))
        assert server.request("GET", "/healthz").status == 200
    assert "Traceback" not in server.log()


def test_slow_bodies_do_not_hold_up_others(server: RunningServer) -> None:
    body = json.dumps({"model": "of a slow client"}).encode()
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(server)) for _ in range(20)]
        for client in slow:
            client.sendall(head_of(body, b"Connection: close") + body[:5])
        assert server.request("GET", "/healthz").status == 200
        for byte in body[5:]:
            for client in slow:
                client.sendall(bytes([byte]))
        for client in slow:
            with client.makefile("rb") as file:
                assert b"of a slow client" in file.read()


@pytest.mark.parametrize(
    "header", [b"X-Mock-LLM-Total-Delay-Ms", b"X-Mock-LLM-Stream-Chunk-Delay-Ms"]
)
def test_clients_that_vanish_are_nothing(server: RunningServer, header: bytes) -> None:
    before = server.log_size()
    body = json.dumps({"model": "vanishing", "stream": True}).encode()
    for _ in range(10):
        client = connect(server)
        client.sendall(head_of(body, header + b": 200") + body)
        if b"Chunk" in header:
            client.recv(10)
        vanish(client)
    assert server.request("GET", "/healthz").status == 200
    wait_until("ten misses", lambda: server.log(before).count("unknown fixture hash") == 10)
    time.sleep(0.5)
    assert server.request("GET", "/healthz").status == 200
    assert "Traceback" not in server.log(before)
    assert "rror" not in server.log(before)


def test_clients_that_do_not_read_do_not_hold_up_others(server: RunningServer) -> None:
    long = {"model": "m", "messages": [{"role": "user", "content": "x" * 4_000_000}]}
    body = json.dumps({"input": [["deaf"]] * 200, **long}).encode()
    with ExitStack() as stack, ThreadPoolExecutor(4) as others:
        for _ in range(4):
            client = stack.enter_context(connect(server))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(head_of(body).replace(b"chat/completions", b"embeddings") + body)
        replies = [others.submit(server.request, "GET", "/healthz") for _ in range(8)]
        assert all(reply.result(60).status == 200 for reply in replies)


def share_of_wait(server: RunningServer, asked: Future[Any]) -> float:
    """How much of the time until a long request is answered the longest short one beside it takes:
    however busy the machine is, nearly all of it if that has to wait for the long one.
    """
    longest, begun = 0.0, time.monotonic()
    while not asked.done():
        sent = time.monotonic()
        assert server.request("GET", "/healthz").status == 200
        longest = max(longest, time.monotonic() - sent)
    return longest / (time.monotonic() - begun)


def post_beside(server: RunningServer, path: str, payload: object) -> float:
    """Post a long request, which is answered; returns ``share_of_wait``."""
    body = json.dumps(payload).encode()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(server.request, "POST", path, body)
        share = share_of_wait(server, asked)
        assert asked.result().status == 200
    return share


MOST_OF_IT = 0.6
WORDS = [{"role": "user", "content": f"word {number}"} for number in range(30_000)]
CALLS = [
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": number}}}]}
    for number in range(12_000)
]


@pytest.mark.parametrize(
    ("path", "payload"),
    [
        ("/v1/chat/completions", {"model": "m", "messages": WORDS}),
        ("/v1/responses", {"model": "m", "input": WORDS}),
        ("/v1/messages", {"model": "m", "max_tokens": 9, "messages": WORDS}),
        ("/v1beta/models/m:generateContent", {"contents": CALLS}),
        ("/v1/messages/count_tokens", {"model": "m", "messages": WORDS}),
    ],
)
def test_others_are_answered_beside_a_long_request(
    server: RunningServer, path: str, payload: object
) -> None:
    assert post_beside(server, path, payload) < MOST_OF_IT


LONG = {"response": {"content": "own"}, "_remarks": [{"number": n} for n in range(200_000)]}


def test_others_are_answered_beside_a_long_fixture(server: RunningServer) -> None:
    asked: dict[str, Any] = {"model": "long", "messages": []}
    server.write_fixture(digest(asked), LONG)
    assert post_beside(server, "/v1/chat/completions", asked) < MOST_OF_IT
    assert server.chat(asked).content == "own"


def test_others_are_answered_beside_a_long_fixture_that_is_waited_for(
    server: RunningServer,
) -> None:
    payload: dict[str, Any] = {"model": "long, held", "messages": []}
    server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
    try:
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(server.chat, payload)
            wait_until("held", lambda: server.request("GET", "/__workbench/held").json())
            server.write_fixture(digest(payload), LONG)
            assert share_of_wait(server, asked) < MOST_OF_IT
            assert asked.result().content == "own"
    finally:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
