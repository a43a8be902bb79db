"""Passing requests on to the real model, and keeping its replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.core.fixture.rules.rule_cases import KEY as OTHER_KEY
from tests.scripted_server import ScriptedServer, reply
from tests.testing.support import ask, client_of, messages
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.written.credentials import Credentials
from workbench.io.fixture.reply_saver import ReplySaver
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.testing import MockLLM, Reply
from workbench.testing.mocks.live import LiveModel
from workbench.testing.mocks.project_mock import ProjectMock

LOGGER = "workbench.testing"
KEY = "sk-" + "aB3dE5gH7jK9" * 4


@pytest.fixture
def real(mock: MockLLM) -> MockLLM:
    """A mock in the role of the real model."""
    return mock


@pytest.fixture
def client(real: MockLLM, tmp_path: Path) -> Iterator[OpenAI]:
    """A client of a mock that passes its requests on and keeps the replies."""
    upstream = LiveModel(real.base_url, ReplySaver(FixtureStore(tmp_path)))
    with ProjectMock(upstream=upstream) as mock, client_of(mock) as client:
        yield client


def kept(folder: Path) -> list[Any]:
    return [json.loads(path.read_bytes()) for path in folder.iterdir()]


def test_only_what_is_meant_for_it_is_sent_on(real: MockLLM, client: OpenAI) -> None:
    real.respond(Reply.text("live"))
    ours = {"X-Workbench-Node": "planner", "X-Mock-LLM-Total-Delay-Ms": "1", "Cookie": "a=b"}
    assert ask(client, extra_headers={**ours, "X-Theirs": "1"}) == "live"
    [asked] = real.calls()
    assert asked.headers["x-theirs"] == "1"
    assert not {name.lower() for name in ours} & set(asked.headers)


def test_its_replies_stand_among_the_calls(real: MockLLM) -> None:
    real.script(Reply.text("live"), Reply.error(429, "slow down"))
    with ProjectMock(upstream=LiveModel(real.base_url)) as mock, client_of(mock) as client:
        assert ask(client) == "live"
        with pytest.raises(openai.RateLimitError):
            ask(client)
        replies = [(call.source, str(call.reply)) for call in mock.calls()]
    assert replies == [("live", "live"), ("live", "429 the body is an error: slow down")]


def test_a_reply_that_holds_a_key_is_not_written_down(
    real: MockLLM, client: OpenAI, tmp_path: Path
) -> None:
    real.respond(Reply.text(f"your key is {KEY}"))
    with pytest.raises(
        openai.BadRequestError, match="cannot be saved as a fixture: the reply contains"
    ) as told:
        ask(client)
    assert KEY not in str(told.value)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("name", ["x-api-key", "Cookie", "Authorization", "key"])
def test_a_reply_that_repeats_a_credential_of_its_request_is_not_written_down(
    real: MockLLM, client: OpenAI, tmp_path: Path, name: str
) -> None:
    arguments = '{"key": "\\u0076ery-secret-thing"}'
    real.respond(Reply({"tool_calls": [tool_call("f", arguments)]}))
    given: dict[str, Any] = {"extra_headers": {name: "a=very-secret-thing"}}
    if name == "key":
        given = {"extra_query": {name: "very-secret-thing"}}
    elif name != "Cookie":
        given = {"extra_headers": {name: "Bearer very-secret-thing"}}
    with pytest.raises(openai.BadRequestError, match="the reply contains the key of the request"):
        ask(client, tools=[{"type": "function", "function": {"name": "f"}}], **given)
    assert kept(tmp_path) == []


@pytest.mark.parametrize("prompt", ["hi", f"my key is {json.dumps(KEY)[1:-1]}"])
@pytest.mark.parametrize("status", [200, 401])
def test_an_exchange_that_repeats_the_key_is_written_nowhere(
    real: MockLLM, prompt: str, status: int
) -> None:
    said = "Incorrect API key provided" + (f": {KEY}" if prompt == "hi" else "")
    real.script(
        Reply.error(status, said) if status != 200 else Reply.text(said), Reply.text("fine")
    )
    with ProjectMock(upstream=LiveModel(real.base_url)) as mock, client_of(mock) as client:
        keyed = client.with_options(api_key=KEY)
        with nullcontext() if status == 200 else pytest.raises(openai.AuthenticationError):
            ask(keyed, prompt)
        assert ask(client) == "fine"
        assert [exchange.position for exchange in mock.exchanges] == [2]
        assert [call.number for call in mock.calls()] == [1, 2]


def tool_call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_prompt_that_repeats_the_key_of_its_request_is_left_out(
    real: MockLLM, client: OpenAI, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    real.respond(Reply.text("live"))
    headers = {"x-api-key": "very-secret-thing"}
    assert ask(client, "is very-secret-thing right?", extra_headers=headers) == "live"
    [fixture] = kept(tmp_path)
    assert "request" not in fixture
    assert "without its request, which contains the key that was sent" in caplog.text


def test_the_query_is_sent_on_and_never_shown() -> None:
    body = b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}'
    with ScriptedServer(lambda client, _: client.sendall(reply(body))) as server:
        base_url = f"{server.url}/v1?api-version=1"
        with ProjectMock(upstream=LiveModel(base_url)) as mock, client_of(mock) as client:
            assert ask(client, extra_query={"key": "very-secret-thing"}) == "x"
        target = server.requests[-1].split(b" ")[1]
    assert target == b"/v1/chat/completions?api-version=1&key=very-secret-thing"
    with ProjectMock(upstream=LiveModel(base_url)) as mock, client_of(mock) as client:
        with pytest.raises(openai.BadRequestError, match="/v1/chat/completions did not") as told:
            ask(client, extra_query={"key": "very-secret-thing"})
        assert "secret" not in str(told.value)


def test_the_credentials_of_an_mcp_server_are_sent_on_and_not_kept(tmp_path: Path) -> None:
    said = {"type": "message", "content": [{"type": "output_text", "text": "live"}]}
    body = json.dumps({"id": "resp_1", "status": "completed", "output": [said]}).encode()
    tools: Any = [
        {"type": "function", "name": "f", "parameters": {}, "strict": True},
        {"type": "mcp", "server_label": "s", "authorization": "very-secret-thing"},
    ]
    with ScriptedServer(lambda client, _: client.sendall(reply(body))) as server:
        upstream = LiveModel(f"{server.url}/v1", ReplySaver(FixtureStore(tmp_path)))
        with ProjectMock(upstream=upstream) as mock, client_of(mock) as client:
            answered = client.responses.create(model="m", input="Hi", tools=tools)
    assert answered.output_text == "live"
    assert json.loads(server.requests[0].partition(b"\r\n\r\n")[2])["tools"] == tools
    assert "secret" not in json.dumps(kept(tmp_path))


def test_a_reply_that_is_compressed_twice_is_refused() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip\r\ncontent-length: 2\r\n\r\nxx"
    with (
        ScriptedServer(lambda client, _: client.sendall(head)) as server,
        ProjectMock(upstream=LiveModel(f"{server.url}/v1")) as mock,
        client_of(mock) as client,
        pytest.raises(openai.BadRequestError, match="its reply is encoded as 'gzip, gzip'"),
    ):
        ask(client)
    assert b"accept-encoding: identity" in server.requests[0].lower()


def test_a_prompt_that_holds_a_key_is_left_out_of_what_is_kept(
    real: MockLLM, client: OpenAI, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    real.respond(Reply.text("live"))
    assert ask(client, f"my key is {KEY}") == "live"
    [fixture] = kept(tmp_path)
    assert fixture["response"]["content"] == "live"
    assert KEY not in json.dumps(fixture)
    said = f"kept fixture {fixture['request_digest']} without its request, which contains "
    assert said in caplog.text
    assert KEY not in caplog.text


def test_a_request_that_is_too_large_is_kept_without_its_messages(
    real: MockLLM, tmp_path: Path
) -> None:
    real.respond(Reply.text("live"))
    model = LiveModel(real.base_url, ReplySaver(FixtureStore(tmp_path), request_limit=1_024))
    with ProjectMock(upstream=model) as mock, client_of(mock) as client:
        ask(client, "x" * 2_000)
        [said] = mock.remarks
    [fixture] = kept(tmp_path)
    assert "messages" not in fixture["request"]
    name = fixture["request_digest"]
    assert said.startswith(f"{name} was recorded without the messages of its request, which has")


def test_what_is_kept_already_stays(real: MockLLM, client: OpenAI, tmp_path: Path) -> None:
    real.script(Reply.text("one"), Reply.text("other"))
    assert [ask(client), ask(client)] == ["one", "other"]
    [fixture] = kept(tmp_path)
    assert fixture["response"]["content"] == "one"


def test_an_error_before_an_answer_is_kept_as_the_first_of_the_sequence(
    real: MockLLM, client: OpenAI, tmp_path: Path
) -> None:
    real.script(Reply.error(429, "slow down"), Reply.text("live"))
    with pytest.raises(openai.RateLimitError):
        ask(client)
    assert kept(tmp_path) == []
    assert ask(client) == "live"
    [fixture] = kept(tmp_path)
    [first] = fixture["first"]
    assert (first["error"]["status"], first["error"]["message"]) == (429, "slow down")
    assert fixture["response"]["content"] == "live"


def test_a_model_that_cannot_be_reached_is_an_error() -> None:
    nowhere = "http://127.0.0.1:1/v1"
    with ProjectMock(upstream=LiveModel(nowhere)) as mock, client_of(mock) as client:
        with pytest.raises(openai.BadRequestError, match=f"{nowhere}/chat/completions did not"):
            ask(client)
        [problem] = mock.problems
        assert problem.code == "upstream_failed"


def test_a_reply_that_cannot_be_kept_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bodies = [
        b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n'
        b'data: {"error": {"message": "Overloaded."}}\n\n',
        b"<html>",
    ]
    with ScriptedServer(lambda client, _: client.sendall(reply(bodies.pop(0), ""))) as server:
        upstream = LiveModel(f"{server.url}/v1", ReplySaver(FixtureStore(tmp_path)))
        with ProjectMock(upstream=upstream) as mock, client_of(mock) as client:
            for prompt in ("One", "Two"):
                with suppress(Exception):
                    ask(client, prompt)
            digests = [call.digest for call in mock.calls()]
    assert kept(tmp_path) == []
    assert [record.getMessage() for record in caplog.records if record.name == LOGGER] == [
        f"kept no fixture {digests[0]}: frame 1 is an error: Overloaded.",
        f"kept no fixture {digests[1]}: the body is not JSON: Expecting value: line 1 column 1"
        " (char 0)",
    ]


def test_a_problem_does_not_quote_a_prompt_that_repeats_the_key() -> None:
    with MockLLM() as mock, client_of(mock, api_key=KEY) as client:
        with pytest.raises(openai.NotFoundError, match="it repeats a credential") as told:
            client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": f"my key is {KEY}"}]
            )
        assert KEY[:20] not in f"{told.value} {mock.problems}"


def test_nor_do_differences_from_a_fixture(tmp_path: Path) -> None:
    stored = {"model": "m", "messages": messages("Is it raining?", "You are a weather bot.")}
    document = new_document(digest(stored), {"content": "x"}, request=stored)
    (tmp_path / f"{digest(stored)}.json").write_text(document.text)
    fixtures = StoredFixtures(FixtureStore(tmp_path))
    logged = ProjectMock(fixtures, log_options=lambda: ["--log", "x.log"])
    with logged as mock, client_of(mock, api_key=KEY) as client:
        with pytest.raises(openai.NotFoundError, match="Take the credential out") as told:
            ask(client, "Is it raining?", system=f"You are a weather bot. {KEY}", model="m")
        assert KEY[:20] not in f"{told.value} {mock.problems} {mock.calls()[0].unanswered}"
        assert "workbench " not in str(told.value)
        with pytest.raises(openai.NotFoundError, match="The nearest fixture is") as told:
            ask(client, "Is it raining?", system=f"You are a weather bot. {OTHER_KEY}", model="m")
        assert "contains what looks like an API key (sk-…f3a). Remove it" in str(told.value)
        assert not re.search("workbench (?:rekey|promote) ", str(told.value))


def test_a_reply_is_looked_through_once(
    real: MockLLM, client: OpenAI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, bodies = Credentials.are_in_body, list[bytes]()

    def counted(credentials: Credentials, content_type: str, body: bytes) -> bool:
        bodies.append(body)
        return look(credentials, content_type, body)

    monkeypatch.setattr(Credentials, "are_in_body", counted)
    real.respond(Reply.text("live"))
    assert ask(client) == "live"
    assert len(kept(tmp_path)) == sum(b'"choices"' in body for body in bodies) == 1
