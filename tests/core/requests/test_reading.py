"""What is read out of a request, whatever shape it has."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference
from workbench.core.apis.table import view
from workbench.core.json.syntax import MAX_DEPTH
from workbench.core.request_body import parse_request
from workbench.core.requests.messages import FunctionCall, Message, Part
from workbench.core.requests.view import OutputFormat, Payload, Tool, ToolChoice, estimate_tokens

VIEWS = (
    "model",
    "echoed_model",
    "stream",
    "include_usage",
    "tools",
    "offers_tools",
    "tool_choice",
    "output_format",
    "demands",
    "messages",
    "raw_messages",
    "answers",
    "last_user_text",
    "turn",
    "prompt_text",
)


def read_all(payload: Payload) -> None:
    """Every part of a request, with the properties that are computed when they are read."""
    request = view(payload)
    for name in VIEWS:
        found = getattr(request, name)
        for item in found if isinstance(found, list) else []:
            if isinstance(item, Tool):
                assert isinstance(item.signature, str)
            elif isinstance(item, Message):
                assert isinstance(item.text, str)
                assert all(isinstance(part.kind, str) for part in item.parts)


SCALARS = st.sampled_from(
    [None, True, False, 0, -1, 1.5, "", "x", "user", "assistant", "text", "function", "required"]
)
ODD = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["function", "name", "text", "url"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def usually(right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.integers(0, 7).flatmap(lambda n: right if n else ODD)


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with most of these fields; each of them, and itself, may be anything."""
    present = {key: usually(value) for key, value in fields.items()}
    complete = st.fixed_dictionaries(present)
    return usually(complete | st.fixed_dictionaries({}, optional=present))


def some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return usually(st.lists(items, max_size=3))


SCHEMA = shaped(required=some(SCALARS), properties=shaped(city=ODD), type=SCALARS)
FUNCTION = shaped(name=SCALARS, arguments=SCALARS, parameters=SCHEMA, strict=SCALARS)
TEXT_PART = shaped(type=SCALARS, text=SCALARS)
IMAGE_PART = shaped(type=SCALARS, image_url=shaped(url=SCALARS))
MESSAGE = shaped(
    role=SCALARS,
    content=SCALARS | some(TEXT_PART | IMAGE_PART),
    name=SCALARS,
    tool_call_id=SCALARS,
    tool_calls=some(shaped(id=SCALARS, function=FUNCTION)),
)
PAYLOAD = st.fixed_dictionaries(
    {"messages": some(MESSAGE), "tools": some(shaped(type=SCALARS, function=FUNCTION))},
    optional={
        "model": SCALARS,
        "stream": ODD,
        "tool_choice": shaped(type=SCALARS, function=FUNCTION),
        "response_format": shaped(type=SCALARS, json_schema=shaped(name=SCALARS, schema=SCHEMA)),
    },
)


@given(payload=PAYLOAD)
def test_views_never_raise_on_any_object(payload: dict[str, Any]) -> None:
    read_all(payload)


def test_views_never_raise_on_what_is_nested_as_deep_as_can_be_read() -> None:
    deep = "[" * (MAX_DEPTH - 5) + "]" * (MAX_DEPTH - 5)
    read_all(parse_request(f'{{"messages": [{{"content": {deep}}}, {{"content": [{deep}]}}]}}'))


def _counted_by_the_reference() -> list[dict[str, Any]]:
    """The plain exchanges whose fixture leaves the prompt tokens to the server."""

    def counted(fixture: Any) -> bool:
        return "prompt_tokens" not in ((fixture or {}).get("response") or {}).get("usage", {})

    plain = [e for e in reference.exchanges() if e["content_type"] == "application/json"]
    return [e for e in plain if counted(e["fixture"])]


def test_prompt_text_is_what_the_reference_counts() -> None:
    exchanges = _counted_by_the_reference()
    assert len(exchanges) > 80
    for exchange in exchanges:
        text = view(exchange["payload"]).prompt_text
        usage = json.loads(exchange["body"])["usage"]
        assert estimate_tokens(text) == usage["prompt_tokens"], exchange["digest"]


def test_prompt_text_takes_strings_and_text_parts_alone() -> None:
    payload = {
        "messages": [
            {"content": "a"},
            {"content": [{"type": "text", "text": "b"}, {"text": "c"}, "dropped", {"text": 1}]},
            {"content": None},
            {"content": ["dropped"]},
            {"content": {"text": "dropped"}},
            "dropped",
            {"content": ""},
        ]
    }
    assert view(payload).prompt_text == "a\nb\nc\n"
    assert view({"messages": "text"}).prompt_text == ""


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), (None, 0), ("a", 1), ("abcd", 1), ("abcdefgh", 2), ([], 0)]
)
def test_tokens_are_estimated_as_the_reference_does(text: Any, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ([user("first"), {"role": "assistant", "content": "a"}, user("last")], "last"),
        ([user("asked"), {"role": "assistant", "content": "a"}, {"role": "tool"}], "asked"),
        ([{"role": "system", "content": "s"}], ""),
        ([user("asked"), user(None)], ""),
        ([user([{"type": "text", "text": "describe"}, IMAGE])], "describe  +1 image"),
        ([user([IMAGE, IMAGE])], "  +2 image"),
        ([user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])], "a\nb"),
        ("user: hello", ""),
        ([], ""),
    ],
)
def test_last_user_text(messages: Any, text: str) -> None:
    assert view({"messages": messages}).last_user_text == text


