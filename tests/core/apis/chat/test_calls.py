"""Calls in the pieces that upstreams send of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis.chat import API as CHAT
from workbench.core.replies.response import NotAReplyError

STREAM = "text/event-stream"


def stream(*deltas: list[dict[str, Any]]) -> bytes:
    chunks = [{"choices": [{"index": 0, "delta": {"tool_calls": calls}}]} for calls in deltas]
    frames = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*frames, "data: [DONE]\n\n"]).encode()


def piece(name: str = "", arguments: Any = None, /, **more: Any) -> dict[str, Any]:
    function = {"name": name} if name else {}
    return {**more, "function": function | ({"arguments": arguments} if arguments else {})}


def read(*deltas: list[dict[str, Any]]) -> list[tuple[str | None, str, str]]:
    response = CHAT.replies.read(STREAM, stream(*deltas)).response
    assert response["finish_reason"] == "tool_calls"
    return [
        (call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in response["tool_calls"]
    ]


@each_case(
    "deltas, expected",
    [
        # A name in pieces, repeated in each piece, and repeated at the end.
        ([[piece("get_", index=0, id="a")], [piece("weather", '{"x":1}', index=0)]],
         [("a", "get_weather", '{"x":1}')]),
        ([[piece("f", '{"x', index=0, id="a")], [piece("f", '":1}', index=0, id="a")]],
         [("a", "f", '{"x":1}')]),
        ([[piece("f", "{}", index=0, id="a")], [piece("f", "{}", index=0, id="a")]],
         [("a", "f", "{}")]),
        # The same number for two calls.
        ([[piece("f", "{}", index=0, id="a"), piece("g", '{"x":1}', index=0, id="b")]],
         [("a", "f", "{}"), ("b", "g", '{"x":1}')]),
        ([[piece("f", '{"x', index=0, id="a")], [piece("", '":1}', index=0)],
          [piece("g", index=0, id="b")], [piece("", "{}", index=0, id="b")]],
         [("a", "f", '{"x":1}'), ("b", "g", "{}")]),
        ([[piece("f", "{}", index=0)], [piece("g", "{}", index=0)]],
         [(None, "f", "{}"), (None, "g", "{}")]),
        ([[piece("f", '{"x":1}', index=0)], [piece("f", '{"x":2}', index=0)]],
         [(None, "f", '{"x":1}'), (None, "f", '{"x":2}')]),
        # An id that comes late, or is another in each piece.
        ([[piece("f", index=0)], [piece("", "{}", index=0, id="a")]], [("a", "f", "{}")]),
        ([[piece("f", '{"x', index=0, id="a")], [piece("", '":1}', index=0, id="b")]],
         [("a", "f", '{"x":1}')]),
        # No number: the id, the place, or the call before.
        ([[piece("f", "{}", id="a")], [piece("g", "{}", id="b")]],
         [("a", "f", "{}"), ("b", "g", "{}")]),
        ([[piece("f", '{"x', id="a")], [piece("g", "{}", id="b")], [piece("", '":1}', id="a")]],
         [("a", "f", '{"x":1}'), ("b", "g", "{}")]),
        ([[piece("f", "{}")], [piece("f", '{"x":1}')]],
         [(None, "f", "{}"), (None, "f", '{"x":1}')]),
        ([[piece("f", '{"x', id="a")], [piece("", '":1}')]], [("a", "f", '{"x":1}')]),
        ([[piece("f", '{"x', id="a"), piece("g", '{"y', id="b")],
          [piece("", '":1}'), piece("", '":2}')]],
         [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]),
        # A number as a text, and numbers out of order.
        ([[piece("g", "{}", index="1", id="b")], [piece("f", "{}", index="0", id="a")]],
         [("a", "f", "{}"), ("b", "g", "{}")]),
        # Arguments that are an object, or several.
        ([[piece("f", {"x": 1}, index=0, id="a")]], [("a", "f", '{"x":1}')]),
        ([[piece("f", {"x": 1}, index=0, id="a")], [piece("", {"y": 2}, index=0)]],
         [("a", "f", '{"x":1,"y":2}')]),
        ([[piece("f", '{"x":1}', index=0, id="a")], [piece("", {"x": 1}, index=0)]],
         [("a", "f", '{"x":1}')]),
        # Cut off by the limit of tokens.
        ([[piece("f", '{"x', index=0, id="a")]], [("a", "f", '{"x')]),
    ],
)  # fmt: skip
def test_the_pieces_are_put_together(
    deltas: list[Any], expected: list[tuple[str | None, str, str]]
) -> None:
    assert read(*deltas) == expected


@each_case(
    "deltas, why",
    [
        ([[piece("f", "{}", index=0, id="a")], [piece("", '{"x":1}', index=0)]],
         "the arguments of tool_calls[0] are several objects"),
        ([[piece("f", "{}", index=0)], [piece("f", "{}", index=0)]],
         "frame 1: a call without an id appears twice"),
        ([[piece("f")], [piece("g", "{}")]], "frame 1: the name of a call has no index and no id"),
        ([[piece("f", '{"x', id="a")], [piece("g", '{"y', id="b")], [piece("", '":1}')]],
         "frame 2: a piece of a call has no index and no id"),
        ([[piece("f", {"x": 1}, index=0)], [piece("", {"x": 2}, index=0)]],
         "frame 1: arguments has a key with two values"),
        ([[piece("f", {"x": 1}, index=0)], [piece("", '{"y":2}', index=0)]],
         "frame 1: arguments is an object, but a later piece is text"),
        ([[piece("f", '{"x":1}', index=0)], [piece("", {"y": 2}, index=0)]],
         "frame 1: arguments is text, but a later piece is an object"),
        ([[{"index": 0, "type": "mcp", "mcp": {"name": "f"}}]],
         "tool_calls[0] is a call of a mcp, not of a function"),
    ],
)  # fmt: skip
def test_pieces_that_do_not_fit_together_are_refused(deltas: list[Any], why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(*deltas)
    assert str(raised.value) == why


def test_a_proof_goes_by_the_numbers_alone() -> None:
    two = stream([piece("f", '{"x', index=0, id="a")], [piece("g", '":1}', index=0, id="b")])
    assert len(CHAT.replies.read(STREAM, two).response["tool_calls"]) == 2
    assert len(CHAT.replies.assemble(STREAM, two)["tool_calls"]) == 1
