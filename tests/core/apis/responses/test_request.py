"""Requests of the Responses API are read as the chat requests that say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.cases import each_case
from tests.core.apis.responses.asking import DATA
from workbench.core.apis.paths import received, target
from workbench.core.apis.responses import request
from workbench.core.apis.table import view
from workbench.core.digest import digest, digest_of
from workbench.core.requests.equivalence import canonical_form

SENT = [json.loads(line) for line in (DATA / "requests.jsonl").read_bytes().splitlines()]
ROME = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Rome"}'}
OSLO = {"type": "function_call", "call_id": "c2", "name": "weather", "arguments": '{"city":"Oslo"}'}
IMAGE = {"type": "input_image", "image_url": "https://example.com/a.png"}


def chat(**payload: Any) -> dict[str, Any]:
    return canonical_form(request.as_chat(payload))


def messages(*items: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = chat(input=list(items))["messages"]
    return found


def tool_calls(*items: dict[str, Any]) -> list[dict[str, Any]]:
    return [request.call(item) for item in items]


def continued(payload: dict[str, Any], expected: dict[str, Any]) -> dict[str, Any]:
    """``payload`` with the earlier messages that it refers to, as a server finds them."""
    if not request.earlier_id(payload):
        return payload
    own = len(chat(**{**payload, "instructions": None})["messages"])
    first = 1 if payload.get("instructions") else 0
    return {**payload, "earlier": expected["messages"][first:-own]}


# What real clients sent


def test_what_clients_send() -> None:
    answered = [sent for sent in SENT if "unsupported" not in sent]
    assert len(answered) == 104
    for sent in answered:
        payload = continued(sent["body"], sent["chat"])
        assert chat(**payload) == sent["chat"], sent["client"]
        assert digest(chat(**payload)) == sent["digest"]
        dump = received(sent["path"], "", payload)
        assert dump is not None
        assert digest_of(view(dump).canonical) == sent["digest"]
        assert request.unsupported(dump) is None
        assert target(dump) == ("/responses", "", sent["body"])


def test_what_clients_send_and_no_fixture_answers() -> None:
    reasons = {
        sent["unsupported"]: request.unsupported(sent["body"])
        for sent in SENT
        if "unsupported" in sent
    }
    assert reasons == {
        "built-in tool web_search": "this server does not support the built-in tool web_search",
        "built-in tool mcp": "this server does not support the built-in tool mcp",
        "conversation": "this server does not support the Conversations API",
        "background": "this server does not support responses in the background",
    }


# Items


def test_a_call_joins_the_message_before_it() -> None:
    text = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": ""}],
    }
    note = {"type": "reasoning", "id": "rs_1", "summary": []}
    said = {"role": "assistant", "content": "Let me see."}
    assert messages(said, note, ROME, note, OSLO) == [
        {"role": "assistant", "content": "Let me see.", "tool_calls": tool_calls(ROME, OSLO)}
    ]
    assert messages(text, ROME)[0]["content"] is None
    assert messages(text) == [{"role": "assistant", "content": ""}]


def test_a_call_after_anything_else_opens_a_message() -> None:
    output = {"type": "function_call_output", "call_id": "c1", "output": "21"}
    told = {"role": "tool", "tool_call_id": "c1", "content": "21"}
    first = {"role": "assistant", "content": None, "tool_calls": tool_calls(ROME)}
    second = {"role": "assistant", "content": None, "tool_calls": tool_calls(OSLO)}
    assert messages(ROME, output, OSLO) == [first, told, second]


def test_a_message_of_thoughts_alone_is_none() -> None:
    empty = {"role": "assistant", "content": []}
    assert messages({"role": "user", "content": "a"}, empty, {"type": "compaction"}) == [
        {"role": "user", "content": "a"}
    ]


def test_a_refusal_is_no_content() -> None:
    refusal = {"type": "refusal", "refusal": "No."}
    assert messages({"role": "assistant", "content": [refusal]}) == [
        {"role": "assistant", "content": None}
    ]


def test_texts_of_the_assistant_are_one_and_others_are_not() -> None:
    two = [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]
    written = [{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}]
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert messages({"role": "assistant", "content": written})[0]["content"] == "ab"
    assert messages({"role": "developer", "content": two}) == [
        {"role": "developer", "content": parts}
    ]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (IMAGE, {"type": "image_url", "image_url": {"url": IMAGE["image_url"]}}),
        (
            {**IMAGE, "detail": "auto"},
            {"type": "image_url", "image_url": {"url": IMAGE["image_url"]}},
        ),
        (
            {"type": "input_image", "file_id": "file_1", "detail": "high"},
            {"type": "image_url", "image_url": {"url": "file:file_1", "detail": "high"}},
        ),
        (
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:,x", "file_id": None},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:,x"}},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
            {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
        ),
    ],
)
def test_parts(part: dict[str, Any], expected: dict[str, Any]) -> None:
    assert messages({"role": "user", "content": [part]})[0]["content"] == [expected]


def test_outputs() -> None:
    text = {"type": "input_text", "text": "21"}
    for output in ("21", [text]):
        item = {"type": "custom_tool_call_output", "call_id": "c1", "output": output}
        assert messages(item) == [{"role": "tool", "tool_call_id": "c1", "content": "21"}]
    nothing = {"type": "function_call_output", "call_id": "c1"}
    assert messages(nothing)[0]["content"] == ""


def test_the_earlier_conversation_stands_between_instructions_and_input() -> None:
    earlier = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    payload = {"instructions": "Be brief.", "earlier": earlier, "input": "c"}
    system, last = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "c"}
    assert chat(**payload)["messages"] == [system, *earlier, last]
    # A call of the request itself does not join an earlier message.
    assert len(chat(earlier=earlier, input=[ROME])["messages"]) == 3


# Tools


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("required", "required"),
        (
            {"type": "function", "name": "f"},
            {"type": "function", "function": {"name": "f"}},
        ),
        ({"type": "custom", "name": "f"}, {"type": "custom", "custom": {"name": "f"}}),
        (
            {
                "type": "allowed_tools",
                "mode": "auto",
                "tools": [{"type": "function", "name": "f"}],
            },
            {
                "type": "allowed_tools",
                "allowed_tools": {
                    "mode": "auto",
                    "tools": [{"type": "function", "function": {"name": "f"}}],
                },
            },
        ),
    ],
)
def test_tool_choices(choice: Any, expected: Any) -> None:
    assert chat(tool_choice=choice)["tool_choice"] == expected


FUNCTION: dict[str, Any] = {"type": "function", "name": "f", "parameters": {}, "strict": None}
SEARCH = {"type": "web_search"}


def test_tools_of_a_namespace_are_offered() -> None:
    space = {"type": "namespace", "name": "agents", "tools": [FUNCTION]}
    named = {"type": "function", "function": {"name": "f", "parameters": {}}}
    assert chat(tools=[space, SEARCH])["tools"] == [named]
    asked = {"role": "user", "content": "Hi"}
    more = {"type": "additional_tools", "role": "developer", "tools": [space]}
    update = {"type": "configuration_update", "reasoning": {"effort": "low"}}
    in_items = {"input": [more, asked, update]}
    assert chat(**in_items) == chat(tools=[space], input=[asked])
    assert request.unsupported(in_items) is None


@each_case(
    "payload, feature",
    [
        ({"tools": [SEARCH]}, "the built-in tool web_search"),
        ({"tools": [FUNCTION, SEARCH]}, None),
        ({"tools": [FUNCTION, SEARCH], "tool_choice": SEARCH}, "the built-in tool web_search"),
        ({"tools": [FUNCTION], "tool_choice": {"type": "function", "name": "f"}}, None),
        ({"tools": [{"type": "a\nb"}]}, "the built-in tool of an unknown type"),
        ({"input": [{"type": "mcp_call"}]}, "the built-in tool mcp"),
        ({"input": [{"type": "shell_call_output"}]}, "the built-in tool shell"),
        ({"input": [ROME, {"type": "item_reference", "id": "x"}, {"type": "reasoning"}]}, None),
        ({"background": True}, "responses in the background"),
        ({"background": False, "conversation": None, "prompt": None}, None),
        ({"prompt": {"id": "pmpt_1"}}, "stored prompts"),
        ({"conversation": {"id": "conv_1"}}, "the Conversations API"),
    ],
)
def test_what_no_fixture_answers(payload: dict[str, Any], feature: str | None) -> None:
    reason = None if feature is None else f"this server does not support {feature}"
    assert request.unsupported(payload) == reason


# References


def test_references_to_items() -> None:
    referred = {"type": "item_reference", "id": "fc_1"}
    items = [{"type": "item_reference", "id": "rs_1"}, referred, {"id": "msg_1"}, ROME]
    assert request.referred_ids({"input": items}) == ["fc_1", "msg_1"]
    found = request.with_items({"input": items}, {"fc_1": OSLO})
    assert found["input"] == [items[0], OSLO, *items[2:]]
    assert request.with_items({"input": "a"}, {"a": OSLO}) == {"input": "a"}


# Requests of any shape

items = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["message", "function_call", "custom_tool_call_output", "item_reference", "reasoning"]
        )
        | strategies.json_values,
        "role": st.sampled_from(["user", "assistant"]) | strategies.json_values,
        "content": st.lists(
            st.fixed_dictionaries(
                {"type": st.sampled_from(["input_text", "input_image", "input_file", "refusal"])},
                optional={"text": strategies.json_values, "image_url": strategies.json_values},
            )
            | strategies.json_values,
            max_size=3,
        )
        | strategies.json_values,
        "call_id": strategies.json_values,
        "arguments": strategies.json_values,
        "output": strategies.json_values,
        "id": strategies.json_values,
    },
)
tools = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["function", "custom", "namespace", "allowed_tools"])},
        optional=dict.fromkeys(("name", "tools", "mode"), strategies.json_values),
    )
    | strategies.json_values,
    max_size=2,
)
payloads = st.fixed_dictionaries(
    {},
    optional={
        "model": strategies.json_values,
        "input": st.lists(items | strategies.json_values, max_size=3) | strategies.json_values,
        "tools": tools | strategies.json_values,
        "tool_choice": tools.map(lambda given: given[0] if given else None),
        "text": st.fixed_dictionaries(
            {"format": st.fixed_dictionaries({"type": st.just("json_schema")})}
        )
        | strategies.json_values,
        **dict.fromkeys(
            ("instructions", "earlier", "previous_response_id", "stream", "prompt"),
            strategies.json_values,
        ),
    },
)


@given(payloads)
def test_a_request_of_any_shape_is_read(payload: dict[str, Any]) -> None:
    found = request.as_chat(payload)
    assert all(isinstance(message, dict) for message in found["messages"])
    asked = view({**payload, "api": "responses"})
    assert asked.api == "responses"
    assert len(asked.messages) <= len(found["messages"])
    request.unsupported(payload)
    references = dict.fromkeys(request.referred_ids(payload), ROME)
    assert request.referred_ids(request.with_items(payload, references)) == []
