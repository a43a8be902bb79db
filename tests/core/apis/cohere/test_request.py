"""Requests of Cohere's chat as the chat requests that say the same."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.answering.routes import Plain, find_route
from workbench.core.apis.cohere.request import ignored, unsupported
from workbench.core.apis.paths import conversation_at, plain_at, received, target
from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.requests.equivalence import form_digests

MODEL = "command-a-03-2025"
FUNCTION = {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}
CALL = {
    "id": "get_weather_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'},
}


def asked(*messages: dict[str, Any], **more: Any) -> Any:
    body = {"model": MODEL, "messages": list(messages), **more}
    payload = received("/v2/chat", "", body)
    assert payload is not None
    assert target(payload) == ("/v2/chat", "", body)
    return view(payload)


def chat(*messages: dict[str, Any], **more: Any) -> Any:
    return view({"model": MODEL, "messages": list(messages), **more})


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


TEXT = {"type": "text", "text": "Hi"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    ("said", "same"),
    [
        (user("Hi"), user("Hi")),
        (user([TEXT]), user("Hi")),
        (user(TEXT), user("Hi")),
        (user([]), user("")),
        (user([TEXT, IMAGE]), user([TEXT, IMAGE])),
        ({"role": "system", "content": [TEXT]}, {"role": "system", "content": "Hi"}),
        (
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}, TEXT]},
            {"role": "assistant", "content": "Hi"},
        ),
        (
            {"role": "assistant", "content": "Hi", "citations": [{"start": 0}]},
            {"role": "assistant", "content": "Hi"},
        ),
        (
            {"role": "assistant", "tool_plan": "I look.", "tool_calls": [CALL]},
            {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
        ),
        (
            {"role": "assistant", "tool_calls": [CALL]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
        ),
        (
            {"role": "tool", "tool_call_id": "get_weather_1", "content": "21 C"},
            {"role": "tool", "tool_call_id": "get_weather_1", "content": "21 C"},
        ),
    ],
)
def test_a_message_has_the_digest_of_chat(said: Any, same: Any) -> None:
    assert asked(said).digest == form_digests(chat(same)).form


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("21 C", "21 C"),
        ({"output": "21 C"}, "21 C"),
        ({"city": "Rome", "celsius": 21}, '{"city":"Rome","celsius":21}'),
    ],
)
def test_a_document_is_its_data_as_text(data: Any, text: str) -> None:
    part = {"type": "document", "document": {"id": "1", "data": data}}
    (message,) = asked({"role": "tool", "tool_call_id": "a", "content": [part]}).messages
    assert (message.tool_call_id, message.text) == ("a", text)


def test_documents_to_draw_from_are_the_first_message() -> None:
    request = asked(user("Who?"), documents=["A text.", {"data": {"title": "T"}, "id": "2"}])
    assert [(message.role, message.text) for message in request.messages] == [
        ("system", 'A text.\n{"title":"T"}'),
        ("user", "Who?"),
    ]
    assert asked(user("Who?")).digest != request.digest


def test_tools_choice_and_format() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    request = asked(
        user("Hi"),
        tools=[{"type": "function", "function": FUNCTION}],
        tool_choice="REQUIRED",
        response_format={"type": "json_object", "json_schema": schema},
        stream=True,
    )
    assert [tool.signature for tool in request.tools] == ["get_weather()"]
    assert request.tool_choice.mode == "required"
    assert (request.output_format.kind, request.output_format.schema) == ("json_schema", schema)
    assert request.stream
    assert asked(user("Hi"), tool_choice="NONE").tool_choice.mode == "none"
    assert asked(user("Hi"), response_format={"type": "json_object"}).output_format.kind == (
        "json_object"
    )
    assert asked(user("Hi"), response_format={"type": "text"}).output_format.kind == "text"


def test_what_replies_do_not_honour_is_named() -> None:
    assert ignored(asked(user("Hi"), documents=["a"], logprobs=True)) == ["citations", "logprobs"]
    off = asked(user("Hi"), documents=["a"], citation_options={"mode": "OFF"})
    assert ignored(off) == []


def test_another_kind_of_tool_is_not_supported() -> None:
    tools = [{"type": "function", "function": FUNCTION}, {"type": "web_search"}]
    reason = unsupported({"tools": tools})
    assert reason == "this server does not support tools of type web_search"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/v2/rerank", "this server does not support reranking"),
        ("/v1/rerank", "this server does not support reranking"),
        ("/v1/tokenize", "of Cohere's API, this server supports only chat, embed and models"),
        ("/v1/embed-jobs", "of Cohere's API, this server supports only chat, embed and models"),
        ("/v2/parse", "of Cohere's API, this server supports only chat, embed and models"),
    ],
)
def test_other_paths_are_named(path: str, reason: str) -> None:
    request = UnsupportedRequest.of("POST", path)
    assert request is not None
    assert (request.reason, request.api) == (reason, "cohere")


def test_paths_are_known_by_their_end() -> None:
    asked_api = conversation_at("/proxy/v2/chat")
    assert asked_api is not None
    assert asked_api[0].name == "cohere"
    for path in ("/v1/embed", "/proxy/v2/embed"):
        plain = plain_at(path)
        assert plain is not None
        assert (plain[0].name, plain[1].kind) == ("cohere", "embeddings")
    assert conversation_at("/v1/chat") is not None


@pytest.mark.parametrize("agent", ["cohere/7.3.1", "cohere-ai/8.1.0"])
def test_its_clients_are_known_where_models_are_listed(agent: str) -> None:
    route = find_route("GET", "/v1/models", {"user-agent": agent})
    assert isinstance(route, Plain)
    assert route.api.name == "cohere"
    models = route.api.replies.models.several(["command-a-03-2025", "embed-v4.0"])
    assert [(model["name"], model["endpoints"]) for model in models["models"]] == [
        ("command-a-03-2025", ["chat"]),
        ("embed-v4.0", ["embed"]),
    ]
