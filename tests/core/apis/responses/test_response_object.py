"""Answers as responses: items, what is repeated of the request, errors."""

from __future__ import annotations

import json
from typing import Any

import pytest
from openai.types.responses import Response

from tests.core.apis.responses.asking import asked, call, custom_call, plain
from workbench.core.apis.responses.write import WRITER
from workbench.core.replies.response import ErrorReply

FUNCTION = {"type": "function", "name": "f", "parameters": {"type": "object"}}


def items(response: dict[str, Any], **request: Any) -> list[dict[str, Any]]:
    output: list[dict[str, Any]] = plain(asked(response, **request))["output"]
    return output


def test_items_are_reasoning_a_message_and_calls() -> None:
    found = asked(
        {
            "content": "Hello",
            "reasoning": "Hm.",
            "tool_calls": [call("f", '{"a":1}'), custom_call("sql", "select 1")],
        }
    )
    digest = found.digest
    assert plain(found)["id"] == f"resp_{digest}"
    assert plain(found)["output"] == [
        {
            "id": f"rs_{digest}",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Hm."}],
        },
        {
            "id": f"msg_{digest}",
            "type": "message",
            "status": "completed",
            "content": [
                {"type": "output_text", "annotations": [], "logprobs": [], "text": "Hello"}
            ],
            "role": "assistant",
        },
        {
            "id": f"fc_{digest}0",
            "type": "function_call",
            "status": "completed",
            "arguments": '{"a":1}',
            "call_id": "call_1",
            "name": "f",
        },
        {
            "id": f"ctc_{digest}1",
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": "call_1",
            "input": "select 1",
            "name": "sql",
        },
    ]


def test_a_call_alone_has_no_message_and_nothing_is_an_empty_one() -> None:
    assert [item["type"] for item in items({"tool_calls": [call("f")]})] == ["function_call"]
    (message,) = items({"content": ""})
    assert message["content"][0]["text"] == ""


def test_a_refusal() -> None:
    (message,) = items({"refusal": "No."})
    assert message["content"] == [{"type": "refusal", "refusal": "No."}]
    (message,) = items({"content": "Well.", "refusal": "No."})
    assert [part["type"] for part in message["content"]] == ["output_text", "refusal"]


def test_reasoning_without_text_is_an_item_as_its_tokens_say() -> None:
    usage = {"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}}
    reasoning, _ = items({"content": "a", "usage": usage}, include=["reasoning.encrypted_content"])
    assert reasoning["summary"] == []
    assert isinstance(reasoning["encrypted_content"], str)


@pytest.mark.parametrize(
    ("finish_reason", "status", "details"),
    [
        ("stop", "completed", None),
        ("tool_calls", "completed", None),
        ("length", "incomplete", {"reason": "max_output_tokens"}),
        ("content_filter", "incomplete", {"reason": "content_filter"}),
        (["length"], "completed", None),  # not a reason that there is
    ],
)
def test_the_end(finish_reason: object, status: str, details: dict[str, Any] | None) -> None:
    found = plain(asked({"content": "a", "finish_reason": finish_reason}))
    assert (found["status"], found["incomplete_details"]) == (status, details)
    assert found["output"][0]["status"] == status


def test_only_the_last_item_is_incomplete() -> None:
    found = plain(asked({"content": "a", "tool_calls": [call("f")], "finish_reason": "length"}))
    assert [item["status"] for item in found["output"]] == ["completed", "incomplete"]
    found = plain(asked({"reasoning": "Hm.", "content": "a", "finish_reason": "length"}))
    assert [item.get("status") for item in found["output"]] == [None, "incomplete"]


def test_usage() -> None:
    given = {
        "prompt_tokens": 3,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 2, "audio_tokens": 9},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    assert plain(asked({"content": "a", "usage": given}))["usage"] == {
        "input_tokens": 3,
        "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 2},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 7,
    }


def test_the_request_is_repeated() -> None:
    schema = {"type": "json_schema", "name": "City", "schema": {"type": "object"}}
    found = plain(
        asked(
            {"content": "a"},
            instructions="Be brief.",
            tools=[FUNCTION],
            tool_choice={"type": "function", "name": "f"},
            text={"format": schema},
            reasoning={"effort": "low"},
            temperature=0.5,
            metadata={"a": "b"},
            store=False,
            max_output_tokens=None,
        )
    )
    assert found["instructions"] == "Be brief."
    assert found["tools"] == [{"description": None, "strict": True, **FUNCTION}]
    assert found["tool_choice"] == {"type": "function", "name": "f"}
    repeated = {"description": None, "strict": False, **schema}
    assert found["text"] == {"format": repeated, "verbosity": "medium"}
    assert found["reasoning"] == {"effort": "low", "summary": None}
    assert (found["temperature"], found["metadata"], found["store"]) == (0.5, {"a": "b"}, False)
    assert found["max_output_tokens"] is None
    assert Response.model_validate(found).to_dict() == found
    assert WRITER.repeats_request  # requests of one digest have replies of their own


def test_a_tool_of_a_namespace_is_called_in_it() -> None:
    space = {"type": "namespace", "name": "agents", "description": "", "tools": [FUNCTION]}
    response = {"tool_calls": [call("f"), call("g", id="call_2")]}
    found = items(response, tools=[space, {**FUNCTION, "name": "g"}])
    assert [item.get("namespace") for item in found] == ["agents", None]
    found = items(response, input=[{"type": "additional_tools", "tools": [space]}])
    assert [item.get("namespace") for item in found] == ["agents", None]


def test_what_has_not_the_shape_of_a_call_or_a_text() -> None:
    odd = {"content": [{"type": "text", "text": "a"}], "tool_calls": ["a", {}, call("f", 5)]}  # type: ignore[arg-type]
    message, nothing, number = items(odd)
    assert json.loads(message["content"][0]["text"]) == odd["content"]
    assert (nothing["name"], nothing["arguments"], nothing["call_id"]) == ("", "", "")
    assert number["arguments"] == "5"
    assert items({"content": "\ud800"})[0]["content"][0]["text"] == "\ud800"


def test_an_error() -> None:
    reply = WRITER.error_reply(ErrorReply(429, "Slow down.", "tokens", "rate_limit_exceeded", 2))
    assert (reply.status, reply.headers) == (429, (("Retry-After", "2"),))
    assert json.loads(reply.body) == {
        "error": {
            "message": "Slow down.",
            "type": "tokens",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }
