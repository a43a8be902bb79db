"""The Responses API over real HTTP, asked by the official client."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai import OpenAI
from pydantic import BaseModel

from tests.server.running import RunningServer
from workbench.core.apis.table import view
from workbench.core.replies.response import FALLBACK_TEXT

CALL: dict[str, Any] = {
    "index": 0,
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'},
}
OTHER_CALL = {**CALL, "index": 1, "id": "call_2"}
TOOLS: Any = [
    {
        "type": "function",
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
        "strict": True,
    }
]


class City(BaseModel):
    name: str
    people: int


def write(server: RunningServer, response: dict[str, Any], **request: Any) -> str:
    """Write the fixture of a request; returns its digest."""
    payload = {"api": "responses", "model": "gpt-5", **request}
    digest = view(payload).digest
    server.write_fixture(digest, {"response": response, "request": payload})
    return digest


def ask(client: OpenAI, *, stream: bool, **request: Any) -> Any:
    """The response, plain or put together from its stream."""
    if not stream:
        return client.responses.create(model="gpt-5", **request)
    with client.responses.stream(model="gpt-5", **request) as events:
        return events.get_final_response()


@pytest.mark.parametrize("stream", [False, True])
def test_a_text(server: RunningServer, client: OpenAI, stream: bool) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    response = {"content": "héllo \u2028", "reasoning": "Hm.", "usage": usage}
    digest = write(server, response, input="text")
    reply = ask(client, stream=stream, input="text")
    assert reply.id == f"resp_{digest}"
    assert reply.output_text == "héllo \u2028"
    assert [item.type for item in reply.output] == ["reasoning", "message"]
    assert reply.output[0].summary[0].text == "Hm."
    assert (reply.status, reply.usage.total_tokens) == ("completed", 7)


@pytest.mark.parametrize("stream", [False, True])
def test_calls(server: RunningServer, client: OpenAI, stream: bool) -> None:
    write(server, {"tool_calls": [CALL, OTHER_CALL]}, input="calls", tools=TOOLS)
    reply = ask(client, stream=stream, input="calls", tools=TOOLS)
    assert [(call.call_id, json.loads(call.arguments)) for call in reply.output] == [
        ("call_1", {"city": "Rome"}),
        ("call_2", {"city": "Rome"}),
    ]


def test_structured_output(server: RunningServer, client: OpenAI) -> None:
    write(server, {"content": '{"name": "Rome", "people": 3}'}, input="city")
    reply = client.responses.parse(model="gpt-5", input="city", text_format=City)
    assert reply.output_parsed == City(name="Rome", people=3)
    with client.responses.stream(model="gpt-5", input="city", text_format=City) as events:
        assert events.get_final_response().output_parsed == City(name="Rome", people=3)


def test_a_refusal(server: RunningServer, client: OpenAI) -> None:
    write(server, {"refusal": "No."}, input="refused")
    for stream in (False, True):
        message = ask(client, stream=stream, input="refused").output[0]
        assert message.content[0].refusal == "No."


def test_an_incomplete_response(server: RunningServer, client: OpenAI) -> None:
    write(server, {"content": "Once", "finish_reason": "length"}, input="long")
    reply = client.responses.create(model="gpt-5", input="long")
    assert reply.incomplete_details is not None
    assert reply.incomplete_details.reason == "max_output_tokens"
    *_, last = client.responses.create(model="gpt-5", input="long", stream=True)
    assert last.type == "response.incomplete"
    assert last.response.output_text == "Once"


@pytest.mark.parametrize("stream", [False, True])
def test_an_error(server: RunningServer, client: OpenAI, stream: bool) -> None:
    error = {"status": 429, "message": "Slow down.", "code": "rate_limit_exceeded"}
    write(server, {"error": error}, input="too fast")
    with pytest.raises(openai.RateLimitError, match=r"Slow down\.") as caught:
        ask(client, stream=stream, input="too fast")
    assert caught.value.code == "rate_limit_exceeded"


# Earlier responses


@pytest.mark.parametrize("stream", [False, True])
def test_a_conversation_is_continued(server: RunningServer, client: OpenAI, stream: bool) -> None:
    question = f"continued {stream}"
    write(server, {"tool_calls": [CALL]}, input=question, tools=TOOLS)
    first = ask(client, stream=stream, input=question, tools=TOOLS)
    output: Any = {"type": "function_call_output", "call_id": "call_1", "output": "21"}
    # The fixture is that of a client that repeats the conversation.
    repeated = [{"role": "user", "content": question}, first.output[0].to_dict(), output]
    write(server, {"content": "Warm."}, input=repeated)
    before = server.log_size()
    second = ask(client, stream=stream, input=[output], previous_response_id=first.id)
    assert second.output_text == "Warm."
    assert second.previous_response_id == first.id
    references: Any = [{"type": "item_reference", "id": first.output[0].id}, output]
    asked: Any = [repeated[0], *references]
    assert client.responses.create(model="gpt-5", input=asked).output_text == "Warm."
    assert "unknown fixture hash" not in server.log(before)


def test_a_conversation_is_found_in_fixtures(server: RunningServer, client: OpenAI) -> None:
    chat = {"model": "gpt-5", "messages": [{"role": "user", "content": "never asked"}]}
    digest = view(chat).digest
    server.write_fixture(digest, {"response": {"content": "First."}, "request": chat})
    conversation = [
        {"role": "user", "content": "never asked"},
        {"role": "assistant", "content": "First."},
        {"role": "user", "content": "Two"},
    ]
    answered = write(server, {"content": "Second."}, input=conversation)
    reply = client.responses.create(
        model="gpt-5", input="Two", previous_response_id=f"resp_{digest}"
    )
    assert (reply.id, reply.output_text) == (f"resp_{answered}", "Second.")


def test_a_reply_repeats_its_own_request_though_others_have_the_same_answer(
    server: RunningServer, client: OpenAI
) -> None:
    write(server, {"content": "a"}, input="any")
    for number in "12345":  # most within one second, for which replies are remembered
        reply = client.responses.create(model="gpt-5", input="any", metadata={"run": number})
        assert reply.metadata == {"run": number}


def test_a_response_is_retrieved(client: OpenAI) -> None:
    made = client.responses.create(model="gpt-5", input="nothing answers this", instructions="Be.")
    assert made.output_text == FALLBACK_TEXT
    again = client.responses.retrieve(made.id)
    assert (again.output, again.instructions) == (made.output, "Be.")
    *_, last = client.responses.retrieve(made.id, stream=True)
    assert last.type == "response.completed"
    for unknown in (f"resp_{'a' * 64}", str(made.output[0].id)):
        with pytest.raises(openai.NotFoundError, match="not found"):
            client.responses.retrieve(unknown)


def test_an_id_that_is_asked_for_is_logged_as_text_without_keys(server: RunningServer) -> None:
    key = "sk-proj-9fKq2LxT7vBn4RwZ8mYc3HdJ6sPgA1eUoXi5Q0tN"
    before = server.log_size()
    for asked in ("%1B%5B31m%00", key):
        assert server.request("GET", f"/v1/responses/{asked}").status == 404
    log = server.log(before)
    assert "'%1B%5B31m%00' not found" in log
    assert key not in log


def test_an_unknown_response_is_the_error_of_the_api_and_listed(
    server: RunningServer, client: OpenAI
) -> None:
    before = server.log_size()
    with pytest.raises(openai.BadRequestError) as caught:
        client.responses.create(model="gpt-5", input="a", previous_response_id="resp_1")
    assert (caught.value.code, caught.value.param) == (
        "previous_response_not_found",
        "previous_response_id",
    )
    line = "unsupported request POST /v1/responses: this server does not have the response"
    assert line in server.log(before)


def test_the_websocket_transport_is_refused_by_name(server: RunningServer) -> None:
    before = server.log_size()
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "x"}
    reply = server.request("GET", "/v1/responses", headers=upgrade)
    assert reply.status == 426
    assert (
        "this server does not support the WebSocket transport" in reply.json()["error"]["message"]
    )
    assert "unsupported request" not in server.log(before)
    # Without it the method is wrong.
    assert server.request("GET", "/v1/responses").status == 405


def test_the_other_calls_of_the_api_are_unsupported(client: OpenAI) -> None:
    with pytest.raises(openai.BadRequestError, match="this part of the Responses API") as caught:
        client.responses.compact(model="gpt-5", input="a")
    assert caught.value.code == "unsupported_request"
    with pytest.raises(openai.BadRequestError, match="this part of the Responses API"):
        client.responses.delete("resp_1")


def test_a_built_in_tool_is_unsupported(client: OpenAI) -> None:
    tools: Any = [{"type": "web_search"}]
    with pytest.raises(openai.BadRequestError, match="the built-in tool web_search") as caught:
        client.responses.create(model="gpt-5", input="News?", tools=tools)
    assert caught.value.code == "unsupported_request"
