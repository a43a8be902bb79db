"""The Messages API over real HTTP: with the official client, and with recorded requests."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.core.apis.messages.test_request import REQUESTS, said
from tests.server import hurried
from tests.server.running import RunningServer, wait_until
from workbench.core.apis.messages.request import earlier_id
from workbench.core.apis.table import view

if TYPE_CHECKING:
    from anthropic import Anthropic
    from anthropic.types import MessageParam

MODEL = "claude-sonnet-4-6"
PING = b'event: ping\ndata: {"type":"ping"}\n\n'


@pytest.fixture(scope="module")
def anthropic_client(server: RunningServer) -> Iterator[Anthropic]:
    with official(server.url) as client:
        yield client


def official(url: str) -> Anthropic:
    from anthropic import Anthropic

    return Anthropic(base_url=url, api_key="none", max_retries=0)


def question(text: str) -> list[MessageParam]:
    return [{"role": "user", "content": text}]


def answer(server: RunningServer, text: str, response: dict[str, Any]) -> None:
    """Write the fixture for a question."""
    asked = view({"api": "messages", "model": MODEL, "messages": question(text)})
    server.write_fixture(asked.digest, {"response": response})


def ask(client: Anthropic, text: str, *, stream: bool = False) -> Any:
    asked: Any = {"model": MODEL, "max_tokens": 9, "messages": question(text)}
    if not stream:
        return client.messages.create(**asked)
    with client.messages.stream(**asked) as events:
        return events.get_final_message()


def test_recorded_requests_have_the_digests_of_the_chat_requests_that_say_the_same(
    server: RunningServer,
) -> None:
    for recorded in REQUESTS:
        if "reply" in recorded:  # to which the next request refers
            answered = {"response": said(recorded["reply"])}
            server.write_fixture(recorded["digest"], answered)
        before = server.log_size()
        reply = server.post(recorded["path"], ours(recorded["body"]))
        log = server.log(before)
        if recorded["digest"] is None:
            assert reply.status == 400
            assert "[mock-llm] unsupported request POST /v1/messages: " in log
        else:
            assert reply.status == 200
            assert f" {recorded['digest']}\n" in log


def ours(body: dict[str, Any]) -> dict[str, Any]:
    """A recorded request with the id of our reply for that of the recorded one."""
    earlier = earlier_id(body)
    if earlier is None:
        return body
    before = next(other for other in REQUESTS if other.get("response_id") == earlier)
    thread = {**body["thread"], "previous_message_id": f"msg_{before['digest']}"}
    return {**body, "thread": thread}


def test_a_thread_that_is_not_known_is_listed(
    server: RunningServer, anthropic_client: Anthropic
) -> None:
    from anthropic import NotFoundError

    with pytest.raises(NotFoundError):
        anthropic_client.beta.messages.create(
            model=MODEL,
            max_tokens=9,
            messages=[{"role": "user", "content": "Go on."}],
            thread={"type": "continue", "previous_message_id": "msg_01"},
        )
    reason = "this server does not have the thread that the request continues"
    rows = server.request("GET", "/__workbench/misses").json()
    assert [row["api"] for row in rows if row.get("reason") == reason] == ["messages"]


def test_a_thread_is_found_in_the_fixture_that_answered_it(tmp_path: Path) -> None:
    """After a restart, too."""
    first = {"model": MODEL, "system": "Be brief.", "messages": question("One")}
    asked = view({"api": "messages", **first})
    with RunningServer(tmp_path) as server:
        fixture = {"response": {"content": "First."}, "request": asked.payload}
        server.write_fixture(asked.digest, fixture)
        thread = {"type": "continue", "previous_message_id": f"msg_{asked.digest}"}
        second = {"model": MODEL, "messages": question("Two"), "thread": thread}
        assert server.post("/v1/messages", second).status == 200
        log = server.log()
    whole = [*question("One"), {"role": "assistant", "content": "First."}, *question("Two")]
    same = view({"api": "messages", **first, "messages": whole})
    assert f"[mock-llm] unknown fixture hash {same.digest}\n" in log
    dump = json.loads(log.partition("[mock-llm] request: ")[2].partition("\n")[0])
    assert view(dump).digest == same.digest


@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_and_counts(
    server: RunningServer, anthropic_client: Anthropic, stream: bool
) -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 5}
    cached = {"prompt_tokens_details": {"cached_tokens": 8}}
    response = {"content": "Hi.", "reasoning": "They greet.", "usage": {**usage, **cached}}
    answer(server, "thoughts", response)
    message = ask(anthropic_client, "thoughts", stream=stream)
    thought, said = message.content
    assert (thought.thinking, said.text) == ("They greet.", "Hi.")
    counts = message.usage
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (12, 8)
    assert (counts.output_tokens, message.stop_reason) == (5, "end_turn")


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal(server: RunningServer, anthropic_client: Anthropic, stream: bool) -> None:
    answer(server, "refused", {"refusal": "I cannot help with that."})
    message = ask(anthropic_client, "refused", stream=stream)
    assert (message.stop_reason, message.content) == ("refusal", [])
    assert message.stop_details.explanation == "I cannot help with that."


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("status", "kind"), [(429, "RateLimitError"), (529, "OverloadedError")])
def test_an_error(
    server: RunningServer,
    anthropic_client: Anthropic,
    status: int,
    kind: str,
    stream: bool,
) -> None:
    import anthropic

    error = {"status": status, "message": "Slow down.", "retry_after": 3}
    answer(server, f"error {status}", {"error": error})
    with pytest.raises(getattr(anthropic, kind), match="Slow down") as raised:
        ask(anthropic_client, f"error {status}", stream=stream)
    assert raised.value.response.headers["retry-after"] == "3"
    assert raised.value.request_id is not None


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("POST", "/v1/messages", b"{", 400, "invalid_request_error"),
        ("POST", "/v1/messages?beta=true", b"[]", 400, "invalid_request_error"),
        ("POST", "/v1/messages/count_tokens", b"[]", 400, "invalid_request_error"),
        ("GET", "/v1/messages", None, 405, "invalid_request_error"),
        ("POST", "/v1/messages/batches", b"{}", 400, "invalid_request_error"),
    ],
)
def test_a_refused_request_has_an_error_of_the_api(
    server: RunningServer, method: str, path: str, body: bytes | None, status: int, kind: str
) -> None:
    reply = server.request(method, path, body)
    found = reply.json()
    assert (reply.status, found["type"], found["error"]["type"]) == (status, "error", kind)


def test_tokens_are_counted(anthropic_client: Anthropic) -> None:
    count = anthropic_client.messages.count_tokens(
        model=MODEL, system="Be brief.", messages=question("How many tokens is this?")
    )
    assert count.input_tokens == len("Be brief.\nHow many tokens is this?") // 4


def test_a_held_request_hears_pings_and_then_its_answer(tmp_path: Path) -> None:
    from anthropic import APIStatusError

    with (
        RunningServer(tmp_path, arguments=("--hold",), program=hurried.PROGRAM) as server,
        ThreadPoolExecutor(1) as pool,
        official(server.url) as client,
    ):
        refused = pool.submit(ask, client, "held, then refused", stream=True)
        wait_until("held", lambda: len(held(server)) == 1)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        asked = {"model": MODEL, "messages": question("held"), "stream": True}
        connection.request("POST", "/v1/messages", json.dumps(asked))
        reply = connection.getresponse()
        assert reply.read(len(PING)) == PING
        answer(server, "held", {"content": "At last."})
        error = {"status": 529, "message": "Too late."}
        answer(server, "held, then refused", {"error": error})
        rest = reply.read().replace(PING, b"")
        connection.close()
        assert rest.startswith(b"event: message_start\n")
        assert rest.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')
        with pytest.raises(APIStatusError, match=r"overloaded_error.*Too late") as raised:
            refused.result(60)
        assert raised.value.status_code == 200


def held(server: RunningServer) -> Any:
    return server.request("GET", "/__workbench/held").json()
