"""The official client library reads the replies."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.replies.response import FALLBACK_TEXT

TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
CALL = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
}


def messages(text: str) -> Any:
    return [{"role": "user", "content": text}]


def answer(server: RunningServer, text: str, response: dict[str, Any]) -> None:
    payload = {"model": "gpt-4o", "messages": messages(text)}
    server.write_fixture(digest(payload), {"response": response})


def test_an_envelope(server: RunningServer, client: OpenAI) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    answer(server, "plain", {"content": "héllo", "finish_reason": "length", "usage": usage})
    reply = client.chat.completions.create(model="gpt-4o", messages=messages("plain"))
    (choice,) = reply.choices
    assert (choice.message.content, choice.finish_reason) == ("héllo", "length")
    assert reply.usage is not None
    assert reply.usage.total_tokens == 7


def test_a_stream(server: RunningServer, client: OpenAI) -> None:
    answer(server, "streamed", {"content": "one two three \u2028 four"})
    with client.chat.completions.create(
        model="gpt-4o", messages=messages("streamed"), stream=True
    ) as stream:
        chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == "one two three \u2028 four"
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_a_call(server: RunningServer, client: OpenAI) -> None:
    answer(server, "call", {"tool_calls": [CALL], "finish_reason": "tool_calls"})
    reply = client.chat.completions.create(model="gpt-4o", messages=messages("call"), tools=[TOOL])
    calls = reply.choices[0].message.tool_calls
    assert calls is not None
    assert [call.id for call in calls] == ["call_1"]
    assert calls[0].type == "function"
    assert json.loads(calls[0].function.arguments) == {"city": "London"}
    assert reply.choices[0].finish_reason == "tool_calls"


def test_a_streamed_call(server: RunningServer, client: OpenAI) -> None:
    answer(server, "streamed call", {"tool_calls": [CALL], "finish_reason": "tool_calls"})
    with client.chat.completions.stream(
        model="gpt-4o", messages=messages("streamed call"), tools=[TOOL]
    ) as stream:
        reply = stream.get_final_completion()
    calls = reply.choices[0].message.tool_calls
    assert calls is not None
    assert calls[0].function.name == "get_weather"
    assert json.loads(calls[0].function.arguments) == {"city": "London"}


def test_a_miss(client: OpenAI) -> None:
    reply = client.chat.completions.create(model="gpt-4o", messages=messages("no fixture"))
    assert reply.choices[0].message.content == FALLBACK_TEXT


def test_a_refusal(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="lone surrogate") as caught:
        client.post(
            "/chat/completions",
            cast_to=object,
            content=b'{"model": "\\ud800"}',
            options={"headers": {"Content-Type": "application/json"}},
        )
    assert caught.value.code == "lone_surrogate"


def test_embeddings(client: OpenAI) -> None:
    reply = client.embeddings.create(model="text-embedding-3-small", input=["a", "b"])
    assert [item.index for item in reply.data] == [0, 1]
    assert [len(item.embedding) for item in reply.data] == [768, 768]
    assert reply.data[0].embedding[0] == 0.7960094574086485


@pytest.mark.parametrize("name", ["gpt-4o", "org/name", "ft:gpt-4o:org::id", "a b/é%2F"])
def test_one_model_is_there_whatever_its_name(client: OpenAI, name: str) -> None:
    assert client.models.retrieve(name).id == name


def test_no_model_has_no_name(server: RunningServer) -> None:
    assert server.request("GET", "/v1/models/").status == 400
    assert server.request("DELETE", "/v1/models/m").headers["allow"] == "GET, HEAD"
    assert server.request("GET", "/v1/models/org%2Fname").json()["id"] == "org/name"


def test_models(server: RunningServer, client: OpenAI) -> None:
    server.write_fixture("a" * 64, {"response": {}, "request": {"model": "gpt-4o-mini"}})
    assert "gpt-4o-mini" in [model.id for model in client.models.list()]
