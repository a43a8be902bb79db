"""Replies of the Messages API read as the response of a fixture."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.cases import each_case
from tests.core.apis.messages.sample import PLAIN, STREAM, call, plain, streamed
from workbench.core.apis.messages.read import ends_stream, read
from workbench.core.apis.messages.write import error
from workbench.core.json.values import compact
from workbench.core.replies.response import ErrorReply, NotAReplyError

arguments = st.dictionaries(strategies.texts, strategies.json_values, max_size=3).map(compact)
counts = st.integers(0, 10**6)
usages = st.builds(
    lambda prompt, completion, cached: {
        "prompt_tokens": prompt + cached,
        "completion_tokens": completion,
        **({"prompt_tokens_details": {"cached_tokens": cached}} if cached else {}),
    },
    counts,
    counts,
    counts,
)
some_text = strategies.texts.filter(bool)
answers = st.builds(
    lambda content, inputs, reason, usage, thoughts: {
        "content": content,
        **({"tool_calls": [call("f", text, i) for i, text in enumerate(inputs)]} if inputs else {}),
        "finish_reason": reason,
        "usage": usage,
        **thoughts,
    },
    strategies.texts | st.text(max_size=200),
    st.lists(arguments, max_size=3),
    st.sampled_from(["stop", "tool_calls", "length", "content_filter", "another"]),
    usages,
    st.just({}) | some_text.map(lambda text: {"reasoning": text}),
)
refusals = st.builds(
    lambda text, usage: {"content": "", "finish_reason": "stop", "refusal": text, "usage": usage},
    some_text,
    usages,
)


@given(answers | refusals)
def test_a_reply_is_read_as_it_was_written(response: dict[str, Any]) -> None:
    assert read(PLAIN, plain(response)).response == response
    assert read(STREAM, streamed(response)).response == response
    assert read(PLAIN, plain(response)).left_out == read(STREAM, streamed(response)).left_out == []


def test_arguments_that_are_not_json_stay_text() -> None:
    response = {"tool_calls": [call("f", '{"city": "Ro')]}
    for reply in (read(PLAIN, plain(response)), read(STREAM, streamed(response))):
        assert reply.response["tool_calls"] == response["tool_calls"]


def message(**more: Any) -> bytes:
    usage = {"input_tokens": 5, "output_tokens": 3}
    return json.dumps({"content": [], "stop_reason": "end_turn", "usage": usage, **more}).encode()


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        (None, None),
    ],
)
def test_a_stop_reason(theirs: str | None, ours: str | None) -> None:
    assert read(PLAIN, message(stop_reason=theirs)).response["finish_reason"] == ours


def test_tokens_written_to_a_cache_are_tokens_of_the_prompt() -> None:
    usage = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 7,
        "cache_read_input_tokens": 11,
        "output_tokens": 3,
    }
    body = message(usage=usage)
    assert read(PLAIN, body).response["usage"] == {
        "prompt_tokens": 23,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 11},
    }
    assert read(PLAIN, body).left_out == ["usage.cache_creation_input_tokens"]


def test_what_no_fixture_holds_is_named() -> None:
    blocks = [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "server_tool_use", "id": "srvtoolu_1"},
        {"type": "text", "text": "a", "citations": [{"cited_text": "b"}]},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}, "caller": {"type": "direct"}},
    ]
    body = message(content=blocks, container={"id": "c"}, stop_details=None)
    assert read(PLAIN, body).left_out == [
        "container",
        "redacted_thinking blocks",
        "server_tool_use blocks",
        "text.citations",
    ]


def test_citations_of_a_stream_are_named() -> None:
    stream = streamed({"content": "Blue"})
    delta = {"type": "citations_delta", "citation": {"cited_text": "The sky is blue."}}
    event = {"type": "content_block_delta", "index": 0, "delta": delta}
    cited = b"event: content_block_delta\ndata: " + json.dumps(event).encode() + b"\n\n"
    stop = b"event: content_block_stop"
    assert read(STREAM, stream.replace(stop, cited + stop)).left_out == ["text.citations"]


@pytest.mark.parametrize(
    ("content_type", "body", "why"),
    [
        (PLAIN, b"", "the body is empty"),
        (PLAIN, b"\xff", "the body is not JSON"),
        (PLAIN, b"[]", "the body is a list, not an object"),
        (PLAIN, b"{}", "the body is not a message: it has no list content"),
        (PLAIN, error(ErrorReply(429, "slow down", "t")), "the body is an error: slow down"),
        (STREAM, b"", "the stream broke off"),
        (STREAM, b"event: message_start\ndata: 1\n\n", "event 0 is a number, not an object"),
        (
            STREAM,
            b'event: error\ndata: {"type":"error","error":{"message":"overloaded"}}\n\n',
            "event 0 is an error: overloaded",
        ),
        (
            STREAM,
            b'event: content_block_delta\ndata: {"index":0,"delta":{}}\n\n',
            "event 0 adds to a block that was not started",
        ),
    ],
)
def test_a_body_that_is_not_a_whole_reply(content_type: str, body: bytes, why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(content_type, body)
    assert str(raised.value).startswith(why)


def test_a_stream_ends_with_its_last_event() -> None:
    body = streamed({"content": "\nevent: message_stop\n\n"})
    assert ends_stream(body)
    assert [end for end in range(len(body)) if ends_stream(body[:end])] == []
    assert not ends_stream(b"event: message_stop\n\n")
    with pytest.raises(NotAReplyError):
        read(STREAM, body[:-1])


def events(*given: dict[str, Any], named: bool = True) -> bytes:
    """A stream of blocks and deltas, between the events around them."""
    around = [{"type": "message_start", "message": {"content": []}}, *given]
    around += [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}]
    lines = (
        (f"event: {one['type']}\n" if named else "") + f"data: {json.dumps(one)}\n\n"
        for one in [*around, {"type": "message_stop"}]
    )
    return "".join(lines).encode()


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **piece: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **piece}}


TOOL = {"type": "tool_use", "id": "t", "name": "f"}


@each_case(
    "given, arguments",
    [
        ([start(0, **TOOL, input={"a": 1})], '{"a":1}'),
        ([start(0, **TOOL, input={"a": 1}), delta(0, "input_json_delta", partial_json='{"b": 2}')],
         '{"a":1,"b":2}'),
        ([start(0, **TOOL, input={"a": 1}), delta(0, "input_json_delta", partial_json='{"a": 1}')],
         '{"a":1}'),
        ([start(0, **TOOL), delta(0, "input_json_delta", partial_json='{"b')], '{"b'),
        ([start(0, **TOOL)], "{}"),
    ],
)  # fmt: skip
def test_an_input_may_begin_with_its_block(given: list[Any], arguments: str) -> None:
    for named in (True, False):  # the data has the name of the event, too
        (call,) = read(STREAM, events(*given, named=named)).response["tool_calls"]
        assert call["function"]["arguments"] == arguments


def test_a_stream_that_is_done_needs_no_last_event() -> None:
    whole = streamed({"content": "a"})
    cut = whole[: whole.rindex(b"event: message_stop")]
    assert read(STREAM, cut + b"data: [DONE]\n\n").response["content"] == "a"
    with pytest.raises(NotAReplyError, match="the stream broke off"):
        read(STREAM, cut)


def test_blocks_of_the_first_event_count() -> None:
    begun = {"type": "message_start", "message": {"content": [{"type": "text", "text": "a"}]}}
    rest = [delta(0, "text_delta", text="b"), {"type": "message_stop"}]
    lines = [f"data: {json.dumps(event)}\n\n" for event in (begun, *rest)]
    assert read(STREAM, "".join(lines).encode()).response["content"] == "ab"


@each_case(
    "given, names",
    [
        ([{"type": "more", "text": "x"}], ["more events"]),
        ([start(0, type="text", text="a"), delta(0, "other_delta", other="x")], ["other_delta"]),
        ([start(0, type="text", text="a"), delta(0, "input_json_delta", partial_json="{}")],
         ["text.partial_json"]),
        ([start(0, type="text", text="a"), {"type": "ping", "x": 1}], ["x"]),
    ],
)  # fmt: skip
def test_what_a_stream_has_besides_is_named(given: list[Any], names: list[str]) -> None:
    assert read(STREAM, events(*given)).left_out == names


def test_the_sequence_that_stopped_it_is_named() -> None:
    body = message(stop_reason="stop_sequence", stop_sequence="END", content=["odd"])
    assert read(PLAIN, body).left_out == ["stop_sequence", "unknown blocks"]


@each_case(
    "given, why",
    [
        ([start(0, type="text", text=""), start(0, type="text", text="")],
         "event 2 starts a block that was started"),
        ([start(0, type="text", text=""), delta(0, "text_delta", text=1)],
         "event 2: text is a number, not a string"),
        ([start(0, **TOOL, input={"a": 1}), delta(0, "input_json_delta", partial_json='{"a": 2}')],
         "the pieces of an input do not fit its beginning"),
    ],
)  # fmt: skip
def test_pieces_that_do_not_fit_are_refused(given: list[Any], why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(STREAM, events(*given))
    assert str(raised.value) == why
