"""Connections: what of them is HTTP, where they end, and what is still answered before that."""

from __future__ import annotations

import json
import socket
import time

import pytest

from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from workbench.server import protocol
from workbench.testing.server import MockServer

HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
BODY = b'{"model": "m"}'
ASK = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
MEBIBYTE = 1024 * 1024

pytestmark = pytest.mark.usefixtures("server_is_none_the_worse")


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)


def hear(client: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    heard = bytearray()
    while data := client.recv(65_536):
        heard += data
    return bytes(heard)


def tell(server: RunningServer, data: bytes, *, ends: bool = False) -> bytes:
    """Send ``data``, and nothing after it if it ``ends``; returns all that is said to it."""
    with connect(server.port) as client:
        client.sendall(data)
        if ends:
            client.shutdown(socket.SHUT_WR)
        return hear(client)


def statuses(heard: bytes) -> list[int]:
    return [int(part[:3]) for part in heard.split(b"HTTP/1.1 ")[1:]]


# Clients that end their side and still listen


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_has_said_all_is_answered(
    server: RunningServer, count: int, stream: bool
) -> None:
    body = json.dumps({"model": "m", "stream": stream}).encode()
    ask = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    heard = tell(server, ask * count, ends=True)
    assert statuses(heard) == [200] * count
    assert heard.endswith(b"0\r\n\r\n" if stream else b"}\n")


def test_a_reply_that_was_sent_arrives_whole(server: RunningServer) -> None:
    long = json.dumps({"input": ["a"] * 200}).encode()
    ask = ASK.partition(b"Content-Length")[0].replace(b"chat/completions", b"embeddings")
    with connect(server.port) as client:
        client.sendall(ask + b"Content-Length: %d\r\n\r\n%s" % (len(long), long))
        first = client.recv(100)
        client.shutdown(socket.SHUT_WR)
        heard = first + hear(client)
    head, _, body = heard.partition(b"\r\n\r\n")
    assert b"content-length: %d\r\n" % len(body) in head + b"\r\n"


def test_a_client_that_ends_its_side_while_it_waits_is_gone(server: RunningServer) -> None:
    with connect(server.port) as client:
        client.sendall(HEAD + b"X-Mock-LLM-Total-Delay-Ms: 600000\r\n" + ASK[len(HEAD) :])
        client.shutdown(socket.SHUT_WR)
        assert hear(client) == b""


def test_a_client_that_ends_its_side_leaves_the_held(server: RunningServer) -> None:
    def held() -> list[int]:
        return [entry["clients"] for entry in server.request("GET", "/__workbench/held").json()]

    held_body = b'{"model": "of one that is held"}'  # others would wait with it
    hold = server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
    assert hold.status == 200
    try:
        with connect(server.port) as client:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(held_body) + held_body)
            wait_until("held", lambda: held() == [1])
            client.shutdown(socket.SHUT_WR)
            wait_until("gone", lambda: held() == [])
            assert hear(client) == b""
    finally:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')


def test_half_a_request_and_no_more_is_nothing(server: RunningServer) -> None:
    before = server.log_size()
    assert tell(server, ASK[:-1], ends=True) == b""
    assert tell(server, GET[:-1], ends=True) == b""
    assert server.log(before) == ""


# What is no HTTP


SMUGGLED = b"0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED,
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + SMUGGLED,
        b"Content-Length: 14\r\nContent-Length: 5\r\n\r\n" + BODY,
        b"Content-Length: 14\r\nContent-Length: 14\r\n\r\n" + BODY,
        b"Content-Length: +14\r\n\r\n" + BODY,
        b"Content-Length: -1\r\n\r\n" + BODY,
        b"Content-Length: 99999999999999999999999\r\n\r\n" + BODY,
        b"Transfer-Encoding: xchunked\r\n\r\n" + SMUGGLED,
        b"Transfer-Encoding : chunked\r\n\r\n" + SMUGGLED,
        b"Transfer-Encoding: chunked, identity\r\n\r\n" + SMUGGLED,
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"X: a\0b\r\n\r\n",
        b"X: a\r\n b\r\n\r\n",
    ],
)
def test_a_request_of_two_readings_has_one_reply(server: RunningServer, data: bytes) -> None:
    heard = tell(server, HEAD + data)
    assert statuses(heard) == [400]
    error = json.loads(heard.partition(b"\r\n\r\n")[2])["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "invalid_http")


@pytest.mark.parametrize("delay", [b"", b"X-Mock-LLM-Total-Delay-Ms: 100\r\n"])
def test_what_was_asked_before_is_answered_first(server: RunningServer, delay: bytes) -> None:
    heard = tell(server, HEAD + delay + ASK[len(HEAD) :] + GET + b"nonsense\r\n\r\n" + GET)
    assert statuses(heard) == [200, 200]
    assert heard.endswith(b'{"ok":true}\n')


def test_no_more_than_some_requests_wait_on_one_connection(server: RunningServer) -> None:
    before = server.log_size()
    first = HEAD + b"X-Mock-LLM-Total-Delay-Ms: 500\r\n" + ASK[len(HEAD) :]
    heard = tell(server, first + GET * 1000)
    # The one that is answered, those that wait, and the one that was too many.
    assert statuses(heard) == [200] * (1 + protocol.MAX_WAITING + 1)
    assert heard.count(b"connection: close\r\n") == 1
    assert "more than 100 requests wait on one connection\n" in server.log(before)


def test_headers_behind_the_body_are_none(server: RunningServer) -> None:
    before = server.log_size()
    chunks = b"%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
    trailers = b"X-Workbench-Verify: 1\r\nConnection: close\r\n\r\n"
    data = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + trailers
    assert statuses(tell(server, data, ends=True)) == [200]
    assert "unknown fixture hash" in server.log(before)


def test_a_head_has_an_end(server: RunningServer) -> None:
    with connect(server.port) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 400_000)
        heard = hear(client)
        client.sendall(b"x" * 400_000)  # taken in, so that the reply is not lost
    assert statuses(heard) == [431]
    assert b"connection: close\r\n" in heard
    assert json.loads(heard.partition(b"\r\n\r\n")[2])["error"]["code"] == "head_too_long"


