"""The stub server over real HTTP: its routes, its fixtures and its log."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import sys
import weakref
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from tests.cases import each_case
from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.log.events import MissLogged, RequestLogged
from workbench.core.log.reader import LogParser
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.fixture.store import FixtureStore
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.wire.delays import Delays

ACCESS = re.compile(r'127\.0\.0\.1 - - \[\d\d/[A-Z][a-z]{2}/\d{4} \d\d:\d\d:\d\d\] "(.+)" (\d+) -')
CHAT_LINE = "POST /v1/chat/completions HTTP/1.1"


def ask(text: str, **more: Any) -> dict[str, Any]:
    """A request that no other test makes, if ``text`` is none other's."""
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}], **more}


def answering(text: str) -> dict[str, Any]:
    return {"response": {"content": text}}


def logged(server: RunningServer, before: int) -> list[str]:
    """The log's lines since ``before``; of access lines the request line and the status."""
    return [ACCESS.sub(r"\1 \2", line) for line in server.log(before).splitlines()]


def test_health(server: RunningServer) -> None:
    reply = server.request("GET", "/healthz")
    assert (reply.status, reply.body) == (200, b'{"ok":true}\n')
    assert reply.headers["content-type"] == "application/json"


def test_the_first_line_says_where_it_listens(server: RunningServer) -> None:
    first = server.log().split("\n", 1)[0]
    assert first == f"[mock-llm] listening on {server.url} (fixtures: {server.fixtures})"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/favicon.ico", 404, "not_found"),
        ("POST", "/v1/completions", 400, "unsupported_request"),
        ("POST", "/v1/chat/completions/", 400, "unsupported_request"),
        ("GET", "/v1/chat/completions", 405, "method_not_allowed"),
        ("DELETE", "/v1/embeddings", 405, "method_not_allowed"),
        ("POST", "/healthz", 405, "method_not_allowed"),
    ],
)
def test_other_paths_and_methods(
    server: RunningServer, method: str, path: str, status: int, code: str
) -> None:
    reply = server.request(method, path)
    assert reply.status == status
    assert ("allow" in reply.headers) == (status == 405)
    assert reply.json()["error"]["code"] == code
    assert reply.json()["error"]["type"] == "invalid_request_error"


def test_a_wrong_method_is_told_the_right_one(server: RunningServer) -> None:
    assert server.request("PUT", "/v1/chat/completions").headers["allow"] == "POST"
    assert server.request("PUT", "/v1/models").headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/healthz", "/"])
def test_head_is_get_without_body(server: RunningServer, path: str) -> None:
    reply = server.request("HEAD", path)
    assert (reply.status, reply.body, reply.headers["content-length"]) == (200, b"", "12")


@each_case(
    "method, path, status",
    [
        ("OPTIONS", "/v1/chat/completions", 204),
        ("OPTIONS", "/v1/embeddings", 204),
        ("OPTIONS", "/v1/models", 204),
        ("OPTIONS", "/healthz", 204),
        ("GET", "/healthz", 200),
        ("GET", "/v1/models", 200),
        ("POST", "/v1/chat/completions", 400),
        ("OPTIONS", "/v1/responses", 204),
        ("GET", "/v1/nothing", 400),
        ("GET", "/nothing", 404),
    ],
)
def test_web_pages_may_ask(server: RunningServer, method: str, path: str, status: int) -> None:
    reply = server.request(method, path)
    assert reply.status == status
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["access-control-allow-methods"] == "GET, POST, OPTIONS"
    assert reply.headers["access-control-allow-headers"] == "*"
    assert "server" not in reply.headers


def test_the_head_of_a_stream(server: RunningServer) -> None:
    reply = server.chat(ask("stream", stream=True))
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["cache-control"] == "no-cache"
    assert reply.headers["x-accel-buffering"] == "no"
    assert reply.headers["access-control-allow-origin"] == "*"


def test_models_are_those_of_stored_requests(server: RunningServer) -> None:
    stored = {"b": "model-b", "a": "model-a", "c": "model-a", "d": None, "e": 5}
    paths = [
        server.write_fixture(name * 64, {"response": {}, "request": {"model": model}})
        for name, model in stored.items()
    ]
    paths.append(server.write_fixture("f" * 64, {"response": {}}))
    paths.append(server.write_fixture("0" * 64, b"{"))
    paths.append(server.fixtures / f"{'1' * 64}.json")
    paths[-1].symlink_to(paths[-1].name)  # a loop, which nobody can read
    listed = server.request("GET", "/v1/models").json()
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == ["model-a", "model-b"]
    assert {model["object"] for model in listed["data"]} == {"model"}
    for path in paths:
        path.unlink()
    assert server.request("GET", "/v1/models").json() == {"object": "list", "data": []}


