"""Asking a real server through its control API, and following what happens there."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_server import ScriptedServer
from tests.server.running import RunningServer, wait_until
from workbench.core.control_api import HoldState
from workbench.core.digest import digest
from workbench.io.network.control_client import (
    ControlClient,
    ControlError,
    NotControllableError,
    ServerEvent,
    follow,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("held"), arguments=("--hold", "60")) as running:
        yield running


@pytest.fixture
def clients() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def payload_of(question: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": question}]}


def test_hold_is_turned_off_and_on(server: RunningServer) -> None:
    control = ControlClient(server.url + "/v1")
    assert control.state().hold == HoldState(True, 60)
    assert control.set_hold(enabled=False) == HoldState(False, 60)
    assert control.set_hold(enabled=True) == HoldState(True, 60)


def test_what_is_decided_about_who_waits(
    server: RunningServer, clients: ThreadPoolExecutor
) -> None:
    control = ControlClient(server.url)
    for number, decide in enumerate(
        [lambda key: control.answer(key, {"content": "once"}), control.release]
    ):
        reply = clients.submit(server.chat, payload_of(f"decide {number}"))
        wait_until("held", control.held)
        (held,) = control.held()
        assert (held.digest, held.clients) == (digest(payload_of(f"decide {number}")), 1)
        assert control.extend(held.id).gives_up_in_s > 300
        decide(held.id)
        assert reply.result(60).content == "once" if number == 0 else reply.result(60)
        with pytest.raises(ControlError, match="no held request has the id"):
            control.release(held.id)
    assert control.held() == []


def test_misses_are_told(server: RunningServer, clients: ThreadPoolExecutor) -> None:
    control = ControlClient(server.url)
    reply = clients.submit(server.chat, payload_of("missed"))
    wait_until("held", control.held)
    key = digest(payload_of("missed"))
    assert key in [miss.digest for miss in control.misses()]
    assert control.miss(key).requests == [payload_of("missed")]
    control.release(control.held()[0].id)
    reply.result(60)


@pytest.mark.parametrize("url", ["ftp://x", "http://", "nonsense", "http://127.0.0.1:99999"])
def test_what_is_no_server(url: str) -> None:
    with pytest.raises(ControlError):
        ControlClient(url).state()


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ControlError, match=f"no server at 127.0.0.1:{port}: "):
        ControlClient(f"http://127.0.0.1:{port}").state()


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 404 NOT FOUND\r\nContent-Length: 9\r\nConnection: close\r\n\r\nnot found",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<ht>",
        b'HTTP/1.1 404 X\r\nContent-Length: 11\r\nConnection: close\r\n\r\n{"error":5}',
    ],
)
def test_another_server_cannot_hold(reply: bytes) -> None:
    with (
        ScriptedServer(lambda connection, _request: connection.sendall(reply)) as other,
        pytest.raises(NotControllableError),
    ):
        ControlClient(other.url).state()


async def first_events(control: ControlClient) -> list[ServerEvent]:
    async with aclosing(control.events()) as batches:
        return await anext(batches)


@pytest.mark.parametrize("body", [b"{}", b"[1]", b"null", b'"held"'])
def test_another_server_may_say_anything(body: bytes) -> None:
    reply = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    with ScriptedServer(lambda connection, _request: connection.sendall(reply + body)) as other:
        control = ControlClient(other.url)
        for ask in (
            control.state,
            partial(control.set_hold, enabled=True),
            partial(control.extend, "1"),
            lambda: asyncio.run(first_events(control)),
        ):
            with pytest.raises(NotControllableError):
                ask()


def test_replies_with_a_content_coding_are_not_unpacked() -> None:
    body = gzip.compress(gzip.compress(b"[]"))
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nContent-Encoding: gzip, gzip\r\n\r\n"
    answer = head.encode() + body
    with (
        ScriptedServer(lambda connection, _request: connection.sendall(answer)) as other,
        pytest.raises(NotControllableError),
    ):
        ControlClient(other.url).held()
    assert b"accept-encoding: identity\r\n" in other.requests[0].lower()


@pytest.mark.parametrize("status", [b"404 NOT FOUND", b"200 OK"])
def test_another_server_is_not_asked_again_soon(status: bytes) -> None:
    def refuse(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(b"HTTP/1.1 %s\r\nContent-Length: 4\r\n\r\nnone" % status)

    async def follow_on() -> list[Any]:
        async with aclosing(follow(control, retry=0.01)) as batches:
            found = [await anext(batches)]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    found.append(await anext(batches))
        return found

    with ScriptedServer(refuse) as other:
        control = ControlClient(other.url)
        assert asyncio.run(follow_on()) == [[]]
        assert len(other.requests) == 1


async def events_of(control: ControlClient, count: int, then: Any = None) -> list[Any]:
    """What happens; "lost" for a server that is lost."""
    found: list[ServerEvent | str] = []
    async with aclosing(follow(control, retry=0.05)) as batches:
        async for batch in batches:
            found += batch
            if not batch:
                found.append("lost")
            if then is not None and found:
                await asyncio.to_thread(then)
                then = None
            if len(found) >= count:
                return found
    return found


def test_what_happens_is_followed(server: RunningServer, clients: ThreadPoolExecutor) -> None:
    control = ControlClient(server.url)

    def ask() -> None:
        reply = clients.submit(server.chat, payload_of("followed"))
        wait_until("held", control.held)
        control.release(control.held()[0].id)
        reply.result(60)

    found = asyncio.run(asyncio.wait_for(events_of(control, 5, ask), 60))
    kinds = [event.kind for event in found]
    assert kinds == ["hello", "miss", "held", "released", "served"]
    assert found[0].data["hold"] == HoldState(True, 60.0)._asdict()


def test_a_lost_server_is_found_again(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        control = ControlClient(server.url)
        found = asyncio.run(asyncio.wait_for(events_of(control, 2, server.process.terminate), 60))
        assert found[1:] == ["lost"]
        lost = asyncio.run(asyncio.wait_for(events_of(control, 3), 60))
        assert set(lost) == {"lost"}
