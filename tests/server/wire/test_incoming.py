"""What is read from a request, with hand-made messages where a socket cannot be that exact."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from workbench.core.answering.errors import RefusedError
from workbench.io.fixture.asker import Asker
from workbench.server.long_work import Turns
from workbench.server.running_tests import RunningTest
from workbench.server.wire.incoming import (
    headers_of,
    patience,
    read_body,
    read_json,
    request_line,
)
from workbench.server.wire.request_state import STATE_KEY, RequestState

MEBIBYTE = 1024 * 1024
GONE: Message = {"type": "http.disconnect"}


def part(data: bytes, *, more: bool = False) -> Message:
    return {"type": "http.request", "body": data, "more_body": more}


class Wire:
    """The other side: gives the messages it was made with, then waits for ``hang_up``."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)
        self._gone = asyncio.Event()

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop(0)
        await self._gone.wait()
        return GONE

    def hang_up(self) -> None:
        self._gone.set()


def make(wire: Wire, headers: Iterable[tuple[bytes, bytes]] = (), **scope: Any) -> Request:
    base = {
        "type": "http",
        "method": "POST",
        "path": "/v1/a b",
        "raw_path": b"/v1/a%20b",
        "query_string": b"",
        "http_version": "1.1",
        "client": ("10.0.0.7", 5),
        "headers": list(headers),
    }
    return Request({**base, **scope}, wire.receive)


async def read(wire: Wire, *headers: tuple[bytes, bytes]) -> bytes:
    request = make(wire, headers)
    return await read_body(request, headers_of(request.scope))


def test_the_request_line() -> None:
    def line(**scope: Any) -> str:
        origin = scope.pop("origin", "")
        state = RequestState({}, RunningTest("", Asker()), origin=origin)
        return request_line(make(Wire(), state={STATE_KEY: state}, **scope).scope)

    assert line(origin="https://a.com") == "POST https://a.com/v1/a%20b HTTP/1.1"
    assert line() == "POST /v1/a%20b HTTP/1.1"
    assert line(query_string=b"x=1") == "POST /v1/a%20b?... HTTP/1.1"
    assert line(raw_path=b"/\xff") == "POST /\\xff HTTP/1.1"


@pytest.mark.parametrize(
    "parts",
    [
        [part(b"abc")],
        [part(b"a", more=True), part(b"bc")],
        [part(b"", more=True), part(b"abc", more=True), part(b"")],
    ],
)
def test_a_body_is_put_together(parts: list[Message]) -> None:
    assert asyncio.run(read(Wire(parts))) == b"abc"


@pytest.mark.parametrize("parts", [[GONE], [part(b"a", more=True), GONE]])
def test_a_body_that_breaks_off_is_of_a_client_that_is_gone(parts: list[Message]) -> None:
    with pytest.raises(ClientDisconnect):
        asyncio.run(read(Wire(parts)))


def test_a_body_may_be_64_mebibytes_and_not_a_byte_more() -> None:
    full = [part(bytes(MEBIBYTE), more=True)] * 64
    assert len(asyncio.run(read(Wire([*full, part(b"")])))) == 64 * MEBIBYTE
    wire = Wire([*full, part(b"x", more=True), part(b"never read")])
    with pytest.raises(RefusedError, match="64 MiB") as caught:
        asyncio.run(read(wire))
    assert caught.value.status == 413
    assert asyncio.run(wire.receive()) == part(b"never read")


@pytest.mark.parametrize("length", [str(64 * MEBIBYTE + 1).encode(), b"9" * 30])
def test_a_body_that_is_announced_too_long_is_not_read(length: bytes) -> None:
    wire = Wire([part(b"never read")])
    with pytest.raises(RefusedError):
        asyncio.run(read(wire, (b"content-length", length)))
    assert asyncio.run(wire.receive()) == part(b"never read")


def test_a_compressed_payload_is_not_read() -> None:
    wire = Wire([part(b"{}")])
    with pytest.raises(RefusedError, match="'gzip'") as caught:
        asyncio.run(read_json(make(wire, [(b"content-encoding", b"gzip")]), Turns()))
    assert caught.value.status == 415
    assert asyncio.run(wire.receive()) == part(b"{}")


def of_json(text: str) -> dict[str, Any]:
    return asyncio.run(read_json(make(Wire([part(text.encode())])), Turns()))


def listed(value: str, count: int) -> str:
    return '{"a": [' + ", ".join([value] * count) + "]}"


@pytest.mark.parametrize(
    "given",
    [
        listed("1", 300_000),
        listed('"x"', 300_000),
        listed("{}", 300_000).replace("[", '["\\\\", "\\"", '),
        "{" + ", ".join(f'"k{number}": 1' for number in range(300_000)) + "}",
        '{"a": ' + "[" * 300_000,
    ],
    ids=["numbers", "strings", "behind escapes", "keys", "lists"],
)
def test_too_many_values_are_refused_before_they_are_read(given: str) -> None:
    with pytest.raises(
        RefusedError, match="the body has more than 250,000 keys and values"
    ) as caught:
        of_json(given)
    assert (caught.value.status, caught.value.code) == (413, "too_many_values")


@pytest.mark.parametrize("text", ["a, [b] {c}", 'a "b", [c]', "\\", '\\", [', "é日"])
def test_what_stands_in_a_text_is_no_value(text: str) -> None:
    given = {"text": text * 100_000, "list": [text] * 100_000}
    for is_ascii in (True, False):
        assert of_json(json.dumps(given, ensure_ascii=is_ascii)) == given


# How long clients wait, by the headers that their newest versions send

GEMINI = {"x-goog-api-client": "google-genai-sdk/3.6.1 gl-python/3.11"}
FETCH = {"sec-fetch-mode": "cors"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"user-agent": "python-requests/2.32"}, None),
        ({"x-stainless-read-timeout": "600"}, 300),
        ({"x-stainless-read-timeout": "4.5"}, 4.5),
        ({**FETCH, "x-stainless-lang": "js"}, 300),
        ({**FETCH, "x-stainless-timeout": "20"}, 20),
        (GEMINI, 300),
        ({**GEMINI, "x-server-timeout": "30"}, 30),
        ({"x-goog-api-client": "gl-python/3.11"}, None),
        ({"x-stainless-read-timeout": "None"}, 300),
        ({"x-stainless-read-timeout": "-1"}, 300),
        ({"x-stainless-read-timeout": "nan"}, 300),
    ],
)
def test_how_long_a_client_waits(headers: dict[str, str], seconds: float | None) -> None:
    assert patience(headers) == seconds