def test_turn_counts_the_answers_quoted() -> None:
    answered = [user("a"), {"role": "assistant", "content": "b"}, {"role": "tool"}]
    assert view({}).turn == 1
    assert view({"messages": answered[:1]}).turn == 1
    assert view({"messages": answered}).turn == 2
    assert view({"messages": [*answered, {"role": "assistant"}, user("c")]}).turn == 3


@pytest.mark.parametrize(
    ("payload", "model"),
    [({"model": "gpt-4o"}, "gpt-4o"), ({}, "gpt-4o-mini"), ({"model": 4}, "gpt-4o-mini")],
)
def test_model(payload: dict[str, Any], model: str) -> None:
    assert view(payload).model == model


@pytest.mark.parametrize(
    ("stream", "asked"), [(True, True), (False, False), (None, False), (1, True)]
)
def test_stream(stream: Any, asked: bool) -> None:
    assert view({"stream": stream}).stream is asked


PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "unit": {"type": "string"}},
    "required": ["city"],
}


def test_tools_are_read_with_their_schema() -> None:
    weather = {
        "name": "get_weather",
        "description": "Weather.",
        "parameters": PARAMETERS,
        "strict": True,
    }
    given_tools = [{"type": "function", "function": weather}, {"function": {"name": "now"}}, 7]
    first, second = view({"tools": given_tools}).tools
    assert first == Tool("get_weather", "Weather.", PARAMETERS, strict=True)
    assert first.signature == "get_weather(city, unit?)"
    assert second == Tool("now", "", None, strict=False)
    assert second.signature == "now()"


def test_a_custom_tool_takes_a_text() -> None:
    offered = {"type": "custom", "name": "sql", "description": "Runs SQL."}
    (tool,) = view({"api": "responses", "input": "Count.", "tools": [offered]}).tools
    assert tool == Tool("sql", "Runs SQL.", None, strict=False, is_custom=True)
    assert tool.signature == "sql(text)"


def test_the_call_of_a_custom_tool_is_read() -> None:
    call = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    (message,) = view({"messages": [{"role": "assistant", "tool_calls": [call]}]}).messages
    assert message.tool_calls == (FunctionCall("c", "sql", "select 1", is_custom=True),)


def test_a_tool_of_another_shape_has_no_names_it_does_not_give() -> None:
    (tool,) = view(
        {"tools": [{"function": {"parameters": {"required": "city", "properties": ["city"]}}}]}
    ).tools
    assert (tool.name, tool.required, tool.properties, tool.signature) == ("", [], {}, "()")


@pytest.mark.parametrize(
    ("given_choice", "choice"),
    [
        ("none", ToolChoice("none")),
        ("auto", ToolChoice("auto")),
        ("required", ToolChoice("required")),
        ({"type": "function", "function": {"name": "plan"}}, ToolChoice("function", "plan")),
        (None, ToolChoice("absent")),
        ("plan", ToolChoice("absent")),
        ({"type": "function"}, ToolChoice("absent")),
        ({"function": {"name": ["plan"]}}, ToolChoice("absent")),
        ([], ToolChoice("absent")),
    ],
)
def test_tool_choice(given_choice: Any, choice: ToolChoice) -> None:
    assert view({"tool_choice": given_choice}).tool_choice == choice


SCHEMA_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Plan", "strict": True, "schema": {"type": "object"}},
}


@pytest.mark.parametrize(
    ("given_format", "expected"),
    [
        (None, OutputFormat("text")),
        ("json_object", OutputFormat("text")),
        ({"type": "json_object"}, OutputFormat("json_object")),
        (SCHEMA_FORMAT, OutputFormat("json_schema", "Plan", {"type": "object"}, strict=True)),
        ({"type": "json_schema", "json_schema": {"schema": []}}, OutputFormat("json_schema")),
    ],
)
def test_response_format(given_format: Any, expected: OutputFormat) -> None:
    assert view({"response_format": given_format}).output_format == expected


def test_the_answers_that_a_request_quotes() -> None:
    payload = {
        "messages": [
            {"role": "user", "content": "one"},
            {"role": ["user"], "content": "no role"},
            {"role": "assistant", "content": "two"},
            "no message",
            {"role": "user", "content": "three"},
        ]
    }
    request = view(payload)
    assert request.answers == [request.messages[2]]
    assert request.answers[0].where == "messages[2]"


def test_messages_keep_their_place_among_what_is_none() -> None:
    call = {"id": "call_1", "function": {"name": "f", "arguments": "{}"}}
    first, second, third = view(
        {
            "messages": [
                "no message",
                {"role": "assistant", "content": None, "tool_calls": [call, "no call"]},
                {"role": "tool", "name": "f", "tool_call_id": "call_1", "content": "12C"},
                {"content": ["a", IMAGE, {"type": "input_audio", "input_audio": {"data": "é"}}]},
            ]
        }
    ).messages
    assert (first.position, first.role, first.parts) == (1, "assistant", ())
    assert first.tool_calls == (FunctionCall("call_1", "f", "{}"),)
    assert (second.name, second.tool_call_id, second.text) == ("f", "call_1", "12C")
    assert (third.position, third.role) == (3, "?")
    assert third.parts == (
        Part("text", "a"),
        Part("image_url", IMAGE["image_url"]["url"]),  # type: ignore[index]
        Part("input_audio", '{"type": "input_audio", "input_audio": {"data": "é"}}'),
    )


@pytest.mark.parametrize(
    ("content", "shown"), [(True, "true"), ({"text": None}, '{"text": null}'), (1.5, "1.5")]
)
def test_content_that_is_no_text_is_shown_as_json(content: Any, shown: str) -> None:
    (message,) = view({"messages": [{"content": content}]}).messages
    assert message.parts == (Part("unknown", shown),)
    assert message.text == ""
