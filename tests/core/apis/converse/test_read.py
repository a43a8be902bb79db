"""Replies of Converse are read with all that they say, and what they leave out is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from tests.core.apis.converse.sample import PLAIN, STREAM
from workbench.core.apis.converse.read import FINISH_REASONS, read
from workbench.core.apis.eventstream import event, exception
from workbench.core.replies.response import NotAReplyError


def reply(*content: Any, **more: Any) -> bytes:
    message = {"role": "assistant", "content": [*content]}
    usage = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}
    return json.dumps(
        {"output": {"message": message}, "stopReason": "end_turn", "usage": usage, **more}
    ).encode()


def stream(*events: tuple[str, dict[str, Any]]) -> bytes:
    """Events with the padding that the service adds."""
    end = (
        ("messageStop", {"stopReason": "end_turn"}),
        ("metadata", {"usage": {"inputTokens": 3}, "metrics": {"latencyMs": 400}}),
    )
    return b"".join(
        event(kind, json.dumps({**data, "p": "abcdef"}).encode())
        for kind, data in (("messageStart", {"role": "assistant"}), *events, *end)
    )


def delta(index: int = 0, **piece: Any) -> tuple[str, dict[str, Any]]:
    return "contentBlockDelta", {"contentBlockIndex": index, "delta": piece}


def test_all_that_a_reply_says() -> None:
    usage = {"inputTokens": 3, "outputTokens": 2, "totalTokens": 9, "cacheReadInputTokens": 4}
    reading = read(
        PLAIN,
        reply(
            {"reasoningContent": {"reasoningText": {"text": "Hm. ", "signature": "s"}}},
            {"text": "It rains"},
            {"citationsContent": {"content": [{"text": ", they say."}]}},
            usage=usage,
            metrics={"latencyMs": 300},
            trace={"guardrail": {}},
        ),
    )
    assert reading.response == {
        "content": "It rains, they say.",
        "finish_reason": "stop",
        "reasoning": "Hm. ",
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }
    assert reading.left_out == []


def test_tokens_of_a_cache_are_tokens_of_the_prompt() -> None:
    usage = {"inputTokens": 3, "cacheReadInputTokens": 4, "cacheWriteInputTokens": 5}
    response = read(PLAIN, reply({"text": "a"}, usage=usage)).response
    assert response["usage"] == {
        "prompt_tokens": 12,
        "prompt_tokens_details": {"cached_tokens": 4},
    }


@each_case(
    "body, left_out",
    [
        (reply({"text": "a", "image": {"format": "png"}}), ["image"]),
        (
            reply({"citationsContent": {"content": [], "citations": [{"title": "t"}]}}),
            ["citationsContent.citations"],
        ),
        (
            reply({"reasoningContent": {"redactedContent": "x"}}),
            ["reasoningContent.redactedContent"],
        ),
        (reply(additionalModelResponseFields={"a": 1}), ["additionalModelResponseFields"]),
        (
            reply(usage={"inputTokens": 1, "cacheWriteInputTokens": 4}),
            ["usage.cacheWriteInputTokens"],
        ),
        (stream(delta(citation={"title": "t"})), ["delta.citation"]),
        (stream(("contentBlockMood", {"mood": "good"})), ["contentBlockMood events"]),
        (
            stream(("contentBlockStart", {"contentBlockIndex": 0, "start": {"image": {"a": 1}}})),
            ["start.image"],
        ),
    ],
)
def test_what_no_fixture_holds_is_named(body: bytes, left_out: list[str]) -> None:
    assert read("", body).left_out == left_out


def test_a_stream_of_blocks_that_are_mixed() -> None:
    start = {"toolUse": {"toolUseId": "t1", "name": "f"}}
    body = stream(
        delta(reasoningContent={"text": "H"}),
        ("contentBlockStart", {"contentBlockIndex": 2, "start": start}),
        delta(2, toolUse={"input": '{"a":'}),
        delta(1, text="It "),
        delta(reasoningContent={"text": "m."}),
        delta(reasoningContent={"signature": "s"}),
        delta(2, toolUse={"input": "1}"}),
        delta(1, text="rains."),
        ("contentBlockStop", {"contentBlockIndex": 1}),
    )
    reading = read(STREAM, body)
    assert reading.left_out == []
    assert reading.response["content"] == "It rains."
    assert reading.response["reasoning"] == "Hm."
    (call,) = reading.response["tool_calls"]
    assert call["function"] == {"name": "f", "arguments": '{"a":1}'}


@each_case(
    "body, problem",
    [
        (b"", "the body is empty"),
        (b"[]", "the body is a list, not an object"),
        (b'{"message": "No."}', "the body is not a reply of Converse: it has no output.message"),
        (stream()[:-1], "the stream broke off in event 2, or that is damaged"),
        (event("messageStart", b"{}"), "the stream broke off: it has no messageStop"),
        (
            event("messageStop", b'{"stopReason": "end_turn"}'),
            "the stream broke off: it has no metadata",
        ),
        (
            exception("throttlingException", b'{"message": "Slow."}'),
            "event 0 is an error: throttlingException: Slow.",
        ),
        (stream(delta(toolUse={"input": "{}"})), "event 1 adds to a call that was not started"),
        (stream(delta(text=4)), "event 1: text is a number, not a string"),
        (event("messageStart", b"["), "event 0 is not JSON: Expecting value"),
    ],
)
def test_what_is_no_reply(body: bytes, problem: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read("", body)
    assert str(raised.value).startswith(problem)


@pytest.mark.parametrize(("theirs", "ours"), [*FINISH_REASONS.items(), ("new_word", "new_word")])
def test_why_it_ends(theirs: str, ours: str) -> None:
    assert read(PLAIN, reply(stopReason=theirs)).response["finish_reason"] == ours