def test_a_file_answers_as_soon_as_it_is_there(server: RunningServer) -> None:
    payload = ask("now you see me")
    key = digest(payload)
    assert server.chat(payload).content == FALLBACK_TEXT
    path = server.write_fixture(key, answering("first"))
    assert server.chat(payload).content == "first"
    server.write_fixture(key, answering("the second"))
    assert server.chat(payload).content == "the second"
    path.write_text(json.dumps(answering("in place, by another editor")))
    assert server.chat(payload).content == "in place, by another editor"
    path.unlink()
    assert server.chat(payload).content == FALLBACK_TEXT


def test_streams_and_envelopes_have_one_fixture(server: RunningServer) -> None:
    payload = ask("both ways")
    server.write_fixture(digest(payload), answering("the same"))
    assert server.chat(payload).content == "the same"
    assert b'"content": "th"' in server.chat({**payload, "stream": True}).body


def test_a_hit_is_logged(server: RunningServer) -> None:
    payload = ask("hit")
    server.write_fixture(digest(payload), answering("hello"))
    before = server.log_size()
    server.chat(payload)
    assert logged(server, before) == [
        f"[mock-llm] served fixture {digest(payload)}",
        f"{CHAT_LINE} 200",
    ]


def test_a_miss_is_logged(server: RunningServer) -> None:
    payload = ask("miss é\u2028", stream=True)
    before = server.log_size()
    server.chat(payload)
    assert server.log(before).split("\n")[:2] == [
        f"[mock-llm] unknown fixture hash {digest(payload)}",
        "[mock-llm] request: " + json.dumps(payload, sort_keys=True, ensure_ascii=False),
    ]


def test_a_broken_fixture_is_logged_and_answered_as_a_miss(server: RunningServer) -> None:
    payload = ask("broken")
    path = server.write_fixture(digest(payload), b'{\n  "response": {"content": "a" "b"}\n}')
    before = server.log_size()
    assert server.chat(payload).content == FALLBACK_TEXT
    failed, unknown, _request, access = logged(server, before)
    assert failed.startswith(f"[mock-llm] failed to load fixture {path}: line 2, column ")
    assert unknown == f"[mock-llm] unknown fixture hash {digest(payload)}"
    assert access == f"{CHAT_LINE} 200"
    server.write_fixture(digest(payload), answering("mended"))
    assert server.chat(payload).content == "mended"


@each_case(
    "data",
    [
        b"",
        b"[]",
        b"\xef\xbb\xbf{}",
        b'{"response": {"content": "\xff"}}',
        b'{"response": {"content": "a", "usage": {"prompt_tokens": null}}}',
        b'{"response": {"content": 5}}',
        b'{"response": "text"}',
        b"[" * 100_000,
        b"<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> other\n",
        b'{"response": {"usage": {"prompt_tokens": ' + b"9" * 5000 + b"}}}",
    ],
)
def test_no_fixture_breaks_the_server(server: RunningServer, data: bytes) -> None:
    payload = ask("fixture of " + repr(data[:99]))
    server.write_fixture(digest(payload), data)
    before = server.log_size()
    reply = server.chat(payload)
    assert (reply.status, reply.content) == (200, FALLBACK_TEXT)
    assert logged(server, before)[0].startswith("[mock-llm] failed to load fixture ")


def test_a_folder_in_place_of_a_fixture_is_a_broken_one(server: RunningServer) -> None:
    payload = ask("folder")
    (server.fixtures / f"{digest(payload)}.json").mkdir(parents=True)
    before = server.log_size()
    assert server.chat(payload).content == FALLBACK_TEXT
    assert "Is a directory" in server.log(before)


def test_a_directive_is_neither_hit_nor_miss(server: RunningServer) -> None:
    before = server.log_size()
    reply = server.chat(ask("[[MOCK_LLM_EMIT:aGVsbG8]]"))
    assert reply.content == "hello"
    assert logged(server, before) == [f"{CHAT_LINE} 200"]


def test_an_unreadable_directive_is_noted(server: RunningServer) -> None:
    before = server.log_size()
    server.chat(ask("[[MOCK_LLM_EMIT:_w]]"))
    assert logged(server, before)[0].startswith("[mock-llm] bad MOCK_LLM_EMIT payload '_w'")


@pytest.mark.parametrize("fixture", [None, answering("verified"), b"{"])
def test_a_verification_is_answered_and_not_counted(server: RunningServer, fixture: Any) -> None:
    payload = ask(f"verify {fixture}")
    if fixture is not None:
        server.write_fixture(digest(payload), fixture)
    before = server.log_size()
    reply = server.chat(payload, {"X-Workbench-Verify": "1"})
    assert logged(server, before) == [f"{CHAT_LINE} 200"]
    assert reply.content == server.chat(payload).content


