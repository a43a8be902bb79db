"""The proof that a stream and a message say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests import strategies
from tests.core.apis.messages.sample import call, plain, streamed
from workbench.core.apis.messages.proof import prove

RESPONSE: dict[str, Any] = {
    "content": "Let me look.",
    "tool_calls": [call("get_weather", '{"city": "Rome"}'), call("list_cities", "{}", 1)],
    "finish_reason": "tool_calls",
    "reasoning": "Hm.",
    "usage": {"prompt_tokens": 5, "completion_tokens": 3},
}


def test_a_stream_is_put_together() -> None:
    proof = prove(streamed(RESPONSE), plain(RESPONSE))
    assert proof.holds
    assert (proof.content, proof.finish_reason) == ("Let me look.", "tool_use")
    assert [found["input"] for found in proof.tool_calls] == [{"city": "Rome"}, {}]
    assert "".join(proof.pieces) == proof.content
    assert len(proof.pieces) == 4


@given(strategies.good_responses)
def test_a_fixture_without_mistakes_is_proved(response: dict[str, Any]) -> None:
    found = prove(streamed(response), plain(response)).differences
    assert [text for text in found if not text.startswith("tool calls differ: the client")] == []


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"content": "Other"}, "content differs"),
        ({"reasoning": "Other"}, "thinking differs"),
        ({"tool_calls": [call("other")]}, "tool calls differ"),
        ({"finish_reason": "length"}, "stop_reason differs"),
        ({"usage": {"prompt_tokens": 999, "completion_tokens": 3}}, "usage differs"),
    ],
)
def test_a_difference_is_named(change: dict[str, Any], difference: str) -> None:
    assert prove(streamed(RESPONSE), plain(RESPONSE | change)).differences == [difference]


def test_a_refusal_that_differs_is_named() -> None:
    proof = prove(streamed({"refusal": "No."}), plain({"refusal": "Never."}))
    assert proof.differences == ["stop_details differs"]


def test_arguments_that_are_not_json_are_named() -> None:
    response = {"tool_calls": [call("f", "{")]}
    [difference] = prove(streamed(response), plain(response)).differences
    assert difference == "tool calls differ: the client refuses arguments that are not JSON"


def test_a_stream_that_broke_off_is_named() -> None:
    proof = prove(streamed(RESPONSE)[:-20], plain(RESPONSE))
    assert proof.differences == ["the stream broke off: it has no message_stop"]
