"""Replies of Gemini's generateContent as the ``response`` of a fixture."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.apis.gemini.asking import EVENTS, PLAIN, array, call, events, found, plain
from tests.strategies import json_values, texts
from workbench.core.apis.gemini.read import ends_stream, read
from workbench.core.replies.response import NotAReplyError

calls = st.lists(
    st.builds(
        lambda name, arguments, ident: call(
            name, json.dumps(arguments, ensure_ascii=False, separators=(",", ":")), ident
        ),
        st.sampled_from(["get_weather", "search"]),
        st.dictionaries(texts, json_values, max_size=2),
        st.sampled_from(["call_1", "call_2", None]),
    ),
    max_size=3,
).map(lambda made: [{"index": n, **one} for n, one in enumerate(made)])
usages = st.builds(
    lambda prompt, answer, cached, thoughts: {
        "prompt_tokens": prompt,
        "completion_tokens": answer + thoughts,
        **({"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}),
        **({"completion_tokens_details": {"reasoning_tokens": thoughts}} if thoughts else {}),
    },
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(0, 9),
    st.integers(0, 9),
)


def body(*candidates: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"candidates": list(candidates), **more}).encode()


def parts(*given: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"parts": list(given)}, "finishReason": "STOP"}


@given(
    content=texts,
    reasoning=texts,
    tool_calls=calls,
    reason=st.sampled_from(["stop", "length", "content_filter", "OTHER"]),
    refusal=texts,
    usage=usages,
)
def test_what_was_sent_is_read_again_from_every_form(
    content: str, reasoning: str, tool_calls: list[Any], reason: str, refusal: str, usage: Any
) -> None:
    if refusal:
        reason = "content_filter"
    elif tool_calls and reason == "stop":
        reason = "tool_calls"
    expected: dict[str, Any] = {"content": content}
    if tool_calls:
        expected["tool_calls"] = tool_calls
    expected |= {"finish_reason": reason, "usage": usage}
    if refusal:
        expected["refusal"] = refusal
    if reasoning:
        expected["reasoning"] = reasoning
    answer = found(**expected)
    assert read(PLAIN, plain(answer)).response == expected
    for kind, stream in ((EVENTS, events(answer)), (PLAIN, array(answer))):
        assert read(kind, stream).response == expected
        assert read(kind, stream).left_out == []
        assert ends_stream(bytearray(stream))
        # A stream without its end is not a reply.
        for cut in (stream[: stream.rindex(b"{") + 1], stream[: len(stream) // 2], b""):
            assert not ends_stream(cut)
            with pytest.raises(NotAReplyError):
                read(kind, cut)


def test_a_text_that_quotes_a_stream_does_not_end_it() -> None:
    quoted = json.dumps({"candidates": [{"finishReason": "STOP"}]})
    stream = events(found(content=f"\ndata: {quoted}\n\n"))
    first = stream[: stream.index(b"\r\n\r\n") + 4]
    assert not ends_stream(first)
    assert ends_stream(stream)


@pytest.mark.parametrize("body", [b"data: {\r\n\r\n", b"[{]", b"[1]", b"[]"])
def test_what_is_not_a_chunk_does_not_end_a_stream(body: bytes) -> None:
    assert not ends_stream(body)


def test_a_blocked_prompt_is_a_refusal() -> None:
    blocked = {"blockReason": "PROHIBITED_CONTENT"}
    refused = {"content": "", "finish_reason": "content_filter", "refusal": "PROHIBITED_CONTENT"}
    assert read(PLAIN, json.dumps({"promptFeedback": blocked}).encode()).response == refused
    blocked["blockReasonMessage"] = "Not this."
    whole = body(promptFeedback=blocked, usageMetadata={"trafficType": "ON_DEMAND"})
    assert read(PLAIN, whole).response == {**refused, "refusal": "Not this."}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("PROHIBITED_CONTENT", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("MALFORMED_FUNCTION_CALL",) * 2,
    ],
)
def test_other_finish_reasons(reason: str, expected: str) -> None:
    response = read(PLAIN, body({"content": {}, "finishReason": reason})).response
    assert response == {"content": "", "finish_reason": expected}


def test_the_first_candidate_counts() -> None:
    two = body({**parts({"text": "a"}), "index": 1}, {**parts({"text": "b"}), "index": 0})
    assert read(PLAIN, two).response["content"] == "b"
    assert read(PLAIN, two).left_out == ["further candidates"]


def test_what_no_fixture_holds_is_named_once() -> None:
    image = {"inlineData": {"data": "AAAA"}, "thoughtSignature": "x"}
    whole = body(
        {**parts(image, image, {"text": "a"}), "groundingMetadata": {"a": 1}, "safetyRatings": []},
        modelVersion="gemini-3-pro",
        modelStatus={"modelStage": "RETIRED"},
    )
    assert read(PLAIN, whole).left_out == ["modelStatus", "groundingMetadata", "inlineData"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the body is empty"),
        (b"7", "the body is a number, not an object"),
        (b"[7]", "item 0 is a number, not an object"),
        (b"{}", "it is not a whole reply: it has no finishReason"),
        (b'{"error":{"message":"No quota."}}', "the body is an error: No quota."),
        (b'[{"error":"No."}]', "item 0 is an error: No."),
    ],
)
def test_what_is_not_a_reply(content: bytes, message: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(PLAIN, content)
    assert str(raised.value) == message


def test_an_error_in_a_stream_is_not_a_reply() -> None:
    chunk = events(found(content="ab")).partition(b"\r\n\r\n")[0]
    stream = chunk + b'\r\n\r\ndata: {"error":{"message":"Overloaded."}}\r\n\r\n'
    with pytest.raises(NotAReplyError, match=r"^frame 1 is an error: Overloaded.$"):
        read(EVENTS, stream)


NAMES = """
    candidates content parts text thought functionCall name args id index finishReason error
    finishMessage usageMetadata promptTokenCount promptFeedback blockReason
