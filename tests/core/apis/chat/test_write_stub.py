"""Answers as bytes, held against the real stub server's."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference, strategies
from tests.cases import each_case
from workbench.core.apis.chat.write_stub import STUB, sse
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.cutting import PIECES, split_arguments, split_content
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Frame, json_body
from workbench.core.replies.response import ErrorReply

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
TOOLS = [{"type": "function", "function": {"name": "f"}}]
CALLS = [
    {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
    {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
]


def of_response(response: dict[str, Any]) -> Answer:
    return find_answer(view({}), DIGEST, lambda _digest: {"response": response})


def of_directive(frames: str, arguments: str = "eyJ4IjogMX0") -> Answer:
    text = f"[[MOCK_LLM_TOOLCALL:f:{frames}:{arguments}]]"
    payload = {"messages": [{"role": "user", "content": text}], "tools": TOOLS}
    return find_answer(view(payload), DIGEST, lambda _digest: None)


def envelope(response: dict[str, Any]) -> dict[str, Any]:
    return json.loads(STUB.envelope(of_response(response), 0))  # type: ignore[no-any-return]


def chunk(frame: Frame) -> dict[str, Any]:
    assert frame.data.startswith(b"data: ")
    assert frame.data.endswith(b"\n\n")
    return json.loads(frame.data[6:])  # type: ignore[no-any-return]


def deltas(frames: list[Frame]) -> list[tuple[dict[str, Any], Any]]:
    """Delta and finish reason of each frame but the last, which ends the stream."""
    assert frames[-1] == Frame("done", b"data: [DONE]\n\n")
    choices = [chunk(frame)["choices"][0] for frame in frames[:-1]]
    return [(choice["delta"], choice["finish_reason"]) for choice in choices]


@each_case("number", range(0, 240, 20))
def test_every_reference_body(number: int) -> None:
    for case in reference.exchanges()[number : number + 20]:
        fixtures = {digest(case["payload"]): case["fixture"]}
        found = find_answer(view(case["payload"]), digest(case["payload"]), fixtures.get)
        if case["payload"].get("stream"):
            body = b"".join(frame.data for frame in list(STUB.frames(found, 0)))
            # The reference data has its zero without the space.
            body = re.sub(rb'(?<!\\)"created": 0', b'"created":0', body)
            assert case["content_type"] == CONTENT_TYPE
        else:
            body = STUB.envelope(found, 0)
            assert case["content_type"] == ENVELOPE_TYPE
        assert body.decode() == case["body"]


@pytest.mark.parametrize(
    ("length", "pieces"), [(0, 1), (1, 1), (2, 2), (5, 5), (6, 3), (7, 4), (11, 4), (100, 5)]
)
def test_how_many_pieces_content_has(length: int, pieces: int) -> None:
    assert len(split_content("x" * length)) == pieces


@given(st.text(max_size=60))
def test_the_pieces_are_the_content(content: str) -> None:
    pieces = split_content(content)
    assert "".join(pieces) == content
    assert len(pieces) <= PIECES


def test_an_envelope() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 999}
    found = of_response({"content": "hi", "usage": usage})
    assert json.loads(STUB.envelope(found, 1700000000)) == {
        "id": "chatcmpl-e2e-c62fad60235a",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt-4o-mini",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "hi"},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46},
    }


def test_an_envelope_names_calls_only_where_there_are_any() -> None:
    message = envelope({"tool_calls": CALLS})["choices"][0]["message"]
    assert message == {"role": "assistant", "content": "", "tool_calls": CALLS}
    assert "tool_calls" not in envelope({"tool_calls": []})["choices"][0]["message"]


def test_a_json_body_is_compact_sorted_ascii_and_one_line() -> None:
    assert json_body({"b": "é\n\ud800", "a": [1, 2]}) == (b'{"a":[1,2],"b":"\\u00e9\\n\\ud800"}\n')


def test_a_stream_of_content() -> None:
    frames = list(STUB.frames(of_response({"content": "abcdefg", "finish_reason": "length"}), 0))
    assert deltas(frames) == [
        ({"role": "assistant", "content": ""}, None),
        ({"content": "ab"}, None),
        ({"content": "cd"}, None),
        ({"content": "ef"}, None),
        ({"content": "g"}, "length"),
    ]
    assert [frame.kind for frame in frames] == ["role", *["content"] * 4, "done"]
    assert [frame.piece for frame in frames] == ["", "ab", "cd", "ef", "g", ""]
    assert [frame.paced for frame in frames] == [False, *[True] * 4, False]


def test_a_stream_of_nothing_has_one_empty_piece() -> None:
    frames = list(STUB.frames(of_response({"content": ""}), 0))
    assert deltas(frames)[1:] == [({"content": ""}, "stop")]


def test_a_stream_of_calls_has_them_in_one_frame_and_no_content() -> None:
    found = of_response({"content": "lost", "tool_calls": CALLS, "finish_reason": "tool_calls"})
    frames = list(STUB.frames(found, 0))
    assert deltas(frames) == [
        ({"role": "assistant", "content": ""}, None),
        ({"tool_calls": CALLS}, None),
        ({}, "tool_calls"),
    ]
    assert [frame.kind for frame in frames] == ["role", "calls", "finish", "done"]
    assert [frame.piece for frame in frames] == ["", '{"x": 1}{}', "", ""]
    assert [frame.paced for frame in frames] == [False, True, False, False]


@pytest.mark.parametrize(
    ("framing", "pieces"),
    [
        ("once", ['{"x": 1}']),
        ("repeat", ['{"x": 1}', '{"x": 1}']),
        ("delta", ['{"x"', ": 1}"]),
        ("truncated", ['{"x": 1']),
    ],
)
def test_how_a_directive_cuts_arguments(framing: str, pieces: list[str]) -> None:
    frames = list(STUB.frames(of_directive(framing), 0))
    calls = [delta["tool_calls"][0] for delta, _ in deltas(frames) if "tool_calls" in delta]
    assert [call["function"]["arguments"] for call in calls] == pieces
    assert [call["index"] for call in calls] == [0] * len(pieces)
    assert [call.get("id") for call in calls] == ["call_e2e_c62fad60235a"] + [None] * (
        len(pieces) - 1
    )
    assert [frame.piece for frame in frames if frame.kind == "calls"] == pieces


@pytest.mark.parametrize(
    ("encoded", "piece"),
    [
        ("ew", '{"'),  # {
        ("e30", "{"),  # {}
        ("e30gIA", "{"),  # {} and two blanks
        ("IHt9IA", " {"),  # a blank, {}, a blank
        ("ICA", '{"'),  # two blanks
        ("eA", '{"'),  # x
        ("=", '{"'),  # nothing
    ],
)
def test_truncated_arguments_are_those_of_the_reference(encoded: str, piece: str) -> None:
    frames = list(STUB.frames(of_directive("truncated", encoded), 0))
    assert [frame.piece for frame in frames if frame.kind == "calls"] == [piece]


@given(st.text(max_size=20) | strategies.json_values.map(json.dumps))
def test_truncated_arguments_are_never_an_object(arguments: str) -> None:
    (piece,) = split_arguments(arguments, "truncated")
    with contextlib.suppress(ValueError):
        assert not isinstance(json.loads(piece), dict)


def test_one_character_cannot_be_cut_in_two() -> None:
    frames = list(STUB.frames(of_directive("delta", "eA"), 0))
    assert [frame.piece for frame in frames if frame.kind == "calls"] == ["x"]


def test_a_directive_in_an_envelope_is_whole() -> None:
    message = json.loads(STUB.envelope(of_directive("truncated"), 0))["choices"][0]["message"]
    assert message["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"x": 1}'}


def test_every_frame_has_the_same_head() -> None:
    frames = list(STUB.frames(of_response({"content": "abcdefg"}), 1700000000))
    heads = [{k: v for k, v in chunk(f).items() if k != "choices"} for f in frames[:-1]]
    assert heads == [
        {
            "id": "chatcmpl-e2e-c62fad60235a",
            "object": "chat.completion.chunk",
            "created": 1700000000,
            "model": "gpt-4o-mini",
        }
    ] * len(heads)


def test_frames_are_unescaped_utf8_but_for_half_characters() -> None:
    assert sse({"a": "é\u2028"}) == 'data: {"a": "é\u2028"}\n\n'.encode()
    assert sse({"a": "x\ud800"}) == b'data: {"a": "x\\ud800"}\n\n'


@given(strategies.payloads, strategies.fixtures)
def test_whatever_a_fixture_holds_can_be_written(
    payload: dict[str, Any], fixture: dict[str, Any]
) -> None:
    found = find_answer(view(payload), DIGEST, lambda _digest: fixture)
    whole = json.loads(STUB.envelope(found, 0))
    frames = list(STUB.frames(found, 0))
    assert [frame.kind for frame in (frames[0], frames[-1])] == ["role", "done"]
    finish_reason = whole["choices"][0]["finish_reason"]
    reasons = [reason for _, reason in deltas(frames)]
    assert reasons[:-1] == [None] * (len(reasons) - 1)
    assert reasons[-1] == finish_reason
    assert all(b"\n" not in frame.data[:-2] for frame in frames)


def test_an_error_has_the_shape_of_the_api() -> None:
    assert json.loads(STUB.error(ErrorReply(400, "no", "kind", "c"))) == {
        "error": {"message": "no", "type": "kind", "param": None, "code": "c"}
    }
