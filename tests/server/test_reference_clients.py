"""The official client reads the replies to fixtures of the reference, in both profiles."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import openai
import pytest
from openai import (
    AsyncOpenAI,
    ContentFilterFinishReasonError,
    LengthFinishReasonError,
    OpenAI,
)
from openai.types import CreateEmbeddingResponse, Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from tests import reference
from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName


def responses() -> list[dict[str, Any]]:
    """Every third of the responses that reference fixtures hold."""
    files = reference.AGENT_FIXTURES.iterdir()
    fixtures = [json.loads(file.read_bytes()) for file in sorted(files)]
    fixtures += [exchange["fixture"] for exchange in reference.exchanges() if exchange["fixture"]]
    found = {json.dumps(fixture["response"]): fixture["response"] for fixture in fixtures}
    return list(found.values())[::3]


RESPONSES = responses()
# What the client's parse() refuses on purpose.
REFUSED: dict[str, type[Exception]] = {
    "length": LengthFinishReasonError,
    "content_filter": ContentFilterFinishReasonError,
}


def test_there_are_many() -> None:
    assert len(RESPONSES) > 45
    assert sum(lacks_index(response) for response in RESPONSES) > 6


def lacks_index(response: dict[str, Any]) -> bool:
    """Whether its calls, sent as they are written, are no stream the client can put together."""
    return any("index" not in call for call in response.get("tool_calls") or [])


@pytest.fixture(scope="module", params=PROFILE_NAMES)
def profile(request: pytest.FixtureRequest) -> ProfileName:
    return request.param  # type: ignore[no-any-return]


def asking(text: str) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}


def calls_of(message: Any) -> list[tuple[str, str, str]]:
    return [(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or []]


def written_calls(response: dict[str, Any]) -> list[tuple[str, str, str]]:
    calls = response.get("tool_calls") or []
    return [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in calls]


def test_responses(server: RunningServer, client: OpenAI, profile: ProfileName) -> None:
    for number, response in enumerate(RESPONSES):
        payload = asking(f"response {number}")
        server.write_fixture(digest(payload), {"response": response})
        check_models(server, payload)
        check_plain(client, payload, response, profile)
        check_stream(client, payload, response, profile)


def check_models(server: RunningServer, payload: dict[str, Any]) -> None:
    """The client builds its models of anything; here they check what they get."""
    ChatCompletion.model_validate_json(server.chat(payload).body)


def check_plain(
    client: OpenAI, payload: dict[str, Any], response: dict[str, Any], profile: ProfileName
) -> None:
    reply: ChatCompletion
    if response.get("finish_reason") in REFUSED:
        with pytest.raises(REFUSED[response["finish_reason"]]):
            client.chat.completions.parse(**payload)
        reply = client.chat.completions.create(**payload)
    else:
        reply = client.chat.completions.parse(**payload)
    message = reply.choices[0].message
    assert (message.content or "") == (response.get("content") or "")
    assert calls_of(message) == written_calls(response)
    ends = "tool_calls" if profile == "openai" and response.get("tool_calls") else "stop"
    assert reply.choices[0].finish_reason == (response.get("finish_reason") or ends)


def check_stream(
    client: OpenAI, payload: dict[str, Any], response: dict[str, Any], profile: ProfileName
) -> None:
    if profile == "stub" and lacks_index(response):
        with pytest.raises((TypeError, RuntimeError)):
            final(client, payload)
        return
    if response.get("finish_reason") in REFUSED:
        with pytest.raises(REFUSED[response["finish_reason"]]):
            final(client, payload)
        return
    message = final(client, payload).choices[0].message
    calls = written_calls(response)
    lost = profile == "stub" and calls
    assert (message.content or "") == ("" if lost else response.get("content") or "")
    assert calls_of(message) == calls


def final(client: OpenAI, payload: dict[str, Any]) -> Any:
    with client.chat.completions.stream(**payload) as stream:
        for event in stream:
            if event.type == "chunk":
                ChatCompletionChunk.model_validate(event.chunk.model_dump())
        return stream.get_final_completion()


# Structured output


class Plan(BaseModel):
    steps: list[str]


def test_structured_output_is_parsed(server: RunningServer, client: OpenAI) -> None:
    payload = asking("plan")
    content = '{"steps": ["look", "leap"]}'
    server.write_fixture(digest(payload), {"response": {"content": content}})
    reply = client.chat.completions.parse(**payload, response_format=Plan)
    assert reply.choices[0].message.parsed == Plan(steps=["look", "leap"])
    with client.chat.completions.stream(**payload, response_format=Plan) as stream:
        streamed = stream.get_final_completion()
    assert streamed.choices[0].message.parsed == Plan(steps=["look", "leap"])


def test_arguments_are_parsed(server: RunningServer, client: OpenAI) -> None:
    payload = asking("plan by a tool")
    call = {"index": 0, "id": "c", "type": "function"}
    call["function"] = {"name": "Plan", "arguments": '{"steps": ["look"]}'}
    response = {"tool_calls": [call], "finish_reason": "tool_calls"}
    server.write_fixture(digest(payload), {"response": response})
    tools = [openai.pydantic_function_tool(Plan)]
    reply = client.chat.completions.parse(**payload, tools=tools)
    (parsed,) = reply.choices[0].message.tool_calls or []
    assert parsed.function.parsed_arguments == Plan(steps=["look"])
    with client.chat.completions.stream(**payload, tools=tools) as stream:
        events = [event.type for event in stream]
        final = stream.get_final_completion()
    assert "tool_calls.function.arguments.done" in events
    (streamed,) = final.choices[0].message.tool_calls or []
    assert streamed.function.parsed_arguments == Plan(steps=["look"])


def test_several_calls_are_told_apart(server: RunningServer, client: OpenAI) -> None:
    payload = asking("two plans")
    texts = ['{"steps": ["look"]}', '{"steps": []}']
    calls = [
        {
            "index": i,
            "id": f"c{i}",
            "type": "function",
            "function": {"name": "Plan", "arguments": t},
        }
        for i, t in enumerate(texts)
    ]
    response = {"tool_calls": calls, "finish_reason": "tool_calls"}
    server.write_fixture(digest(payload), {"response": response})
    tools = [openai.pydantic_function_tool(Plan)]
    whole = client.chat.completions.parse(**payload, tools=tools)
    with client.chat.completions.stream(**payload, tools=tools) as stream:
        done = [e.index for e in stream if e.type == "tool_calls.function.arguments.done"]
        streamed = stream.get_final_completion()
    assert done == [0, 1]
    for reply in (whole, streamed):
        made = reply.choices[0].message.tool_calls or []
        found = [(call.id, call.function.parsed_arguments) for call in made]
        assert found == [("c0", Plan(steps=["look"])), ("c1", Plan(steps=[]))]


def test_the_client_that_does_not_wait(server: RunningServer) -> None:
    payload = asking("asynchronous")
    server.write_fixture(digest(payload), {"response": {"content": "one two three, a fourth"}})

    async def ask() -> tuple[list[str], Any]:
        async with (
            AsyncOpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0) as made,
            made.chat.completions.stream(**payload) as stream,
        ):
            deltas = [event.delta async for event in stream if event.type == "content.delta"]
            return deltas, await stream.get_final_completion()

    deltas, reply = asyncio.run(ask())
    assert "".join(deltas) == reply.choices[0].message.content == "one two three, a fourth"
    assert len(deltas) > 1


def test_what_is_no_chat_is_typed_too(server: RunningServer, client: OpenAI) -> None:
    payload = asking("a model with a fixture")
    server.write_fixture(digest(payload), {"response": {"content": ""}, "request": payload})
    assert "gpt-4o" in [model.id for model in client.models.list()]
    listed = server.request("GET", "/v1/models").json()
    assert listed["object"] == "list"
    for value in listed["data"]:
        Model.model_validate(value)
    made = server.post("/v1/embeddings", {"model": "m", "input": ["a", "b"]})
    CreateEmbeddingResponse.model_validate_json(made.body)


def test_a_parser_sees_what_is_no_json(server: RunningServer, client: OpenAI) -> None:
    payload = asking("no plan")
    server.write_fixture(digest(payload), {"response": {"content": '{"steps": "look'}})
    with pytest.raises(ValueError, match="Invalid JSON"):
        client.chat.completions.parse(**payload, response_format=Plan)


def test_the_usage_of_a_stream_comes_where_it_is_asked_for(
    server: RunningServer, client: OpenAI, profile: ProfileName
) -> None:
    payload = asking("usage")
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    server.write_fixture(digest(payload), {"response": {"content": "hello", "usage": usage}})
    asked = {**payload, "stream": True, "stream_options": {"include_usage": True}}
    with client.chat.completions.create(**asked) as stream:
        chunks = list(stream)
    given = [(chunk.usage.total_tokens, len(chunk.choices)) for chunk in chunks if chunk.usage]
    assert given == ([(7, 0)] if profile == "openai" else [])
    with client.chat.completions.create(**payload, stream=True) as stream:
        assert not any(chunk.usage for chunk in stream)


def test_one_choice_whatever_is_asked_for(server: RunningServer, client: OpenAI) -> None:
    payload = asking("three times")
    server.write_fixture(digest(payload), {"response": {"content": "once"}})
    reply = client.chat.completions.create(**payload, n=3, logprobs=True)
    assert [choice.message.content for choice in reply.choices] == ["once"]
    assert reply.choices[0].logprobs is None


def test_a_failed_request_has_an_id(
    server: RunningServer, client: OpenAI, profile: ProfileName
) -> None:
    payload = asking("fails")
    server.write_fixture(digest(payload), {"response": {"error": {"status": 400}}})
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(**payload)
    expected = f"req_{digest(payload)[:32]}" if profile == "openai" else None
    assert caught.value.request_id == expected
