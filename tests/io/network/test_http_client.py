"""One request over real sockets: what came, when, and every way it may fail."""

from __future__ import annotations

import ast
import asyncio
import inspect
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import workbench
from tests.cases import each_case
from tests.scripted_server import CHUNKED_STREAM, ScriptedServer, chunk, reply
from workbench.io.network import http_client
from workbench.io.network.http_client import NoServerError, TimedReply, host_and_port

LONG = b"x" * (32 * 1024 * 1024)


def sending(*parts: bytes) -> ScriptedServer:
    """A server that sends these bytes and closes."""

    def answer(connection: socket.socket, _: bytes) -> None:
        for part in parts:
            connection.sendall(part)

    return ScriptedServer(answer)


def silent(done: threading.Event) -> ScriptedServer:
    """A server that says nothing until ``done``."""

    def answer(connection: socket.socket, request: bytes) -> None:  # noqa: ARG001
        assert done.wait(60)

    return ScriptedServer(answer)


def post(url: str, body: bytes = b"", headers: Mapping[str, str] = {}, **more: Any) -> TimedReply:
    return asyncio.run(http_client.post(url, body, headers, **more))


def asked(*parts: bytes, patience: float = 20) -> TimedReply:
    with sending(*parts) as server:
        return post(server.url + "/v1", b"{}", {}, patience=patience)


