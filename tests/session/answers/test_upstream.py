"""The upstream as the writer of drafts, asked by the use case itself."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.scripted_server import ScriptedServer, reply
from tests.server.upstream_model import KEY, WORDS, Server, running_model
from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.session.answers.upstream import NoAnswerError, UpstreamDrafts

HELLO = ask("hello")
DIGEST = digest(HELLO)


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", KEY)
    with running_model() as server:
        yield server


class Says(BaseHTTPRequestHandler):
    """Answers as its server was told to."""

    server: Saying

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        body = self.server.body.encode()
        self.send_response(self.server.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is to be said."""


class Saying(ThreadingHTTPServer):
    def __init__(self, status: int, body: str) -> None:
        super().__init__(("127.0.0.1", 0), Says)
        self.status, self.body = status, body


def answer_to(url: str) -> object:
    drafts = UpstreamDrafts(url)
    try:
        asyncio.run(drafts.ask(DIGEST, HELLO))
    finally:
        assert drafts.waits == {}
    return drafts.answers[DIGEST].response


def test_the_answer_is_a_response(upstream: Server) -> None:
    assert answer_to(upstream.url) == {
        "content": "".join(WORDS),
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 5, "completion_tokens": 6},
    }
    assert upstream.asked[0][0] == HELLO


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (401, {"error": {"message": f"bad key {KEY}"}}, "answers 401: bad key …$"),
        (200, "", "200: the body is a string, not an object"),
        (429, {"error": {"message": "slow\ndown " + "x" * 999}}, "answers 429: slow down x{289}…$"),
        (500, {"choices": [{"message": {"content": "x"}}]}, "answers 500$"),
        (200, {"choices": []}, "200: the body is not a chat completion: "),
        (200, {"choices": [{"message": {"content": f"say {KEY}"}}]}, "the reply contains the key "),
    ],
)
def test_what_is_no_answer_is_told_without_the_key(
    status: int, body: object, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", KEY)
    with Saying(status, json.dumps(body)) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            with pytest.raises(NoAnswerError, match=told) as caught:
                answer_to(f"http://127.0.0.1:{server.server_port}/v1")
        finally:
            server.shutdown()
            thread.join()
    assert KEY not in str(caught.value)


def test_the_key_of_the_url_is_sent_and_told_nowhere() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": '{"a": "\\u0076ery-secret-thing"}'}}
    answers = [
        {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "stop"}]},
        {"error": {"message": "bad key very-secret-thing"}},
    ]
    for answer, told in zip(answers, ("the reply contains the key ", "bad key …$"), strict=True):
        body = json.dumps(answer).encode()
        with (
            ScriptedServer(partial(_say, reply(body))) as server,
            pytest.raises(NoAnswerError, match=told) as caught,
        ):
            answer_to(f"{server.url}/v1?key=very-secret-thing")
        assert "secret" not in str(caught.value)
        target = server.requests[0].split(b" ")[1]
        assert target == b"/v1/chat/completions?key=very-secret-thing"


def _say(data: bytes, connection: socket.socket, _request: bytes) -> None:
    connection.sendall(data)


def test_a_key_that_cannot_be_sent_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", "sk-ü")
    with pytest.raises(NoAnswerError, match="characters that a key cannot have"):
        answer_to("http://127.0.0.1:9/v1")


def test_several_are_under_way_and_one_line_says_so(upstream: Server) -> None:
    async def flow() -> None:
        drafts = UpstreamDrafts(upstream.url)
        assert drafts.progress == ""
        payload = ask("wait", stream=True)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(drafts.ask("1", payload))
            group.create_task(drafts.ask("2", payload))
            while sum(wait.received > 0 for wait in drafts.waits.values()) < 2:
                await asyncio.sleep(0.01)
            told = r"Asking 127\.0\.0\.1:\d+ for 2 drafts · \d+s · \d+ bytes · esc stops"
            assert re.fullmatch(told, drafts.progress)
            first.cancel()
            await asyncio.wait([first])
            assert list(drafts.waits) == ["2"]
            upstream.goes_on.set()
        assert list(drafts.answers) == ["2"]

    asyncio.run(flow())


@pytest.mark.parametrize("status", [401, 500])
def test_a_refusal_says_that_no_key_was_sent(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_UPSTREAM_KEY", raising=False)
    with Saying(status, "<html>Who are you?</html>") as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            with pytest.raises(NoAnswerError) as caught:
                answer_to(f"http://127.0.0.1:{server.server_port}/v1")
        finally:
            server.shutdown()
            thread.join()
    missing = ", and no key was sent to it; set WORKBENCH_UPSTREAM_KEY" if status == 401 else ""
    assert str(caught.value).endswith(f"answers {status}: <html>Who are you?</html>{missing}")
