"""Connections: what uvicorn makes of clients and bytes that are not as they should be."""

from __future__ import annotations

import contextlib
import json
import socket
import struct

import pytest

from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from workbench.core.digest import digest

HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
BODY = b'{"model": "m"}'
ASK = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE

pytestmark = pytest.mark.usefixtures("server_is_none_the_worse")


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)


def hear(client: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    heard = bytearray()
    while data := client.recv(65_536):
        heard += data
    return bytes(heard)


def tell(server: RunningServer, data: bytes) -> bytes:
    """Send ``data``; returns all that is said to it until the connection is closed."""
    with connect(server.port) as client:
        client.sendall(data)
        return hear(client)


def statuses(heard: bytes) -> list[int]:
    return [int(part[:3]) for part in heard.split(b"HTTP/1.1 ")[1:]]


# Clients that end their side after a request


@pytest.mark.parametrize("last", [ASK, GET * 3, ASK + GET], ids=["one", "three", "two"])
def test_a_client_that_ends_its_side_gets_its_replies(server: RunningServer, last: bytes) -> None:
    with connect(server.port) as client:
        client.sendall(last)
        client.shutdown(socket.SHUT_WR)
        assert statuses(hear(client)) == [200] * last.count(b"HTTP/1.1")


def test_a_client_that_ends_its_side_gets_a_long_stream(server: RunningServer) -> None:
    payload = {"model": "half closed", "messages": [], "stream": True}
    server.write_fixture(digest(payload), {"response": {"content": "A long stream. " * 50_000}})
    body = json.dumps(payload).encode()
    with connect(server.port) as client:
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        client.shutdown(socket.SHUT_WR)
        assert hear(client).endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


# While it waits on purpose, nobody can tell it from one that is gone


def test_a_client_that_ends_its_side_while_it_waits_is_gone(server: RunningServer) -> None:
    with connect(server.port) as client:
        client.sendall(HEAD + b"X-Mock-LLM-Total-Delay-Ms: 600000\r\n" + ASK[len(HEAD) :])
        before = server.log_size()
        client.shutdown(socket.SHUT_WR)
        assert hear(client) == b""
    said = "[mock-llm] POST /v1/chat/completions HTTP/1.1: the client left before its reply\n"
    wait_until("logged", lambda: server.log(before).endswith(said))


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


def test_a_client_that_resets_its_connection_leaves_the_held_and_those_behind(
    server: RunningServer,
) -> None:
    def held() -> list[int]:
        return [entry["clients"] for entry in server.request("GET", "/__workbench/held").json()]

    held_body = b'{"model": "of one that is reset"}'  # others would wait with it
    before = server.log_size()
    server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
    try:
        with connect(server.port) as client:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(held_body) + held_body)
            wait_until("held", lambda: held() == [1])
            client.sendall(ASK + GET)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wait_until("gone", lambda: held() == [])
    finally:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
    assert "Exception" not in server.log(before)


LEFT_IN_BODY = (
    "[mock-llm] POST /v1/chat/completions HTTP/1.1: "
    "the connection ended in the middle of the body\n"
)


@pytest.mark.parametrize(
    ("half", "said"),
    [(ASK[:-1], LEFT_IN_BODY), (CHUNKED, LEFT_IN_BODY), (GET[:-1], "")],
    ids=["body", "chunks", "head"],
)
def test_half_a_request_has_no_reply(server: RunningServer, half: bytes, said: str) -> None:
    before = server.log_size()
    with connect(server.port) as client:
        client.sendall(half)
        client.shutdown(socket.SHUT_WR)
        assert hear(client) == b""
    wait_until("logged", lambda: server.log(before) == said)


# What is not HTTP


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
    assert statuses(tell(server, HEAD + data)) == [400]


@pytest.mark.parametrize(
    ("data", "also_said"),
    [(b"no request\r\n\r\n", ""), (CHUNKED + b"no chunk\r\n", LEFT_IN_BODY)],
    ids=["line", "chunk"],
)
def test_what_is_not_http_is_refused_and_ends_its_connection(
    server: RunningServer, data: bytes, also_said: str
) -> None:
    before = server.log_size()
    head, _, body = tell(server, data).partition(b"\r\n\r\n")
    assert statuses(head) == [400]
    assert b"\r\nconnection: close" in head
    assert body == b"Invalid HTTP request received."
    said = f"[mock-llm] Invalid HTTP request received.\n{also_said}"
    wait_until("logged", lambda: server.log(before) == said)


def test_nonsense_behind_a_request_ends_the_connection(server: RunningServer) -> None:
    assert 400 in statuses(tell(server, ASK + GET + b"nonsense\r\n\r\n" + GET))


def test_requests_on_one_connection_are_answered_in_turn(server: RunningServer) -> None:
    first = HEAD + b"X-Mock-LLM-Total-Delay-Ms: 100\r\n" + ASK[len(HEAD) :]
    heard = tell(server, first + GET * 300 + LAST)
    assert statuses(heard) == [200] * 302
    assert heard.count(b"connection: close\r\n") == 1


# Heads without an end


def test_a_head_may_have_64_kibibytes(server: RunningServer) -> None:
    start = LAST[:-2] + b"X: "
    fill = b"x" * (64 * KIBIBYTE - len(start) - 4)
    before = server.log_size()
    assert statuses(tell(server, start + fill + b"\r\n\r\n")) == [200]
    assert statuses(tell(server, start + fill + b"x\r\n\r\n")) == [431]
    said = "[mock-llm] refused a request: the head of a request is longer than 64 KiB\n"
    assert server.log(before).endswith(said)


