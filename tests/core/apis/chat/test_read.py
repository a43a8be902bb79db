"""Replies of the API as the ``response`` of a fixture."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import json_values, texts
from workbench.core.apis.chat import API as CHAT
from workbench.core.apis.chat.write import WRITERS
from workbench.core.apis.chat.write_openai import OPENAI
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.response import NeutralReply, NotAReplyError

PLAIN = "application/json"
STREAM = "text/event-stream; charset=utf-8"

calls = st.lists(
    st.builds(
        lambda name, arguments, ident: {
            "id": ident,
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        },
        st.sampled_from(["get_weather", "search"]),
        texts,
        st.sampled_from(["call_1", "call_2"]),
    ),
    max_size=3,
).map(lambda found: [{"index": i, **call} for i, call in enumerate(found)])


@pytest.mark.parametrize("writer", WRITERS.values(), ids=list(WRITERS))
@given(content=texts, tool_calls=calls, reason=st.sampled_from(["stop", "length", "tool_calls"]))
def test_what_was_sent_is_read_again_from_both_shapes(
    writer: Any, content: str, tool_calls: list[Any], reason: str
) -> None:
    # Content beside calls is lost in a stream.
    content = "" if tool_calls else content
    details = {"prompt_tokens_details": {"cached_tokens": 2}, "completion_tokens_details": {"x": 1}}
    reply = NeutralReply(content, tool_calls, reason, 3, 4, usage=details)
    found = Answer(view({"model": "gpt-4o"}), "0" * 64, reply, "fixture")
    expected: dict[str, Any] = {"content": content}
    if tool_calls:
        expected["tool_calls"] = tool_calls
    expected["finish_reason"] = reason
    counts: dict[str, Any] = {"prompt_tokens": 3, "completion_tokens": 4}
    usage = {"usage": counts | (details if writer is OPENAI else {})}
    assert CHAT.replies.read(PLAIN, writer.envelope(found, 0)).response == expected | usage
    stream = b"".join(frame.data for frame in writer.frames(found, 0))
    assert CHAT.replies.read(STREAM, stream).response in (expected, expected | usage)
    # A stream without its end is no reply.
    with pytest.raises(NotAReplyError, match="broke off"):
        CHAT.replies.read(STREAM, stream[: stream.index(b"\n\n") + 2])


@given(refusal=texts, reasoning=texts, content=texts, tool_calls=calls)
def test_a_refusal_and_the_reasoning_are_read_again_from_both_shapes(
    refusal: str, reasoning: str, content: str, tool_calls: list[Any]
) -> None:
    response = {"content": content, "tool_calls": tool_calls}
    fixture = {"response": {**response, "refusal": refusal, "reasoning": reasoning}}
    found = find_answer(
        view({"stream_options": {"include_usage": True}}), "0" * 64, lambda _: fixture
    )
    whole = CHAT.replies.read(PLAIN, CHAT.replies.writer("openai").envelope(found, 0)).response
    assert whole.get("refusal", "") == refusal
    assert whole.get("reasoning", "") == reasoning
    stream = b"".join(frame.data for frame in CHAT.replies.writer("openai").frames(found, 0))
    assert CHAT.replies.read(STREAM, stream).response == whole


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_has_one_key_whatever_the_upstream_calls_it(key: str) -> None:
    stream = frames(delta(**{key: "Hm"}), delta(**{key: "m."}), delta("stop", content="Yes."))
    assert CHAT.replies.read(STREAM, stream).response["reasoning"] == "Hmm."
    message = {"content": "Yes.", key: "Hmm.", "refusal": None}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    assert CHAT.replies.read(PLAIN, body).response == {
        "content": "Yes.",
        "finish_reason": "stop",
        "reasoning": "Hmm.",
    }


def frames(*chunks: object) -> bytes:
    return b"".join(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks)


def delta(finish: str | None = None, /, **fields: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def test_calls_that_come_side_by_side_are_put_together_by_their_index() -> None:
    def call(index: int, **function: str) -> dict[str, Any]:
        return {"index": index, "function": function}

    found = CHAT.replies.read(
        STREAM,
        frames(
            delta(tool_calls=[{**call(0, name="a", arguments=""), "id": "x", "type": "function"}]),
            delta(tool_calls=[{**call(1, name="b", arguments='{"n'), "id": "y"}]),
            delta(tool_calls=[call(0, arguments="{}"), call(1, arguments='": 1}')]),
            delta("tool_calls"),
            {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "x": 3}},
        ),
    ).response
    assert found == {
        "content": "",
        "tool_calls": [
            {
                "index": 0,
                "id": "x",
                "type": "function",
                "function": {"name": "a", "arguments": "{}"},
            },
            {
                "index": 1,
                "id": "y",
                "type": "function",
                "function": {"name": "b", "arguments": '{"n": 1}'},
            },
        ],
        "finish_reason": "tool_calls",
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }


def test_the_input_of_a_custom_call_is_put_together() -> None:
    found = CHAT.replies.read(
        STREAM,
        frames(
            delta(
                tool_calls=[{"index": 0, "custom": {"name": "sql"}, "id": "x", "type": "custom"}]
            ),
            delta(tool_calls=[{"index": 0, "custom": {"input": "SELECT "}}]),
            delta("tool_calls", tool_calls=[{"index": 0, "custom": {"input": "1"}}]),
        ),
    ).response
    custom = {"name": "sql", "input": "SELECT 1"}
    assert found["tool_calls"] == [{"index": 0, "id": "x", "type": "custom", "custom": custom}]


def test_usage_is_kept_when_a_later_chunk_has_none() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    found = CHAT.replies.read(
        STREAM,
        frames(
            {**delta(content="a"), "usage": None},
            {**delta("stop"), "usage": usage},
            {"choices": [], "usage": None},
            {"choices": []},
        ),
    ).response
    assert found == {"content": "a", "finish_reason": "stop", "usage": usage}


@each_case(
    "content_type, body, reason",
    [
        (PLAIN, b"<html>", "the body is not JSON"),
        (PLAIN, b"", "^the body is empty$"),
        (PLAIN, b"{\xff}", "^the body is not JSON: byte 1 cannot be read$"),
        (PLAIN, b"[]", "the body is a list, not an object"),
        (PLAIN, b"{}", r"not a chat completion: it has no choices\[0\]\.message"),
        (PLAIN, b'{"message": {"content": "a"}}', "not a chat completion: it has no choices"),
        (PLAIN, b'{"error": {"message": "no key"}}', "the body is an error: no key"),
        (PLAIN, b'{"choices":[{"message":{"tool_calls":{"a":1}}}]}', "tool_calls is an object"),
        (PLAIN, b'{"choices":[{"message":{"tool_calls":[1]}}]}', r"tool_calls\[0\] is a number"),
        (STREAM, b"", "broke off"),
        (STREAM, b"data: {\n\n", "frame 0 is not JSON"),
        (STREAM, frames(delta(), {"error": "late"}), "frame 1 is an error: late"),
        (STREAM, frames(delta(tool_calls=[1])), r"frame 0: tool_calls\[0\] is a number"),
        (
            STREAM,
            frames(delta(tool_calls=[{"function": {"arguments": {}, "name": 1}}])),
            "broke off",
        ),
        (
            STREAM,
            frames(delta(tool_calls=[{"function": {"arguments": [1]}}])),
            "frame 0: arguments is a list",
        ),
    ],
)
def test_what_is_no_whole_reply_is_refused_with_its_reason(
    content_type: str, body: bytes, reason: str
) -> None:
    with pytest.raises(NotAReplyError, match=reason):
        CHAT.replies.read(content_type, body)


@given(
    st.sampled_from([PLAIN, STREAM]),
    st.binary() | st.lists(json_values).map(lambda chunks: frames(*chunks)),
    json_values,
    json_values,
)
def test_no_body_raises_anything_else(kind: str, body: bytes, odd: Any, reason: Any) -> None:
    for data in (
        body,
        json.dumps({"choices": [{"message": odd, "delta": odd}]}).encode(),
        json.dumps({"choices": [{"message": {"tool_calls": [odd], "content": odd}}]}).encode(),
        frames(delta(content=odd, tool_calls=[odd]), delta(reason)),
        frames(delta(tool_calls=odd), odd, {"choices": odd, "usage": odd}, delta("stop")),
    ):
        with suppress(NotAReplyError):
            CHAT.replies.read(kind, data)


def test_a_stream_with_an_end_needs_no_finish_reason() -> None:
    done = b"data: [DONE]\n\n"
    response = CHAT.replies.read(STREAM, frames(delta(content="a")) + done).response
    assert response["finish_reason"] == "stop"
    with pytest.raises(NotAReplyError, match="the stream broke off: no frame has a finish_reason"):
        CHAT.replies.read(STREAM, frames(delta(content="a")))
    with pytest.raises(NotAReplyError, match="the stream broke off"):
        CHAT.replies.read(STREAM, done)


def test_a_message_beside_the_pieces_says_the_same() -> None:
    def chunk(piece: str, whole: str) -> dict[str, Any]:
        return {"choices": [{"delta": {"content": piece}, "message": {"content": whole}}]}

    repeated = (chunk("a", "a"), chunk("b", "ab"), delta("stop"))
    assert CHAT.replies.read(STREAM, frames(*repeated)).response["content"] == "ab"
    alone = {"choices": [{"message": {"content": "ab"}, "finish_reason": "stop"}]}
    assert CHAT.replies.read(STREAM, frames(alone)).response["content"] == "ab"
    with pytest.raises(NotAReplyError, match="the pieces of the stream differ from its last"):
        CHAT.replies.read(STREAM, frames(chunk("a", "abc"), delta("stop")))


@pytest.mark.parametrize(
    "choice",
    [
        {"delta": {}, "finish_reason": "error"},
        {"delta": {}, "error": {"message": "Overloaded."}, "finish_reason": "stop"},
    ],
)
def test_an_error_in_a_choice_is_no_reply(choice: dict[str, Any]) -> None:
    with pytest.raises(NotAReplyError, match="error"):
        CHAT.replies.read(STREAM, frames(delta(content="a"), {"choices": [choice]}))


def test_the_first_of_several_choices_counts_whatever_its_number() -> None:
    second, third = (
        {"choices": [{"index": number, "delta": {"content": text}, "finish_reason": "stop"}]}
        for number, text in ((2, "b"), (1, "a"))
    )
    stream = frames(second, third)
    assert CHAT.replies.read(STREAM, stream).response["content"] == "a"
    assert CHAT.replies.read(STREAM, stream).left_out == ["further choices"]


@pytest.mark.parametrize(
    "frame",
    [
        {"code": 500, "message": "Overloaded."},
        {"detail": "Overloaded."},
        {"x_groq": {"error": "Overloaded."}, "choices": []},
        {"error": {"message": "Overloaded."}, "choices": []},
    ],
)
def test_an_error_of_another_shape_is_no_part_of_a_reply(frame: dict[str, Any]) -> None:
    with pytest.raises(NotAReplyError, match=r"^frame 1 is an error: Overloaded\.$"):
        CHAT.replies.read(STREAM, frames(delta(content="a"), frame, delta("stop")))


def test_usage_may_stand_at_other_places() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    for last in ({**delta("stop"), "x_groq": {"id": "r", "usage": usage}}, delta("stop")):
        last["choices"][0].setdefault("usage", usage)
        stream = frames(delta(content="a"), last)
        assert CHAT.replies.read(STREAM, stream).response["usage"] == usage
        assert CHAT.replies.read(STREAM, stream).left_out == []


def test_an_empty_message_beside_the_pieces_says_nothing() -> None:
    chunk = {"choices": [{"delta": {"content": "a"}, "message": {}}]}
    assert CHAT.replies.read(STREAM, frames(chunk, delta("stop"))).response["content"] == "a"
    empty = {"choices": [{"message": {}, "finish_reason": "stop"}]}
    assert CHAT.replies.read(PLAIN, json.dumps(empty).encode()).response["content"] == ""
