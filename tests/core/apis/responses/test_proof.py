"""The proof that the events of a stream, put together, are the plain reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from tests.core.apis.responses.asking import asked, call, custom_call, events, plain, stream
from tests.core.apis.responses.replies import responses
from workbench.core.apis.responses.proof import prove
from workbench.core.replies.proof import Proof

RESPONSE = {
    "content": "Hello",
    "refusal": "No.",
    "reasoning": "Hm.",
    "tool_calls": [call("f", '{"a":1}'), custom_call("sql", "select 1")],
}


def proven(found: list[dict[str, Any]], response: dict[str, Any] = RESPONSE) -> Proof:
    data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in found)
    return prove(data, json.dumps(plain(asked(response))).encode())


@given(responses)
def test_what_is_written_holds(response: dict[str, Any]) -> None:
    found = asked(response)
    proof = prove(stream(found), json.dumps(plain(found)).encode())
    assert proof.differences == []
    assert proof.content == "".join(proof.pieces) == response["content"]
    assert len(proof.tool_calls) == len(response.get("tool_calls", []))
    assert proof.finish_reason == response["finish_reason"]


def changed(type: str, change: Callable[[dict[str, Any]], None]) -> list[str]:
    """The differences when the first event of a type is changed."""
    found = events(stream(asked(RESPONSE)))
    change(next(event for event in found if event["type"] == f"response.{type}"))
    return proven(found).differences


@pytest.mark.parametrize(
    ("type", "key", "difference"),
    [
        ("output_text.delta", "delta", "content differs"),
        ("refusal.delta", "delta", "refusal differs"),
        ("reasoning_summary_text.delta", "delta", "reasoning differs"),
        (
            "function_call_arguments.delta",
            "delta",
            "tool calls differ: a client merges the events into other calls",
        ),
        (
            "custom_tool_call_input.delta",
            "delta",
            "tool calls differ: a client merges the events into other calls",
        ),
        ("in_progress", "sequence_number", "sequence_number has gaps"),
    ],
)
def test_an_event_that_differs(type: str, key: str, difference: str) -> None:
    assert changed(type, lambda event: event.update({key: "x"})) == [difference]


@pytest.mark.parametrize(
    ("key", "difference"),
    [
        ("status", "status differs"),
        ("usage", "usage differs"),
        ("output", "the last event differs"),
        ("id", "id is not equal in every event"),
    ],
)
def test_a_last_event_that_differs(key: str, difference: str) -> None:
    found = changed("completed", lambda event: event["response"].update({key: "x"}))
    assert found == [difference]


def test_a_stream_that_breaks_off() -> None:
    found = events(stream(asked(RESPONSE)))[:-1]
    assert "the stream has no response.completed" in proven(found).differences
    assert not proven([]).holds
