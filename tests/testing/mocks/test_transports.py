"""What a mock sends, over a socket and through a transport of each library."""

from __future__ import annotations

import re
import time
from typing import Any

import httpx
import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageFunctionToolCall
from pydantic import BaseModel

from tests.server.running import wait_until
from tests.testing.support import ask, forced, messages, tool
from workbench.testing import InvalidToolCallError, MockLLM, Reply


class Decision(BaseModel):
    decision: str
    feedback: str = ""


def function_calls(message: ChatCompletionMessage) -> list[ChatCompletionMessageFunctionToolCall]:
    calls = message.tool_calls or []
    return [c for c in calls if isinstance(c, ChatCompletionMessageFunctionToolCall)]


def test_g2_response_format_gets_content_and_a_forced_tool_its_arguments(
    mock: MockLLM, client: OpenAI
) -> None:
    mock.respond(Reply.json(Decision(decision="reject", feedback="too thin")))
    parsed = client.chat.completions.parse(
        model="m", messages=messages("judge"), response_format=Decision
    )
    assert parsed.choices[0].message.parsed == Decision(decision="reject", feedback="too thin")
    called = client.chat.completions.create(
        model="m", messages=messages("judge"), tools=[tool("judge")], tool_choice=forced("judge")
    )
    [call] = function_calls(called.choices[0].message)
    assert Decision.model_validate_json(call.function.arguments).decision == "reject"
    assert called.choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize("name", ["parallel", "single"])
def test_g5_several_calls_in_a_turn_also_streamed(mock: MockLLM, client: OpenAI, name: str) -> None:
    calls = [{"name": "a", "arguments": {"x": "ä"}}, {"name": "b", "arguments": {}}]
    mock.respond(Reply.tool_calls(calls if name == "parallel" else calls[:1]))
    asked: Any = {"model": "m", "messages": messages("go"), "tools": [tool("a"), tool("b")]}
    with client.chat.completions.stream(**asked) as stream:
        final = stream.get_final_completion().choices[0]
    whole = client.chat.completions.create(**asked).choices[0]
    for choice in (final, whole):
        made = [(c.function.name, c.function.arguments) for c in function_calls(choice.message)]
        assert made == [("a", '{"x": "ä"}'), ("b", "{}")][: len(made)]
        assert choice.finish_reason == "tool_calls"


SEARCH = tool(
    "search",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}, "unchecked": {"type": "boolean"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize(
    ("reply", "more", "said"),
    [
        (
            Reply.tool_call("serch", text="x"),
            {},
            'serch, call 0: the request does not offer serch; did you mean "search"?',
        ),
        (
            Reply.tool_call("search", text=5),
            {},
            "search, call 0: text: a string, not 5",
        ),
        (
            Reply.tool_calls(
                [
                    {"name": "search", "arguments": {"text": "x"}},
                    {"name": "search", "arguments": '{"texts": "x"}'},
                ]
            ),
            {},
            "search, call 1: text is missing; search requires it",
        ),
        (
            Reply.json({"text": None}),
            {"tool_choice": forced("search")},
            "search, call 0: text: a string, not null",
        ),
        (
            Reply.json(["x"]),
            {"tool_choice": forced("search")},
            "search, call 0: the arguments are a list; expected an object",
        ),
    ],
    ids=["tool", "type", "missing", "forced", "list"],
)
def test_a_call_that_the_request_does_not_allow(
    mock: MockLLM, client: OpenAI, reply: Reply, more: dict[str, Any], said: str
) -> None:
    mock.script(reply, Reply.text("ok"), system="You are the planner")
    mock.role("planner", system="You are the planner")
    with pytest.raises(openai.BadRequestError) as caught:
        ask(client, "go", system="You are the planner", tools=[SEARCH], **more)
    assert caught.value.code == "invalid_tool_call"
    [problem] = mock.problems
    assert isinstance(problem, InvalidToolCallError)
    for text in (str(problem), str(caught.value)):
        assert "call 1 (planner: 'go')" in text
        assert said in text
        assert "unchecked=True" in text
    assert ask(client, "go", system="You are the planner", tools=[SEARCH]) == "ok"
    with pytest.raises(AssertionError, match=re.escape(said)):
        mock.assert_finished()


def test_a_call_where_nothing_is_offered(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.tool_call("search"))
    with pytest.raises(openai.BadRequestError, match="search; it offers no tools"):
        ask(client)


@pytest.mark.parametrize(
    "reply",
    [
        Reply.tool_call("buy", text=5, unchecked=True),
        Reply.tool_calls([{"name": "buy", "arguments": "{"}], unchecked=True),
        Reply.tool_call("search", text=5, unchecked=True).after(0.001).chunks_after(0.001),
        Reply.tool_calls([{"name": "search", "arguments": "{"}]),
        Reply.tool_call("search", {"text": "x", "unchecked": True}),
        Reply.json({"text": 5}, unchecked=True),
        Reply.raw('{"text": 5}'),
    ],
)
def test_calls_that_are_sent_as_they_are(mock: MockLLM, client: OpenAI, reply: Reply) -> None:
    mock.script(reply)
    choice = forced("search") if reply.structured else "auto"
    asked: Any = {"tools": [SEARCH], "tool_choice": choice}
    done = client.chat.completions.create(model="m", messages=messages("go"), **asked)
    [call] = function_calls(done.choices[0].message)
    [(name, _)] = reply.calls or [("search", None)]
    assert call.function.name == name
    assert call.function.arguments == (reply.structured or _arguments(reply))
    mock.assert_finished()


def _arguments(reply: Reply) -> str:
    text: str = reply.response["tool_calls"][0]["function"]["arguments"]
    return text


def test_streams_say_what_plain_replies_do(mock: MockLLM, client: OpenAI) -> None:
    mock.respond(Reply.text("Grüße, one two three four five six seven"))
    streamed = client.chat.completions.create(
        model="m",
        messages=messages("hi"),
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(streamed)
    said = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert said == ask(client)
    assert chunks[-1].usage is not None
    assert mock.calls()[0].stream


ODD = {
    "emoji": "👩‍👩‍👧 family",
    "right to left": "שלום \u202etxet",
    "NUL": "a\x00b",
    "HTML": "<script>alert(1)</script>",
    "SQL": "'; DROP TABLE users; --",
    "path": "../../etc/passwd",
    "shell": "$(rm -rf /)",
    "line ends": "a\r\nb\u2028c\u0085d",
    "markup": "[bold]x[/bold] [[ALSO]]",
    "blank": "   ",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_g12_odd_characters_come_through_unchanged(
    mock: MockLLM, client: OpenAI, text: str
) -> None:
    mock.respond(lambda call: Reply.text(call.user))
    assert ask(client, text) == text
    assert mock.calls()[0].user == text


def test_g12_a_prompt_of_a_megabyte(mock: MockLLM, client: OpenAI) -> None:
    text = "0123456789abcdeß" * 65_536
    mock.respond(lambda call: Reply.text(call.user[::-1]))
    assert ask(client, text) == text[::-1]


def test_embeddings_and_models_are_there(client: OpenAI) -> None:
    one, two = client.embeddings.create(model="e", input=["a", "b"]).data
    assert len(one.embedding) == len(two.embedding) == 768
    assert list(client.models.list()) == []
    assert client.models.retrieve("org/name").id == "org/name"


# Failures.


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_g6_errors_of_the_api(
    mock: MockLLM, client: OpenAI, status: int, error: type[openai.APIStatusError]
) -> None:
    mock.script(Reply.error(status, "as scripted", retry_after=7))
    with pytest.raises(error, match="as scripted") as caught:
        ask(client)
    assert caught.value.response.headers["retry-after"] == "7"
    assert mock.problems == []


def test_g6_failures_then_success(mock: MockLLM, client: OpenAI) -> None:
    mock.script(
        Reply.error(429, retry_after=0.01),
        Reply.error(503, retry_after=0.01),
        Reply.text("at last"),
    )
    assert ask(client.with_options(max_retries=2)) == "at last"
    assert len(mock.calls()) == 3
    mock.assert_finished()


def test_g6_a_reply_that_never_comes(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.timeout(), Reply.text("awake"))
    with pytest.raises(openai.APITimeoutError):
        ask(client, timeout=0.15)
    wait_until("the first call", mock.calls)  # a busy server may read it later
    assert ask(client) == "awake"


def test_g6_a_reply_that_comes_late(mock: MockLLM, client: OpenAI) -> None:
    mock.script(Reply.text("late").after(0.1), Reply.text("too late").after(5))
    began = time.monotonic()
    assert ask(client) == "late"
    assert time.monotonic() - began >= 0.1
    with pytest.raises(openai.APITimeoutError):
        ask(client, timeout=0.15)


@pytest.mark.parametrize("stream", [False, True])
def test_g6_no_reply_but_a_closed_connection(
    mock: MockLLM, client: OpenAI, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    mock.script(Reply.disconnect(), Reply.text("again"))
    with pytest.raises(openai.APIConnectionError):
        ask(client, stream=stream)
    assert ask(client) == "again"
    assert [r for r in caplog.records if r.levelname in ("WARNING", "ERROR")] == []


@pytest.mark.parametrize("stream", [False, True])
def test_g6_a_refused_connection(mock: MockLLM, client: OpenAI, stream: bool) -> None:
    """Through a transport the connection is refused; over a socket it can only be closed."""
    mock.script(Reply.refused(), Reply.text("again"))
    with pytest.raises(openai.APIConnectionError) as caught:
        ask(client, stream=stream)
    is_http = client.base_url.host == "127.0.0.1"
    kind = type(caught.value.__cause__).__name__
    assert kind == "ConnectError" or (is_http and kind in ("RemoteProtocolError", "ReadError"))
    assert is_http == (kind != "ConnectError")
    assert ask(client) == "again"
    assert [str(call.reply) for call in mock.calls()] == ["(connection refused)", "again"]
    mock.assert_finished()


def test_g6_a_connection_that_closes_in_mid_stream(mock: MockLLM, client: OpenAI) -> None:
    mock.respond(Reply.disconnect(after=3, content="abcdefghij"))
    stream = client.chat.completions.create(model="m", messages=messages("x"), stream=True)
    said = [next(stream).choices[0].delta.content or "" for _ in range(3)]
    assert "".join(said) == "abcd"
    # The client turns errors of its own library into its own.
    with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
        next(stream)
    with pytest.raises(openai.APIConnectionError):
        ask(client)


def test_g6_slow_chunks(mock: MockLLM, client: OpenAI) -> None:
    mock.respond(Reply.text("abcde").chunks_after(0.03))
    began = time.monotonic()
    assert len(list(client.chat.completions.create(model="m", messages=messages("x"), stream=True)))
    assert time.monotonic() - began >= 4 * 0.03
