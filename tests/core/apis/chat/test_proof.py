"""The proof that a stream and an envelope say the same."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given

from tests import strategies
from workbench.core.apis.chat.openai import OPENAI
from workbench.core.apis.chat.proof import prove
from workbench.core.apis.chat.stub import STUB
from workbench.core.apis.table import view
from workbench.core.replies.answer import find_answer
from workbench.core.replies.proof import Proof

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"


def call(name: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**more, "id": f"call_{name}", "type": "function", "function": function}


def bodies(response: dict[str, Any], payload: dict[str, Any] | None = None) -> tuple[bytes, bytes]:
    """The stream and the envelope of a reply."""
    found = find_answer(view(payload or {}), DIGEST, partial(stored, response))
    stream = b"".join(frame.data for frame in STUB.frames(found, 0))
    return stream, STUB.envelope(found, 0)


def stored(response: dict[str, Any], _digest: str) -> dict[str, Any]:
    return {"response": response}


def proof(response: dict[str, Any]) -> Proof:
    return prove(*bodies(response))


def test_content() -> None:
    found = proof({"content": "abcdefg", "finish_reason": "length"})
    assert found.holds
    assert (found.content, found.finish_reason) == ("abcdefg", "length")
    assert found.pieces == ["ab", "cd", "ef", "g"]


def test_a_content_of_no_piece_is_one_empty_piece() -> None:
    assert proof({"content": ""}).pieces == [""]


def test_calls() -> None:
    calls = [call("f", '{"x": 1}', index=0), call("g", index=1)]
    found = proof({"tool_calls": calls, "finish_reason": "tool_calls"})
    assert found.holds
    assert found.tool_calls == [call("f", '{"x": 1}'), call("g")]
    assert (found.content, found.pieces) == ("", [])


@given(strategies.good_responses)
def test_a_reply_of_text_always_holds(response: dict[str, Any]) -> None:
    found = proof({**response, "tool_calls": None})
    assert found.holds, found.differences
    assert "".join(found.pieces) == response.get("content", "")


@given(strategies.odd_responses)
def test_whatever_a_fixture_holds_can_be_compared(response: dict[str, Any]) -> None:
    assert isinstance(proof(response), Proof)


def test_content_beside_calls_is_lost() -> None:
    found = proof({"content": "lost", "tool_calls": [call("f", index=0)]})
    assert found.differences == ["content is lost when this is streamed: only the calls arrive"]


def test_calls_with_one_index_are_merged() -> None:
    found = proof({"tool_calls": [call("f", '{"a"', index=0), call("g", ": 1}", index=0)]})
    assert found.differences == ["tool calls differ: a client merges the frames into other calls"]
    assert found.tool_calls == [call("f", '{"a": 1}')]


@pytest.mark.parametrize(
    ("frames", "holds"), [("once", True), ("delta", True), ("repeat", False), ("truncated", False)]
)
def test_a_directive_is_put_together_from_its_deltas(frames: str, holds: bool) -> None:
    text = f"[[MOCK_LLM_TOOLCALL:f:{frames}:eyJ4IjogMX0]]"
    payload = {"messages": [{"role": "user", "content": text}], "tools": [{}]}
    assert prove(*bodies({}, payload)).holds is holds


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        (b"data: [DONE]\n\n", b"", "the stream has no [DONE]"),
        (b'"ab"', b'"xx"', "content differs"),
        (b'"stop"', b'"length"', "finish_reason differs"),
        (b"chatcmpl-e2e-c62fad60235a", b"other", "id is not equal in every frame"),
    ],
)
def test_each_difference_is_named(old: bytes, new: bytes, difference: str) -> None:
    stream, envelope = bodies({"content": "abcdefg"})
    found = prove(stream.replace(old, new, 1), envelope)
    assert found.differences == [difference]
    assert not found.holds


def test_the_usage_of_a_stream_is_the_envelopes() -> None:
    payload = {"stream_options": {"include_usage": True}}
    found = find_answer(view(payload), DIGEST, lambda _digest: {"response": {"content": "abc"}})
    stream = b"".join(frame.data for frame in OPENAI.frames(found, 0))
    envelope = OPENAI.envelope(found, 0)
    assert prove(stream, envelope).holds
    other = prove(stream.replace(b'"total_tokens":1', b'"total_tokens":2'), envelope)
    assert other.differences == ["usage differs"]


@pytest.mark.parametrize(
    ("key", "sent"), [("refusal", "refusal"), ("reasoning", "reasoning_content")]
)
def test_other_texts_of_a_message_are_compared(key: str, sent: str) -> None:
    found, other = (
        find_answer(view({}), DIGEST, partial(stored, {"content": "a", key: text}))
        for text in ("One.", "Two.")
    )
    stream = b"".join(frame.data for frame in OPENAI.frames(found, 0))
    assert prove(stream, OPENAI.envelope(found, 0)).holds
    assert prove(stream, OPENAI.envelope(other, 0)).differences == [f"{sent} differs"]


@given(strategies.good_responses)
def test_a_reply_as_the_real_api_writes_it_always_holds(response: dict[str, Any]) -> None:
    """Also one of calls, with content beside them or without an index."""
    found = find_answer(view({}), DIGEST, partial(stored, response))
    stream = b"".join(frame.data for frame in OPENAI.frames(found, 0))
    proof = prove(stream, OPENAI.envelope(found, 0))
    assert proof.holds, proof.differences
    assert proof.content == response.get("content", "")
