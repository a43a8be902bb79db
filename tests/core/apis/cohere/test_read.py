"""Replies of Cohere's chat read as the response of a fixture."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.core.apis.cohere.sample import (
    PLAIN,
    STREAM,
    answered,
    call,
    in_lines,
    plain,
    streamed,
)
from workbench.core.apis.cohere.read import ends_stream, read
from workbench.core.apis.cohere.write import WRITER, error
from workbench.core.json.values import compact
from workbench.core.replies.response import ErrorReply, NotAReplyError

counts = st.integers(0, 10**6)
usages = st.builds(
    lambda prompt, completion, cached: {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        **({"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}),
    },
    counts,
    counts,
    counts,
)
arguments = st.dictionaries(strategies.texts, strategies.json_values, max_size=3).map(compact)
answers = st.builds(
    lambda content, inputs, reason, usage, thoughts: {
        "content": content,
        **({"tool_calls": [call("f", text, i) for i, text in enumerate(inputs)]} if inputs else {}),
        "finish_reason": reason,
        "usage": usage,
        **({"reasoning": thoughts} if thoughts else {}),
    },
    strategies.texts | st.text(max_size=200),
    st.lists(arguments, max_size=3),
    st.sampled_from(["stop", "tool_calls", "length", "content_filter", "another"]),
    usages,
    strategies.texts,
)


@given(answers)
def test_a_reply_is_read_as_it_was_written(response: dict[str, Any]) -> None:
    lines = in_lines(response)
    for kind, body in (
        (PLAIN, plain(response)),
        (STREAM, streamed(response)),
        (lines.content_type, lines.body),
    ):
        assert read(kind, body).response == response
        assert read(kind, body).left_out == []


# As the API was seen to send it.
PLAN = "I will use the weather tool."
MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "tool_plan": PLAN,
    "tool_calls": [
        {
            "id": "weather_dqgshstja6p9",
            "type": "function",
            "function": {"name": "weather", "arguments": '{"location":"San Francisco"}'},
        }
    ],
}
USAGE = {
    "billed_units": {"input_tokens": 119, "output_tokens": 52},
    "tokens": {"input_tokens": 1549, "output_tokens": 103},
    "cached_tokens": 992,
}


def sent(**more: Any) -> bytes:
    reply = {"id": "f201af17", "message": MESSAGE, "finish_reason": "TOOL_CALL", "usage": USAGE}
    return json.dumps({**reply, **more}).encode()


def test_a_plan_of_tools_is_the_content_beside_the_calls() -> None:
    reading = read(PLAIN, sent())
    assert reading.response == {
        "content": PLAN,
        "tool_calls": [{"index": 0, **MESSAGE["tool_calls"][0]}],
        "finish_reason": "tool_calls",
        "usage": {
            "prompt_tokens": 1549,
            "completion_tokens": 103,
            "prompt_tokens_details": {"cached_tokens": 992},
        },
    }
    assert reading.left_out == ["usage.billed_units"]


def test_what_a_fixture_cannot_hold_is_named() -> None:
    block = {"type": "text", "text": "Yes", "mood": "good"}
    message = {
        "role": "assistant",
        "content": [block, {"type": "image", "image_url": {"url": "x"}}],
        "citations": [{"start": 0, "end": 3, "text": "Yes", "sources": []}],
    }
    tokens = {"input_tokens": 1, "image_tokens": 259}
    reading = read(PLAIN, sent(message=message, logprobs=[{}], usage={"tokens": tokens}))
    assert reading.response["content"] == "Yes"
    assert sorted(reading.left_out) == [
        "citations",
        "content.image_url",
        "content.mood",
        "logprobs",
        "usage.tokens.image_tokens",
    ]


def test_counts_may_be_written_with_a_point() -> None:
    usage = {"billed_units": {"input_tokens": 4.0, "output_tokens": 2.0}}
    assert read(PLAIN, sent(usage=usage)).response["usage"] == {
        "prompt_tokens": 4,
        "completion_tokens": 2,
    }


def event(kind: str, **data: Any) -> bytes:
    return b"data: " + json.dumps({"type": kind, **data}).encode() + b"\n\n"


def delta(**message: Any) -> dict[str, Any]:
    return {"message": message}


END = event("message-end", delta={"finish_reason": "COMPLETE"})


def test_citations_of_a_stream_are_named() -> None:
    citation = {"start": 0, "end": 1, "text": "a", "sources": []}
    body = (
        event("message-start", id="1", delta=delta(role="assistant", content=[]))
        + event("content-delta", index=0, delta=delta(content={"text": "a"}))
        + event("citation-start", index=0, delta=delta(citations=citation))
        + event("citation-end", index=0)
        + event("debug", prompt="<turn>")
        + END
    )
    reading = read(STREAM, body)
    assert reading.response == {"content": "a", "finish_reason": "stop"}
    assert sorted(reading.left_out) == ["citations", "debug events"]


def test_calls_may_share_a_number_and_texts_need_no_start() -> None:
    body = event("content-delta", index=0, delta=delta(content={"text": "a"}))
    for name in ("f", "g"):
        function = {"name": name, "arguments": ""}
        begun = {"id": name, "type": "function", "function": function}
        body += event("tool-call-start", index=0, delta=delta(tool_calls=begun))
        piece = {"function": {"arguments": "{}"}}
        body += event("tool-call-delta", index=0, delta=delta(tool_calls=piece))
    response = read(STREAM, body + END).response
    assert response["content"] == "a"
    assert [call["function"]["name"] for call in response["tool_calls"]] == ["f", "g"]
    assert [call["function"]["arguments"] for call in response["tool_calls"]] == ["{}", "{}"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (event("content-delta", index=0, delta=delta(content={"text": "a"})), "broke off"),
        (
            event("content-delta", index=0, delta=delta(content={"text": 1})) + END,
            "text is a number, not a string",
        ),
        (
            event("tool-call-delta", index=0, delta=delta(tool_calls={"function": {}})) + END,
            "adds to a call that was not started",
        ),
        (
            event("message-end", delta={"finish_reason": "ERROR", "error": "It fell over."}),
            "is an error: It fell over.",
        ),
        (error(ErrorReply(429, "Slow down.")), "is an error: Slow down."),
        (sent(finish_reason=None), "no finish_reason"),
        (b'{"message": {"role": "assistant"}}', "no finish_reason"),
        (b'{"type": "content-end"}\n{"type"', "is not JSON"),
    ],
)
def test_what_is_no_reply_is_refused(body: bytes, problem: str) -> None:
    with pytest.raises(NotAReplyError, match=problem):
        read("", body)


@given(answers, st.integers(1))
def test_a_stream_ends_with_its_message(response: dict[str, Any], at: int) -> None:
    whole = streamed(response)
    assert ends_stream(whole)
    marked = whole.removesuffix(b"data: [DONE]\n\n")
    assert ends_stream(marked)
    assert not ends_stream(marked[: at % len(marked)])


def test_a_late_error_is_no_reply() -> None:
    late = WRITER.late_reply(ErrorReply(504, "It took too long."), answered({"content": "a"}))
    with pytest.raises(NotAReplyError, match="It took too long"):
        read(late.content_type, late.body)