def test_half_a_character_where_it_does_not_count_is_logged_as_its_escape(
    server: RunningServer,
) -> None:
    payload = ask("half", metadata={"k": "a\ud800b"})
    before = server.log_size()
    assert server.chat(payload).status == 200
    unknown, request, _access = logged(server, before)
    assert unknown.endswith(digest(payload))
    assert json.loads(request.removeprefix("[mock-llm] request: ")) == payload


def test_our_own_reader_reads_the_log(server: RunningServer) -> None:
    payload = ask("read me\u0085\x1b[31m")
    before = server.log_size()
    server.chat(payload)
    events = LogParser().feed(server.log(before).encode())
    assert events[0] == MissLogged(digest(payload))
    assert isinstance(events[1], RequestLogged)
    assert json.loads(events[1].dump) == payload


def test_embeddings_are_no_misses(server: RunningServer) -> None:
    before = server.log_size()
    assert server.post("/v1/embeddings", {"input": "a"}).status == 200
    assert logged(server, before) == ["POST /v1/embeddings HTTP/1.1 200"]


def test_of_a_query_the_request_line_says_only_that_there_is_one(server: RunningServer) -> None:
    before = server.log_size()
    server.request("GET", "/healthz?a=%22b%0a")
    assert logged(server, before) == ["GET /healthz?... HTTP/1.1 200"]


@each_case("depth", range(940, 1000, 4))
def test_a_fixture_at_the_edge_of_too_deep_does_not_break_the_server(
    server: RunningServer, depth: int
) -> None:
    payload = ask(f"deep {depth}")
    nested = b"[" * depth + b"]" * depth
    server.write_fixture(digest(payload), b'{"response": {"tool_calls": ' + nested + b"}}")
    before = server.log_size()
    reply = server.chat(payload)
    assert reply.status == 200 or reply.json()["error"]["code"] in ("internal_error", "too_deep")
    assert "Traceback" not in server.log(before)


# Without a socket


async def ask_app(app: StubApp, payload: dict[str, Any], sent: list[Message], **state: Any) -> None:
    """Ask ``app`` itself; ``sent`` gets its messages."""
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/chat/completions",
        "raw_path": b"/v1/chat/completions",
        "query_string": b"",
        "http_version": "1.1",
        "client": ("127.0.0.1", 5),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        "state": state,
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": json.dumps(payload).encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)


@pytest.fixture
def app(tmp_path: Path) -> StubApp:
    """An application with a fixture for ``ask("hi")``, which was saved long ago."""
    folder = tmp_path / "fixtures"
    folder.mkdir()
    file = folder / f"{digest(ask('hi'))}.json"
    file.write_text(json.dumps(answering("hello")))
    for path in (file, folder):
        os.utime(path, (1, 1))
    return StubApp(FixtureStore(folder), "stub", Delays(), LogSink(tmp_path / "server.log"))


def test_a_reply_takes_few_calls(app: StubApp) -> None:
    # Most of what a request costs is that functions of Python call one another.
    async def calls() -> int:
        events = Counter[str]()
        sys.setprofile(lambda _frame, event, _argument: events.update([event]))
        try:
            await ask_app(app, ask("hi"), [])
        finally:
            sys.setprofile(None)
        return events["call"]

    async def fewest() -> int:
        # The first reads the fixture; in a new second a reply is written again.
        return min([await calls() for _ in range(3)])

    assert 50 < asyncio.run(fewest()) < 145


def test_what_is_known_of_a_request_is_forgotten_with_its_reply(app: StubApp) -> None:
    class Known:
        """What a server keeps in the state of a request."""

    known = Known()
    reference = weakref.ref(known)
    asyncio.run(ask_app(app, ask("hi"), [], known=known))
    del known
    gc.collect()
    assert reference() is None


def test_whatever_goes_wrong_has_a_reply(tmp_path: Path) -> None:
    nowhere = FixtureStore(Path("a folder no system has: \0"))
    app = StubApp(nowhere, "stub", Delays(), LogSink(tmp_path / "server.log"))
    sent: list[Message] = []
    with pytest.raises(ValueError, match=r"null (byte|character)"):  # for uvicorn to report
        asyncio.run(ask_app(app, {}, sent))
    assert sent[0]["status"] == 500
    error = json.loads(sent[1]["body"])["error"]
    assert (error["code"], error["type"]) == ("internal_error", "server_error")
    access, end = (tmp_path / "server.log").read_text().split("\n")
    assert access.endswith(f'"{CHAT_LINE}" 500 -')
    assert end == ""
