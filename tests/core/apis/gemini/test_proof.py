"""A stream is the plain reply, put together as the official client does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.core.apis.gemini.asking import array, call, events, found, plain
from tests.strategies import texts
from workbench.core.apis.gemini.proof import prove

RESPONSE = {
    "content": "21 °C",
    "reasoning": "Hm.",
    "tool_calls": [call("get_weather", '{"city":"Rome"}')],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
}


@given(content=texts, reasoning=texts, refusal=texts)
def test_streams_of_both_forms_are_the_plain_reply(
    content: str, reasoning: str, refusal: str
) -> None:
    answer = found(**RESPONSE | {"content": content, "reasoning": reasoning, "refusal": refusal})
    for stream in (events(answer), array(answer)):
        proof = prove(stream, plain(answer))
        assert proof.holds, proof.differences
        assert proof.content == content == "".join(proof.pieces)
        assert len(proof.tool_calls) == 1


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"content": "22 °C"}, "content: they differ"),
        ({"reasoning": ""}, "thoughts: they differ"),
        ({"tool_calls": [call("get_weather")]}, "function calls: they differ"),
        ({"finish_reason": "length"}, "finishReason: they differ"),
        ({"usage": {"prompt_tokens": 3, "completion_tokens": 5}}, "usageMetadata: they differ"),
    ],
)
def test_what_differs_is_named(change: dict[str, Any], difference: str) -> None:
    proof = prove(events(found(**RESPONSE | change)), plain(found(**RESPONSE)))
    assert proof.differences == [difference]


def test_every_chunk_has_the_id_of_the_reply() -> None:
    answer = found(**RESPONSE)
    chunks = json.loads(array(answer))
    chunks[1]["responseId"] = "other"
    stream = json.dumps(chunks).encode()
    assert prove(stream, plain(answer)).differences == ["responseId is not equal in every chunk"]