@pytest.mark.parametrize("answered", [b"", GET, ASK], ids=["first", "second", "after a body"])
@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"GET /", b"a" * KIBIBYTE),
        (b"GET / HTTP/1.1\r\nX: ", b"a" * KIBIBYTE),
        (b"GET / HTTP/1.1\r\n", b"x" * KIBIBYTE),
        (b"GET / HTTP/1.1\r\n", b"X: 1\r\n" * 200),
        (CHUNKED + b"0\r\nX: ", b"a" * KIBIBYTE),
        (CHUNKED + b"0\r\n", b"X: 1\r\n" * 200),
        (CHUNKED + b"1;a=", b"a" * KIBIBYTE),
    ],
    ids=["path", "value", "name", "headers", "trailer", "trailers", "chunk"],
)
def test_a_head_without_an_end_is_refused(
    server: RunningServer, answered: bytes, start: bytes, more: bytes
) -> None:
    with connect(server.port) as client:
        client.sendall(answered)
        heard = client.recv(65_536) if answered else b""
        client.sendall(start)
        with contextlib.suppress(ConnectionError):  # it is closed
            for _ in range(256):
                client.sendall(more)
        while b"head_too_long" not in heard:
            heard += client.recv(65_536)
    assert statuses(heard) == [200] * (1 if answered else 0) + [431]
    assert b"connection: close" in heard


def test_a_client_that_sends_all_before_it_reads_learns_why(server: RunningServer) -> None:
    with connect(server.port) as client:
        client.sendall(GET[:-2] + b"X-Long: " + b"x" * MEBIBYTE + b"\r\n\r\n")
        head, _, body = hear(client).partition(b"\r\n\r\n")
    assert statuses(head) == [431]
    error = json.loads(body)["error"]
    assert error["code"] == "head_too_long"
    assert "64 KiB" in error["message"]


@pytest.mark.parametrize("header", ["Total", "Stream-Chunk"])
def test_what_was_asked_before_a_head_without_an_end_is_answered(
    server: RunningServer, header: str
) -> None:
    payload = {"model": "m", "messages": [], "stream": True}
    body = json.dumps(payload).encode()
    ask = HEAD + b"X-Mock-LLM-%s-Delay-Ms: 100\r\n" % header.encode()
    with connect(server.port) as client:
        client.sendall(ask + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        client.sendall(GET[:-2] + b"X: " + b"x" * MEBIBYTE)
        heard = hear(client)
    assert statuses(heard) == [200]
    assert heard.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


def test_a_long_body_may_be_followed_by_another_request(server: RunningServer) -> None:
    body = b'{"model": "%s"}' % (b"m" * 200_000)
    ask = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    assert statuses(tell(server, ask + GET + ask + LAST)) == [200] * 4


# HTTP/1.0


def ask_1_0(payload: object, *headers: bytes) -> bytes:
    body = json.dumps(payload).encode()
    head = b"".join(line + b"\r\n" for line in [b"Content-Length: %d" % len(body), *headers])
    return HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + head + b"\r\n" + body


@pytest.mark.parametrize("headers", [[], [b"X-Mock-LLM-Stream-Chunk-Delay-Ms: 1"]])
@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_to_http_1_0_has_its_length_and_no_chunks(
    server: RunningServer, headers: list[bytes], stream: bool
) -> None:
    payload = {"stream": stream}
    head, _, body = tell(server, ask_1_0(payload, *headers)).partition(b"\r\n\r\n")
    assert statuses(head) == [200]
    assert b"transfer-encoding" not in head
    assert b"content-length: %d\r\n" % len(body) in head
    assert without_time(body) == without_time(server.chat(payload).body)


def without_time(body: bytes) -> list[bytes]:
    """The body in parts, without the seconds in which it was made."""
    first, *rest = body.replace(b'"created": ', b'"created":').split(b'"created":')
    return [first, *[part.lstrip(b"0123456789") for part in rest]]


def test_a_reply_to_http_1_0_that_breaks_off_lacks_some_of_its_length(
    server: RunningServer,
) -> None:
    payload = {"model": "cut", "messages": [], "stream": True}
    response = {"content": "A stub walks into a bar.", "disconnect_after": 3}
    server.write_fixture(digest(payload), {"response": response})
    head, _, body = tell(server, ask_1_0(payload)).partition(b"\r\n\r\n")
    assert b"content-length: %d\r\n" % (len(body) + 1) in head
    assert body.count(b"\n\n") == 3


# Refusals of what is still to come


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (HEAD + b"Content-Length: 99999999\r\n\r\n", 413),
        (HEAD + b"Content-Length: 99999999\r\nExpect: 100-continue\r\n\r\n", 413),
        (HEAD + b"Content-Length: 100\r\nContent-Encoding: gzip\r\n\r\n", 415),
        (HEAD.replace(b"chat", b"cat") + b"Content-Length: 100\r\n\r\n", 400),
        (HEAD.replace(b"POST", b"PUT") + b"Content-Length: 100\r\n\r\n", 405),
    ],
)
def test_a_refusal_does_not_wait_for_the_body(
    server: RunningServer, head: bytes, status: int
) -> None:
    with connect(server.port) as client:
        client.sendall(head + b"x" * 10)
        assert statuses(client.recv(65_536)) == [status]


def test_the_body_of_a_refused_request_is_skipped(server: RunningServer) -> None:
    """A client that writes all before it reads is not cut off, and may go on."""
    length = 65 * MEBIBYTE
    with connect(server.port) as client:
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % length)
        for _ in range(65):
            client.sendall(b" " * MEBIBYTE)
        client.sendall(LAST)
        assert statuses(hear(client)) == [413, 200]


def test_one_connection_takes_many_refusals(server: RunningServer) -> None:
    ask = HEAD + b"Content-Length: 2\r\n\r\n[]"
    assert statuses(tell(server, ask * 3 + LAST)) == [400, 400, 400, 200]
