"""Calls whose arguments come in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis.gemini.read import read
from workbench.core.replies.response import NotAReplyError

STREAM = "text/event-stream"


def stream(*calls: dict[str, Any]) -> bytes:
    parts: list[dict[str, Any]] = [{"functionCall": call} for call in calls]
    chunks: list[Any] = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    chunks.append({"candidates": [{"finishReason": "STOP"}]})
    return "".join(f"data: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks).encode()


def at(path: str, more: bool = False, /, **value: Any) -> dict[str, Any]:
    """A piece of an argument; ``more`` if another of it follows."""
    return {"jsonPath": path, **value, **({"willContinue": True} if more else {})}


def pieces(*given: dict[str, Any]) -> list[dict[str, Any]]:
    begun = {"name": "f", "willContinue": True}
    return [begun, *({"partialArgs": [one], "willContinue": True} for one in given), {}]


@each_case(
    "given, arguments",
    [
        ([], {}),
        ([at("$.city", True, stringValue="Os"), at("$.city", stringValue="lo")], {"city": "Oslo"}),
        ([at("$.n", numberValue=1.5), at("$.b", boolValue=False), at("$.z", nullValue=None)],
         {"n": 1.5, "b": False, "z": None}),
        ([at("$.z", nullValue="NULL_VALUE")], {"z": None}),
        ([at("$.a.b", stringValue="x"), at("$.a.c[0].d", numberValue=1),
          at("$.a.c[1].d", numberValue=2), at("$['e f'][0]", True, stringValue=""),
          at('$["e f"][0]', stringValue="y")],
         {"a": {"b": "x", "c": [{"d": 1}, {"d": 2}]}, "e f": ["y"]}),
    ],
)  # fmt: skip
def test_arguments_in_pieces(given: list[dict[str, Any]], arguments: dict[str, Any]) -> None:
    body = stream(*pieces(*given))
    (call,) = read(STREAM, body).response["tool_calls"]
    assert call["function"]["name"] == "f"
    assert json.loads(call["function"]["arguments"]) == arguments
    assert read(STREAM, body).left_out == []


def test_calls_one_after_the_other() -> None:
    found = read(
        STREAM,
        stream(
            {"name": "f", "partialArgs": [at("$.a", numberValue=1)]},  # whole at once
            {},
            {"name": "g", "args": {"b": 2}},
            {"name": "h", "partialArgs": [at("$.c", True, stringValue="x")]},
            {"partialArgs": [at("$.c", stringValue="y")]},
            {"name": "f", "id": "1", "willContinue": True},
            {"name": "f", "id": "1", "partialArgs": [at("$.d", numberValue=3)]},
            {"name": "none"},
        ),
    ).response
    functions = [call["function"] for call in found["tool_calls"]]
    assert [(one["name"], one["arguments"]) for one in functions] == [
        ("f", '{"a":1}'),
        ("g", '{"b":2}'),
        ("h", '{"c":"xy"}'),
        ("f", '{"d":3}'),
        ("none", "{}"),
    ]


@each_case(
    "calls, why",
    [
        ([{"args": {"a": 1}}], "frame 0: a functionCall has no name"),
        ([{"name": "f", "willContinue": True}], "the stream broke off in the functionCall of f"),
        ([{"name": "f", "willContinue": True}, {"name": "g"}],
         "frame 1: a functionCall begins before that of f ends"),
        ([{"name": "f", "args": [1]}], "frame 0: args is a list, not an object"),
        ([{"name": "f", "args": {"a": 1}, "partialArgs": [at("$.a", numberValue=2)]}],
         "frame 0: the piece of an argument at '$.a' does not fit"),
        (pieces(at("$.a[*]", numberValue=2)),
         "frame 1: the piece of an argument at '$.a[*]' does not fit"),
        (pieces(at("$.a")), "frame 1: the piece of an argument at '$.a' does not fit"),
        (pieces(at("$.a[1]", numberValue=2)),
         "frame 1: the piece of an argument at '$.a[1]' does not fit"),
        (pieces(at("$.a", numberValue=2), at("$.a.b", numberValue=2)),
         "frame 2: the piece of an argument at '$.a.b' does not fit"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_together_is_refused(calls: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(NotAReplyError) as raised:
        read(STREAM, stream(*calls))
    assert str(raised.value) == why


def test_other_keys_of_a_call_are_named() -> None:
    call = {"name": "f", "args": {}, "partial_args": [at("$.a", numberValue=1) | {"x": 1}], "y": 1}
    assert read(STREAM, stream(call)).left_out == ["functionCall.y", "functionCall.partialArgs.x"]