"""
names = st.sampled_from(NAMES.split())
odd = st.recursive(
    json_values | st.just("STOP"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)


@given(odd)
def test_any_json_is_read_or_refused(value: Any) -> None:
    text = json.dumps(value).encode()
    for kind, content in ((PLAIN, text), (EVENTS, b"data: " + text + b"\n\n")):
        ends_stream(content)
        with suppress(NotAReplyError):
            json.dumps(read(kind, content).response)
        with suppress(NotAReplyError):
            read(kind, content)


@pytest.mark.parametrize(("reason", "names"), [("STOP", []), ("OTHER", ["finishMessage"])])
def test_the_message_of_an_unusual_end_is_named(reason: str, names: list[str]) -> None:
    candidate = {**parts({"text": "a"}), "finishReason": reason, "finishMessage": "Because."}
    assert read(PLAIN, body(candidate)).left_out == names


def test_keys_may_be_in_snake_case() -> None:
    part = {"function_call": {"name": "f", "args": {"a_b": 1}}, "thought_signature": "x"}
    candidate = {"content": {"parts": [part]}, "finish_reason": "STOP"}
    whole = body(candidate, usage_metadata={"prompt_token_count": 1}, model_version="g")
    assert read(PLAIN, whole).response["tool_calls"][0]["function"]["arguments"] == '{"a_b":1}'
    assert read(PLAIN, whole).left_out == []


def test_a_finish_reason_may_be_a_number() -> None:
    assert read(PLAIN, body({**parts({"text": "a"}), "finishReason": 2})).response == {
        "content": "a",
        "finish_reason": "length",
    }
    for number, why in ((0, "it is not a whole reply"), (6, "the finishReason 6 is unknown")):
        with pytest.raises(NotAReplyError, match=why):
            read(PLAIN, body({**parts({"text": "a"}), "finishReason": number}))


def test_what_is_not_an_object_is_named() -> None:
    candidate = {"content": {"parts": ["odd", {"text": "a"}]}, "finishReason": "STOP"}
    whole = json.dumps({"candidates": [candidate, "odd"], "usageMetadata": [{}, {"a": 1}]}).encode()
    assert read(PLAIN, whole).left_out == ["usageMetadata", "candidates", "parts"]


def test_counts_without_those_of_the_prompt() -> None:
    whole = body(parts({"text": "a"}), usageMetadata={"candidatesTokenCount": 2})
    assert read(PLAIN, whole).response["usage"] == {"completion_tokens": 2}
