"""A request over ASGI, with hand-made messages where a socket cannot be that exact."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from workbench.server import http
from workbench.server.http import Bodies, ClientGoneError, Message, RefusedError, Request

MEBIBYTE = 1024 * 1024
GONE: Message = {"type": "http.disconnect"}


def part(data: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": data, "more_body": more}


class Wire:
    """The other side: gives the messages it was made with, then waits for ``hang_up``."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)
        self._gone = asyncio.Event()
        self.sent: list[Message] = []

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop(0)
        await self._gone.wait()
        return GONE

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    def hang_up(self) -> None:
        self._gone.set()


def make(
    wire: Wire,
    headers: Iterable[tuple[bytes, bytes]] = (),
    bodies: Bodies | None = None,
    **scope: Any,
) -> Request:
    base = {
        "method": "POST",
        "path": "/v1/a b",
        "raw_path": b"/v1/a%20b",
        "query_string": b"",
        "http_version": "1.1",
        "client": ("10.0.0.7", 5),
        "headers": list(headers),
    }
    return Request({**base, **scope}, wire.receive, wire.send, bodies or Bodies())


def test_who_asks_for_what() -> None:
    request = make(Wire())
    assert (request.method, request.path, request.client) == ("POST", "/v1/a b", "10.0.0.7")
    assert request.line == "POST /v1/a%20b HTTP/1.1"
    assert make(Wire(), client=None).client == "-"
    assert make(Wire(), query_string=b"x=1").line == "POST /v1/a%20b?... HTTP/1.1"
    assert make(Wire(), raw_path=b"/\xff").line == "POST /\\xff HTTP/1.1"


@pytest.mark.parametrize(
    "parts",
    [
        [part(b"abc")],
        [part(b"a", more=True), part(b"bc")],
        [part(b"", more=True), part(b"abc", more=True), part(b"")],
    ],
)
def test_a_body_is_put_together(parts: list[Message]) -> None:
    assert asyncio.run(make(Wire(parts)).body()) == b"abc"


@pytest.mark.parametrize("parts", [[GONE], [part(b"a", more=True), GONE]])
def test_a_body_that_breaks_off_is_of_a_client_that_is_gone(parts: list[Message]) -> None:
    with pytest.raises(ClientGoneError):
        asyncio.run(make(Wire(parts)).body())


def test_a_body_may_be_64_mebibytes_and_not_a_byte_more() -> None:
    async def length(wire: Wire) -> int:
        return len(await make(wire).body())

    full = [part(bytes(MEBIBYTE), more=True)] * 64
    assert asyncio.run(length(Wire([*full, part(b"")]))) == 64 * MEBIBYTE
    wire = Wire([*full, part(b"x", more=True), part(b"never read")])
    with pytest.raises(RefusedError, match="64 MiB") as caught:
        asyncio.run(length(wire))
    assert caught.value.status == 413
    assert asyncio.run(wire.receive()) == part(b"never read")


@pytest.mark.parametrize("length", [str(64 * MEBIBYTE + 1).encode(), b"9" * 30])
def test_a_body_that_is_announced_too_long_is_not_read(length: bytes) -> None:
    wire = Wire([part(b"never read")])
    with pytest.raises(RefusedError):
        asyncio.run(make(wire, [(b"content-length", length)]).body())
    assert asyncio.run(wire.receive()) == part(b"never read")


def test_long_bodies_have_room_together_and_leave_it_when_they_are_answered() -> None:
    bodies = Bodies(10)
    long = [part(b"a" * 4, more=True), part(b"a" * 4)]

    def ask() -> tuple[Request, bytes]:
        request = make(Wire(long), bodies=bodies)
        return request, asyncio.run(request.body())

    first, body = ask()
    assert body == b"a" * 8
    with pytest.raises(RefusedError) as caught:
        ask()
    assert (caught.value.status, caught.value.code) == (503, "too_much_under_way")
    assert caught.value.headers == (("Retry-After", "1"),)
    # Short ones are answered all the same.
    assert asyncio.run(make(Wire([part(b"a" * 100)]), bodies=bodies).body()) == b"a" * 100
    first.close()
    first.close()
    second, body = ask()
    assert body == b"a" * 8
    second.close()


def test_a_payload_of_another_type_is_not_read() -> None:
    wire = Wire([part(b"{}")])
    with pytest.raises(RefusedError, match="'text/plain'") as caught:
        asyncio.run(make(wire, [(b"content-type", b"text/plain")]).payload())
    assert caught.value.status == 415


def test_a_wait_ends_after_its_time() -> None:
    async def scenario() -> None:
        request = make(Wire())
        stop = asyncio.get_running_loop().create_future()
        await request.wait(0.001, stop)
        await request.wait(0.001, stop)
        request.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("messages", [[], [part(b"late")]])
def test_a_wait_ends_with_the_client(messages: list[Message]) -> None:
    async def scenario() -> None:
        wire = Wire(messages)
        request = make(wire)
        stop = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.01, wire.hang_up)
        with pytest.raises(ClientGoneError):
            await request.wait(600, stop)
        request.close()

    asyncio.run(asyncio.wait_for(scenario(), 20))


def test_what_a_client_still_sends_does_not_end_a_wait() -> None:
    async def scenario() -> None:
        request = make(Wire([part(b"late"), part(b"later")]))
        await request.wait(0.001, asyncio.get_running_loop().create_future())
        request.close()

    asyncio.run(scenario())


def test_nothing_looks_for_the_client_after_the_end() -> None:
    async def scenario() -> int:
        request = make(Wire())
        await request.wait(0.001, asyncio.get_running_loop().create_future())
        request.close()
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(scenario()) == 1


def test_a_wait_ends_with_the_server_and_the_reply_goes_on() -> None:
    async def scenario() -> None:
        request = make(Wire())
        stop = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.01, stop.set_result, None)
        await request.wait(600, stop)
        await request.wait(600, stop)
        request.close()

    asyncio.run(asyncio.wait_for(scenario(), 20))


def test_a_reply() -> None:
    async def scenario() -> list[Message]:
        wire = Wire()
        request = make(wire)
        await request.start(200, [(b"a", b"b")])
        await request.send(b"x", more=True)
        await request.send(b"y")
        return wire.sent

    assert asyncio.run(scenario()) == [
        {"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]},
        {"type": "http.response.body", "body": b"x", "more_body": True},
        {"type": "http.response.body", "body": b"y", "more_body": False},
    ]


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BODY_SECONDS", 0.01)
    with pytest.raises(RefusedError, match=r"nothing of the body came for 0\.01 s") as caught:
        asyncio.run(make(Wire([part(b"{", more=True)])).body())
    assert caught.value.status == 408


def test_a_body_that_goes_on_behind_its_refusal_is_taken_in_for_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Endless(Wire):
        async def receive(self) -> Message:
            await asyncio.sleep(0)
            return part(b"more", more=True)

    monkeypatch.setattr(http, "LINGER_SECONDS", 0.01)
    asyncio.run(asyncio.wait_for(make(Endless()).linger(), 20))


@pytest.mark.parametrize("last", [part(b"c"), GONE])
def test_the_rest_of_a_refused_body_is_taken_in(last: Message) -> None:
    wire = Wire([part(b"a", more=True), last, part(b"of the next request")])
    asyncio.run(asyncio.wait_for(make(wire).linger(), 20))
    assert asyncio.run(wire.receive()) == part(b"of the next request")
