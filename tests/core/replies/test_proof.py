"""The proof that a stream and a plain reply say the same, for each API and profile."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.cases import each_case
from workbench.core.apis.table import BY_NAME, view
from workbench.core.replies.answer import find_answer
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.proof import Proof, prove

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
APIS = sorted(BY_NAME)
WAYS = [("chat", "stub"), ("chat", "openai"), *((api, "stub") for api in APIS if api != "chat")]


def call(name: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {**more, "id": f"call_{name}", "type": "function", "function": function}


RESPONSE: dict[str, Any] = {
    "content": "Let me look.",
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 5, "completion_tokens": 3},
    "reasoning": "Hm.",
}
CALLS = [call("get_weather", '{"city":"Rome"}', index=0), call("list_cities", index=1)]


def sent(
    way: tuple[str, Any], response: dict[str, Any], *, stream: bool, **payload: Any
) -> HTTPReply:
    api, profile = way
    request = view({"api": api, "stream_options": {"include_usage": True}, **payload})
    found = find_answer(request, DIGEST, lambda _: {"response": response})
    return BY_NAME[api].replies.writer(profile, request).reply(found, 0, stream=stream)


def proof(
    way: tuple[str, Any],
    response: dict[str, Any],
    whole: dict[str, Any] | None = None,
    **payload: Any,
) -> Proof:
    """The proof for a reply, or for the stream of one and the envelope of another."""
    streamed = sent(way, response, stream=True, **payload)
    plain = sent(way, whole or response, stream=False, **payload)
    assemble = BY_NAME[way[0]].replies.assemble
    return prove(assemble, streamed.content_type, streamed.body, plain.body)


@pytest.mark.parametrize("way", WAYS)
def test_a_client_gets_the_text(way: tuple[str, str]) -> None:
    found = proof(way, RESPONSE)
    assert found.holds, found.differences
    assert found.received["content"] == "Let me look."
    assert found.received["finish_reason"] == "stop"


@pytest.mark.parametrize("way", WAYS)
def test_a_client_gets_the_calls(way: tuple[str, str]) -> None:
    found = proof(way, {"tool_calls": CALLS, "finish_reason": "tool_calls"})
    assert found.holds, found.differences
    assert found.received["tool_calls"] == CALLS


@given(
    way=st.sampled_from(WAYS),
    response=strategies.good_responses,
    refusal=strategies.texts,
    reasoning=strategies.texts,
)
def test_a_reply_of_text_always_holds(
    way: tuple[str, str], response: dict[str, Any], refusal: str, reasoning: str
) -> None:
    texts = {"refusal": refusal, "reasoning": reasoning}
    found = proof(way, {**response, **texts, "tool_calls": None})
    assert found.holds, found.differences


@given(way=st.sampled_from(WAYS[1:]), response=strategies.good_responses)
def test_a_reply_as_the_real_api_writes_it_always_holds(
    way: tuple[str, str], response: dict[str, Any]
) -> None:
    """Also one of calls, with content beside them or without an index."""
    found = proof(way, response)
    assert found.holds, found.differences


@given(way=st.sampled_from(WAYS), response=strategies.odd_responses)
def test_whatever_a_fixture_holds_can_be_compared(
    way: tuple[str, str], response: dict[str, Any]
) -> None:
    assert isinstance(proof(way, response), Proof)


def test_content_beside_calls_is_lost() -> None:
    found = proof(("chat", "stub"), {"content": "lost", "tool_calls": CALLS})
    assert found.differences == (
        "content is lost when this is streamed, because only the calls are sent",
    )


def test_calls_with_one_index_are_merged() -> None:
    calls = [call("f", '{"a"', index=0), call("f", ": 1}", index=0)]
    found = proof(("chat", "stub"), {"tool_calls": calls})
    assert found.differences == ("tool calls differ: a client merges the frames into other calls",)
    assert found.received["tool_calls"] == [call("f", '{"a": 1}', index=0)]


def test_a_custom_call_is_whole() -> None:
    custom = {"index": 0, "id": "call_0", "type": "custom", "custom": {"name": "f", "input": "x"}}
    assert proof(("chat", "openai"), {"tool_calls": [custom]}).received["tool_calls"] == [custom]


@pytest.mark.parametrize("way", WAYS[:2])
@pytest.mark.parametrize(
    ("frames", "holds"), [("once", True), ("delta", True), ("repeat", False), ("truncated", False)]
)
def test_a_directive_is_put_together_from_its_deltas(
    way: tuple[str, str], frames: str, holds: bool
) -> None:
    text = f"[[MOCK_LLM_TOOLCALL:f:{frames}:eyJ4IjogMX0]]"
    found = proof(way, {}, messages=[{"role": "user", "content": text}], tools=[{}])
    assert found.holds is holds


@each_case("way", WAYS[1:])
@each_case(
    "key, other",
    [
        ("content", "Other"),
        ("reasoning", "Other"),
        ("finish_reason", "length"),
        ("usage", {"prompt_tokens": 5, "completion_tokens": 4}),
    ],
)
def test_a_difference_is_named(way: tuple[str, str], key: str, other: Any) -> None:
    assert proof(way, RESPONSE, RESPONSE | {key: other}).differences == (f"{key} differs",)


@pytest.mark.parametrize("way", WAYS[1:])
def test_other_calls_are_named(way: tuple[str, str]) -> None:
    found = proof(way, {"tool_calls": CALLS}, {"tool_calls": CALLS[:1]})
    assert "tool calls differ: a client merges the frames into other calls" in found.differences


@pytest.mark.parametrize("way", WAYS[1:])
def test_another_refusal_is_named(way: tuple[str, str]) -> None:
    found = proof(way, {"content": "", "refusal": "No."}, {"content": "", "refusal": "Never."})
    # Models of Cohere and Ollama refuse in their text.
    differs = "content" if way[0] in ("cohere", "ollama") else "refusal"
    assert found.differences == (f"{differs} differs",)


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_is_no_reply_says_why(api: str) -> None:
    plain = sent((api, "stub"), RESPONSE, stream=False).body
    found = prove(BY_NAME[api].replies.assemble, "text/event-stream", b"data: 1\n\n", plain)
    assert found.received == {}
    assert not found.holds


def test_a_gemini_stream_may_be_an_array() -> None:
    way = ("gemini", "stub")
    assert sent(way, RESPONSE, stream=True, alt="json").body.startswith(b"[")
    found = proof(way, RESPONSE, alt="json")
    assert found.holds, found.differences


@pytest.mark.parametrize(
    ("kind", "response"),
    [
        ("response.output_text.delta", RESPONSE),
        ("response.reasoning_summary_text.delta", RESPONSE),
        ("response.refusal.delta", {"content": "", "refusal": "No."}),
        ("response.function_call_arguments.delta", {"tool_calls": CALLS}),
        ("response.output_item.added", RESPONSE),
    ],
)
def test_the_last_event_of_a_stream_does_not_hide_what_its_pieces_lack(
    kind: str, response: dict[str, Any]
) -> None:
    way = ("responses", "stub")
    frames = sent(way, response, stream=True).body.split(b"\n\n")
    first = next(f for f in frames if f.startswith(b"event: %s\n" % kind.encode()))
    lacking = b"\n\n".join(frame for frame in frames if frame != first)
    plain = sent(way, response, stream=False).body
    found = prove(BY_NAME["responses"].replies.assemble, "text/event-stream", lacking, plain)
    assert not found.holds