def test_a_long_body_is_no_long_head(server: RunningServer) -> None:
    body = b'{"model": "%s"}' % (b"m" * 200_000)
    ask = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    with connect(server.port) as client:
        client.sendall(ask + GET[:20])
        client.sendall(GET[20:] + ask)
        client.shutdown(socket.SHUT_WR)
        assert statuses(hear(client)) == [200, 200, 200]


def test_a_head_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.05)
    server = MockServer()
    try:
        with connect(server.port) as client:
            client.sendall(GET[:-2])
            heard = hear(client)
        assert statuses(heard) == [408]
        with connect(server.port) as client:  # one that says nothing at all is idle, not slow
            time.sleep(0.1)
            client.sendall(GET)
            assert client.recv(100).startswith(b"HTTP/1.1 410 ")
    finally:
        server.stop()


# HTTP/1.0


def ask_1_0(payload: object, *headers: bytes) -> bytes:
    body = json.dumps(payload).encode()
    head = b"".join(line + b"\r\n" for line in [b"Content-Length: %d" % len(body), *headers])
    return HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + head + b"\r\n" + body


@pytest.mark.parametrize("headers", [[], [b"X-Mock-LLM-Stream-Chunk-Delay-Ms: 1"]])
def test_a_stream_to_http_1_0_has_no_chunks_and_ends_with_its_connection(
    server: RunningServer, headers: list[bytes]
) -> None:
    head, _, body = tell(server, ask_1_0({"stream": True}, *headers)).partition(b"\r\n\r\n")
    assert statuses(head) == [200]
    assert b"transfer-encoding" not in head
    assert b"connection: close" in head
    assert body == server.chat({"stream": True}).body


def test_a_whole_reply_to_http_1_0_has_its_length(server: RunningServer) -> None:
    head, _, body = tell(server, ask_1_0({})).partition(b"\r\n\r\n")
    assert b"content-length: %d" % len(body) in head
    assert json.loads(body)["object"] == "chat.completion"


# Refusals of what is still to come


def test_a_body_that_is_too_long_ends_its_connection(server: RunningServer) -> None:
    with connect(server.port) as client:
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (65 * MEBIBYTE))
        client.sendall(b" " * (2 * MEBIBYTE))
        client.shutdown(socket.SHUT_WR)
        heard = hear(client)
    assert statuses(heard) == [413]
    assert b"connection: close\r\n" in heard


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"no request\r\n\r\n", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\nno chunk\r\n", 400),
    ],
    ids=["line", "chunk"],
)
def test_what_is_no_http_is_told_so_and_that_its_connection_ends(
    server: RunningServer, data: bytes, status: int
) -> None:
    head, _, body = tell(server, data, ends=True).partition(b"\r\n\r\n")
    assert statuses(head) == [status]
    assert b"\r\nconnection: close" in head
    assert json.loads(body)["error"]["message"]


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEAD + b"Content-Length: 99999999\r\n\r\n", 413),
        (HEAD + b"Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n", 413),
        (HEAD + b"Content-Length: 100\r\nContent-Type: text/plain\r\n\r\n", 415),
        (HEAD.replace(b"chat", b"cat") + b"Content-Length: 100\r\n\r\n", 400),
        (HEAD.replace(b"POST", b"PUT") + b"Content-Length: 100\r\n\r\n", 405),
    ],
)
def test_a_refusal_does_not_wait_for_the_body(
    server: RunningServer, head: bytes, status: int
) -> None:
    with connect(server.port) as client:
        client.sendall(head + b"x" * 10)
        heard = client.recv(65_536)
        assert statuses(heard) == [status]
        assert b"connection: close\r\n" in heard


def test_one_connection_takes_many_refusals(server: RunningServer) -> None:
    ask = HEAD + b"Content-Length: 2\r\n\r\n[]"
    heard = tell(server, ask * 3, ends=True)
    assert statuses(heard) == [400, 400, 400]
