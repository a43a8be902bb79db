"""Skeletons: the answer a request asks for, before anything is written into it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.rule_cases import DIGEST, PLAN, WEATHER, asks_json, request
from tests.core.test_rules_schema import SCHEMAS
from tests.strategies import json_values, payloads
from workbench.core import requests, skeleton
from workbench.core.fixtures import new_document
from workbench.core.rules import Context, check

FORCED = {"type": "function", "function": {"name": "get_weather"}}


def skeleton_of(**properties: Any) -> dict[str, Any]:
    """The arguments for a schema that requires all of ``properties``."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return skeleton.arguments(schema)


# Values.


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, ""),
        ({"type": "integer"}, 0),
        ({"type": "number"}, 0),
        ({"type": "boolean"}, False),
        ({"type": "array", "items": {"type": "string"}}, []),
        ({"type": "object"}, {}),
        ({"type": "null"}, None),
        ({}, ""),
        (True, ""),
        ({"type": "nonsense"}, ""),
        ({"type": []}, ""),
        ({"type": ["integer", "null"]}, 0),
        ({"type": "string", "default": "x"}, "x"),
        ({"type": "string", "default": None}, None),
        ({"enum": ["c", "f"]}, "c"),
        ({"enum": ["c", "f"], "default": "f"}, "f"),
        ({"enum": []}, ""),
        ({"const": 4}, 4),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, False),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, "a"),
        ({"allOf": [{"type": "integer"}]}, 0),
        ({"anyOf": []}, ""),
        ({"type": "object", "required": ["a"], "anyOf": [{"required": ["b"]}]}, {"a": ""}),
        ({"properties": {"a": {}}, "required": ["a"]}, {"a": ""}),
        (
            {
                "type": "object",
                "properties": {"b": {"type": "object", "required": ["c"]}, "d": {}},
                "required": ["b"],
            },
            {"b": {"c": ""}},
        ),
    ],
)
def test_the_value_of_a_schema(schema: Any, value: Any) -> None:
    assert skeleton_of(x=schema) == {"x": value}
    if isinstance(schema, dict):
        assert skeleton.value(schema) == value


def test_required_keys_stand_in_their_order_and_no_others() -> None:
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {}, "c": {"default": 1}},
        "required": ["z", "b", 4, "a"],
    }
    assert list(skeleton.arguments(schema).items()) == [("z", ""), ("b", ""), ("a", 0)]


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("#/$defs/a", 7),
        ("#/$defs/b~1c~0d", 8),
        ("#/$defs/list/anyOf/1", 9),
        ("#/$defs/nowhere", ""),
        ("#/$defs/list/anyOf/2", ""),
        ("http://x/y", ""),
        (4, ""),
    ],
)
def test_references_within_the_schema(reference: Any, value: Any) -> None:
    parts = {"a": {"const": 7}, "b/c~d": {"const": 8}, "list": {"anyOf": [{}, {"const": 9}]}}
    schema = {"$defs": parts, "required": ["x"], "properties": {"x": {"$ref": reference}}}
    assert skeleton.arguments(schema) == {"x": value}


@pytest.mark.parametrize("schema", [{"type": "array"}, {"const": "x"}, {"$ref": "#"}, {}])
def test_arguments_are_always_an_object(schema: dict[str, Any]) -> None:
    assert skeleton.arguments(schema) == {}


def test_a_schema_without_end_has_a_skeleton_with_one() -> None:
    node: dict[str, Any] = {
        "type": "object",
        "properties": {"l": {"$ref": "#/$defs/n"}, "r": {"$ref": "#/$defs/n"}},
        "required": ["l", "r"],
    }
    written = skeleton.value({"$defs": {"n": node}, "$ref": "#/$defs/n"})
    assert len(json.dumps(written)) < 20_000
    assert skeleton.value({"$ref": "#"}) == ""


@given(json_values.filter(lambda v: isinstance(v, dict)) | SCHEMAS)
def test_any_schema_has_a_skeleton(schema: dict[str, Any]) -> None:
    json.dumps(skeleton.value(schema))
    assert isinstance(skeleton.arguments(schema), dict)


# Calls.


def test_call_ids_come_from_the_digest() -> None:
    assert [skeleton.call_id(DIGEST, index) for index in range(3)] == [
        "call_c62fad60",
        "call_c62fad60_1",
        "call_c62fad60_2",
    ]


def test_a_call_of_an_offered_tool() -> None:
    (tool,) = requests.tools(request("get_weather"))
    assert skeleton.tool_call(DIGEST, 1, tool) == {
        "index": 1,
        "id": "call_c62fad60_1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": ""}'},
    }


def test_a_call_of_a_tool_without_parameters() -> None:
    (tool,) = requests.tools(request("now", parameters=None))
    assert skeleton.tool_call(DIGEST, 0, tool)["function"]["arguments"] == "{}"


# Drafts.


def drafted_call(payload: dict[str, Any]) -> dict[str, Any] | None:
    response = skeleton.draft_response(DIGEST, payload)
    if response["finish_reason"] == "stop":
        assert response == {"content": "", "finish_reason": "stop"}
        return None
    (call,) = response["tool_calls"]
    assert response == {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    return call["function"]  # type: ignore[no-any-return]


def test_the_call_that_is_demanded() -> None:
    expected = {"name": "get_weather", "arguments": '{"city": ""}'}
    assert drafted_call(request("get_time", "get_weather", tool_choice=FORCED)) == expected
    assert drafted_call(request("get_weather", tool_choice="required")) == expected


def test_a_demanded_call_of_a_tool_that_is_not_offered() -> None:
    assert drafted_call(request("f", tool_choice=FORCED)) == {
        "name": "get_weather",
        "arguments": "{}",
    }


@pytest.mark.parametrize("choice", ["auto", "none", None, {"type": "allowed_tools"}])
def test_no_call_where_none_is_demanded(choice: Any) -> None:
    assert drafted_call(request("get_weather", tool_choice=choice)) is None


def test_no_call_where_it_is_not_known_which() -> None:
    assert drafted_call(request("a", "b", tool_choice="required")) is None
    assert drafted_call(request(tool_choice="required")) is None


def test_the_format_that_is_asked_for() -> None:
    schema = {
        "type": "object",
        "properties": {"steps": {"type": "array"}, "goal": {"type": "string"}},
        "required": ["goal", "steps"],
    }
    assert skeleton.draft_response(DIGEST, asks_json(schema)) == {
        "content": '{"goal": "", "steps": []}',
        "finish_reason": "stop",
    }


def test_an_empty_text_where_nothing_is_demanded() -> None:
    for payload in (request(), request("f"), asks_json(kind="json_object"), asks_json(), {}):
        assert drafted_call(payload) is None


def test_a_demanded_call_comes_before_a_format() -> None:
    payload = request("get_weather", tool_choice=FORCED, **asks_json(PLAN))
    assert drafted_call({**asks_json(PLAN), **payload}) is not None


def test_a_draft_breaks_no_rule() -> None:
    for payload in (
        request(),
        request("get_weather", tool_choice="required"),
        request("get_weather", tool_choice=FORCED, parameters=WEATHER),
        asks_json(PLAN),
    ):
        text = new_document(DIGEST, skeleton.draft_response(DIGEST, payload)).text
        assert check(text, Context(f"{DIGEST}.json", [payload])) == []


@given(payloads, st.sampled_from(["required", FORCED]))
def test_any_request_has_a_draft(payload: dict[str, Any], choice: Any) -> None:
    for draft in (payload, {**payload, "tool_choice": choice}):
        json.dumps(skeleton.draft_response(DIGEST, draft))
