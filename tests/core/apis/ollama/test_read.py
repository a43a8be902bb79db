"""Replies of the Ollama API as the ``response`` of a fixture."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.core.apis.ollama.asking import answer, call, sent
from tests.strategies import json_values, texts
from workbench.core.apis.ollama.read import ends_stream, read
from workbench.core.json.values import compact
from workbench.core.replies.response import NotAReplyError

LINES, PLAIN = "application/x-ndjson", "application/json; charset=utf-8"

calls = st.lists(
    st.builds(
        lambda name, arguments, ident: call(name, compact(arguments), ident),
        st.sampled_from(["get_weather", "search"]),
        st.dictionaries(texts, json_values, max_size=2),
        st.sampled_from(["call_1", "call_2", None]),
    ),
    max_size=3,
).map(lambda made: [{"index": n, **one} for n, one in enumerate(made)])


def stream(*frames: Any, end: str = "\n") -> bytes:
    return "".join(json.dumps(frame) + end for frame in frames).encode()


def said(**message: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", **message}, "done": False}


DONE = {"done": True, "done_reason": "stop"}


@given(
    content=texts,
    reasoning=texts,
    tool_calls=calls,
    reason=st.sampled_from(["stop", "length", "content_filter", "load"]),
    endpoint=st.sampled_from(["chat", "generate"]),
    streams=st.booleans(),
)
def test_what_was_sent_is_read_again(
    content: str, reasoning: str, tool_calls: list[Any], reason: str, endpoint: str, streams: bool
) -> None:
    reason = "tool_calls" if tool_calls and reason == "stop" else reason
    usage = {"prompt_tokens": 9, "completion_tokens": 5}
    response: dict[str, Any] = {"content": content, "finish_reason": reason, "usage": usage}
    if reasoning:
        response["reasoning"] = reasoning
    if tool_calls:
        response["tool_calls"] = tool_calls
    reply = sent(answer(endpoint, **response), stream=streams)
    assert read(reply.content_type, reply.body) == (response, [])
    assert ends_stream(reply.body)


@each_case(
    "frames, response",
    [
        (
            [said(content="Ra"), said(content="in"), DONE],
            {"content": "Rain", "finish_reason": "stop"},
        ),
        ([{"response": "a", "done": False}, DONE], {"content": "a", "finish_reason": "stop"}),
        (
            [said(content="a"), {"done": True, "context": [1], "eval_count": 0}],
            {"content": "a", "finish_reason": "stop", "usage": {"completion_tokens": 0}},
        ),
        (
            [said(thinking="Hm."), {**said(content=""), "done": True, "done_reason": "length"}],
            {"content": "", "finish_reason": "length", "reasoning": "Hm."},
        ),
    ],
)
@pytest.mark.parametrize("kind", [LINES, "", "application/json"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_a_stream(frames: list[Any], response: dict[str, Any], kind: str, end: str) -> None:
    whole = stream(*frames, end=end)
    assert read(kind, whole) == (response, [])
    assert read(kind, whole.rstrip()).response == response


def test_calls_of_several_lines_and_of_other_servers() -> None:
    first = {"function": {"name": "f", "arguments": {"a": 1}}}
    second = {"id": "c", "type": "function", "function": {"name": "g", "arguments": '{"b": 2}'}}
    third = {"function": {"name": "h"}}
    frames = [said(tool_calls=[first]), said(tool_calls=[second, third]), DONE]
    response, left_out = read(LINES, stream(*frames))
    assert [(c["index"], c["id"], c["function"]) for c in response["tool_calls"]] == [
        (0, None, {"name": "f", "arguments": '{"a":1}'}),
        (1, "c", {"name": "g", "arguments": '{"b": 2}'}),
        (2, None, {"name": "h", "arguments": "{}"}),
    ]
    assert response["finish_reason"] == "tool_calls"
    assert left_out == []


def test_what_no_fixture_holds_is_named() -> None:
    odd = {"function": {"name": "f", "arguments": {}, "note": "n"}, "score": 1}
    frame = {**said(content="a", images=["AAAA"], tool_calls=[odd]), "logprobs": [1], "safe": True}
    _, left_out = read(LINES, stream(frame, DONE))
    assert sorted(left_out) == [
        "logprobs",
        "message.images",
        "safe",
        "tool_calls.function.note",
        "tool_calls.score",
    ]


@each_case(
    "body, why",
    [
        (stream({"error": "model not found"}), "the body is an error: model not found"),
        (stream(said(content="a"), {"error": "out of memory"}), "frame 1 is an error: out of mem"),
        (stream(said(content="a"), said(content="b")), "it is not a whole reply"),
        (stream(said(content="a")), "it is not a whole reply"),
        (stream(said(content="a"), DONE)[:-5], "frame 1 is not JSON"),
        (stream(said(content="a"), [1]), "frame 1 is a list"),
        (b"", "the body is empty"),
        (b"<html>", "the body is not JSON"),
    ],
)
def test_what_is_no_reply(body: bytes, why: str) -> None:
    with pytest.raises(NotAReplyError, match=why):
        read("", body)


@each_case(
    "body, ends",
    [
        (stream(said(content="a"), DONE), True),
        (stream(said(content="a"), DONE).rstrip(), True),
        (stream(said(content="a")), False),
        (stream(said(content='"done": true}')), False),
        (stream(said(content="a"), DONE)[:-3], False),
        (b"", False),
        (b'"done"', False),
    ],
)
def test_the_last_line_of_a_stream(body: bytes, ends: bool) -> None:
    assert ends_stream(body) is ends
    assert ends_stream(bytearray(body)) is ends