def say(listener: socket.socket, data: bytes) -> None:
    """Answer the next connection with ``data`` without having read what it wants."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(10)
        connection.sendall(data)


def url_of(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_what_is_sent() -> None:
    with sending(reply(b"{}")) as server:
        post(server.url + "/v1/chat?x=1", b'{"a": 1}', {"X-Workbench-Verify": "1"})
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == b'{"a": 1}'
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /v1/chat?x=1 http/1.1"
    assert f"host: 127.0.0.1:{server.port}" in lines
    assert "x-workbench-verify: 1" in lines
    assert "content-length: 8" in lines


def test_a_reply_with_its_kind() -> None:
    found = asked(reply(b"busy", "text/plain; charset=utf-8", "503 Service Unavailable"))
    assert (found.status, found.content_type, found.body) == (
        503,
        "text/plain; charset=utf-8",
        b"busy",
    )
    assert found.problem == ""


def test_bytes_are_timed_as_they_arrive() -> None:
    """The second part is sent only when the client has the first."""
    first_is_there = threading.Event()
    seen: list[bytes] = []

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(CHUNKED_STREAM + chunk(b"one"))
        assert first_is_there.wait(60)
        connection.sendall(chunk(b"two") + chunk(b""))

    def on_data(data: bytes) -> None:
        seen.append(data)
        first_is_there.set()

    with ScriptedServer(answer) as server:
        found = post(server.url, b"", {}, on_data=on_data)
    assert (found.body, seen) == (b"onetwo", [b"one", b"two"])
    assert 0 < found.first_ms < found.all_ms


@settings(max_examples=25)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.integers(1, 30))
def test_any_body_however_it_is_cut(parts: list[bytes], size: int) -> None:
    data = CHUNKED_STREAM + b"".join(map(chunk, parts)) + chunk(b"")
    found = asked(*(data[i : i + size] for i in range(0, len(data), size)))
    assert found.body == b"".join(parts)
    assert found.problem == ""
    assert found.first_ms <= found.all_ms


def test_a_body_that_ends_with_the_connection() -> None:
    found = asked(b"HTTP/1.1 200 OK\r\n\r\nall of it")
    assert (found.body, found.problem) == (b"all of it", "")


def test_a_reply_behind_one_that_announces_it() -> None:
    found = asked(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", reply(b"{}"))
    assert (found.status, found.body, found.problem) == (200, b"{}", "")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no reply: server disconnected without sending a response"),
        (reply(b"whole")[:-1], "the reply broke off: peer closed connection"),
        (CHUNKED_STREAM + chunk(b"one"), "the reply broke off: peer closed connection"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "no reply: illegal status line"),
        (CHUNKED_STREAM + b"zz\r\n", "the reply broke off: illegal chunk header"),
    ],
)
def test_a_reply_that_is_not_whole(data: bytes, problem: str) -> None:
    assert asked(data).problem.startswith(problem)


def test_what_came_before_it_broke_off_is_kept() -> None:
    found = asked(CHUNKED_STREAM + chunk(b"one"))
    assert (found.status, found.body) == (200, b"one")


def test_a_server_that_says_nothing() -> None:
    done = threading.Event()
    with silent(done) as server:
        try:
            found = post(server.url, b"", {}, patience=0.1)
        finally:
            done.set()
    assert found.problem == "no data for 0.1 s"


def test_cancelling_hangs_up() -> None:
    is_asked, has_hung_up = threading.Event(), threading.Event()

    def answer(connection: socket.socket, _: bytes) -> None:
        is_asked.set()
        connection.settimeout(20)
        if not connection.recv(1):
            has_hung_up.set()

    async def ask(url: str) -> None:
        asking = asyncio.ensure_future(http_client.post(url, b"", {}))
        assert await asyncio.to_thread(is_asked.wait, 60)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with ScriptedServer(answer) as server:
        asyncio.run(ask(server.url))
        assert has_hung_up.wait(60)


def test_an_early_refusal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(
            target=say, args=(listener, reply(b"too long", status="413 Too Long"))
        )
        thread.start()
        found = post(url_of(listener), LONG, {})
        thread.join(20)
    # Whether its words are lost with the rest is the system's; something is told either way.
    assert found.status == 413 or found.problem


def test_a_reply_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "MAX_BODY", 1024 * 1024)

    def answer(connection: socket.socket, _: bytes) -> None:
        connection.sendall(CHUNKED_STREAM)
        while True:
            connection.sendall(chunk(b"x" * 65536))

    with ScriptedServer(answer) as server:
        found = post(server.url, b"", {})
    assert found.problem == "the reply is longer than 1 MiB"


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(NoServerError, match="refused") as caught:
        post(f"http://127.0.0.1:{port}/v1", b"", {})
    assert caught.value.where == f"127.0.0.1:{port}"


@each_case(
    "url",
    [
        *("", "localhost:7897", "ftp://localhost", "http://", "http://:80", "http://x:0"),
        *("http://x:70000", "http://[", "http://ü.example", "http://a..b", "http://" + "a" * 64),
    ],
)
def test_what_is_no_url_of_a_server(url: str) -> None:
    with pytest.raises(NoServerError) as caught:
        post(url, b"", {})
    assert caught.value.where == host_and_port(url)


def test_an_encrypted_connection_to_a_server_that_has_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=say, args=(listener, b"what?\r\n"))
        thread.start()
        with pytest.raises(NoServerError):
            post(url_of(listener).replace("http:", "https:"), b"", {})
        thread.join(20)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:7897/v1", "127.0.0.1:7897"),
        ("http://key:secret@localhost", "localhost"),
        ("http://[::1]:80", "[::1]:80"),
        ("nonsense", "nonsense"),
    ],
)
def test_the_host_and_port_a_url(url: str, host: str) -> None:
    assert host_and_port(url) == host


def test_no_other_module_makes_clients() -> None:
    makers = {"Client", "AsyncClient"}
    # httpx.get and its like make a client for one request.
    makers |= {name for name, value in vars(httpx).items() if inspect.isfunction(value)}
    makers.remove("create_ssl_context")
    assert {"stream", "post"} < makers
    package = Path(workbench.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "httpx" in text else ():
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="httpx"), attr=name)):
                    if name in makers:
                        found.add(path.relative_to(package).as_posix())
                case ast.ImportFrom(module="httpx"):
                    found.add(path.relative_to(package).as_posix())
    assert found == {"io/network/http_client.py"}
