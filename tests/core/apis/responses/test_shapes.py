"""Replies have the shapes of recorded ones: the same events in the same order, the same keys with
values of the same types.

``shapes/*.json`` describe recordings of the real API. Their paths name the elements of a list by
type: ``output[message].content[output_text].text``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import each_case
from tests.core.apis.responses.asking import DATA, asked, call, custom_call, events, plain, stream
from workbench.core.apis.responses.write import WRITER
from workbench.core.replies.response import ErrorReply

SHAPES = {path.stem: json.loads(path.read_bytes()) for path in (DATA / "shapes").glob("*.json")}

CALL = call("f", '{"city":"Rome"}')
SPENT = {"completion_tokens_details": {"reasoning_tokens": 9}}
TEXT = {"content": "Twelve degrees."}
REASONED = {"content": "Twelve degrees.", "reasoning": "Warm."}
CALLED = {"tool_calls": [CALL]}
# The fixture of each recording. A recording of several responses has one for each.
FIXTURES: dict[str, list[dict[str, Any]]] = {
    "custom-tool-call": [{"tool_calls": [custom_call("sql", "select 1")]}],
    "max-tokens": [{**TEXT, "finish_reason": "length"}],
    "parallel-tool-calls": [{"tool_calls": [CALL, CALL]}],
    "phase": [TEXT],
    "phase-stream": [{**TEXT, **CALLED, "usage": SPENT}],
    "previous-response-id": [TEXT],
    "reasoning": [REASONED],
    "reasoning-encrypted": [{**CALLED, "reasoning": "Warm."}, CALLED, CALLED, TEXT],
    "reasoning-encrypted-tool-call": [{**CALLED, "usage": SPENT}],
    "reasoning-summary-text": [REASONED],
    "reasoning-tool-call": [{**CALLED, "reasoning": "Warm."}],
    "refusal": [{"refusal": "No."}],
    "structured": [{"content": "{}"}],
    "text": [TEXT],
    "text-and-tool-call": [{**TEXT, **CALLED}],
    "tool-call": [CALLED],
}

# Newer keys, by model, and older ones, which no other recording has.
LEFT_OUT = {
    *("phase", "context", "mode", "moderation", "tool_usage", "billing"),
    *("generate_summary", "status_details", "tool_calls"),
}
# What a recording has beside.
LEFT_OUT_OF: dict[str, set[str]] = {
    "custom-tool-call": {"input"},
    "previous-response-id": {"total_tokens", "reasoning"},
    "phase-stream": {"content"},
}
# Recordings whose values no client has seen from the real API, or that differ from all others.
ODD_VALUES = {"previous-response-id": {"status"}, "max-tokens-stream": {"item.status"}}


def fixtures(name: str) -> list[dict[str, Any]]:
    return FIXTURES[name] if name in FIXTURES else FIXTURES[name.removesuffix("-stream")]


def request_like(keys: dict[str, list[str]]) -> dict[str, Any]:
    """A request for which a response repeats values of the types that ``keys`` have."""

    def is_text(path: str) -> bool:
        return keys.get(path) == ["string"]

    found: dict[str, Any] = {
        key: "a"
        for key in ("instructions", "previous_response_id", "prompt_cache_retention")
        if is_text(key)
    }
    found["reasoning"] = {
        key: "low" for key in ("effort", "summary") if is_text(f"reasoning.{key}")
    }
    if any(path.endswith("encrypted_content") for path in keys):
        found["include"] = ["reasoning.encrypted_content"]
    if any(path.endswith("namespace") for path in keys):
        tools = [{"type": "function", "name": "f"}]
        found["tools"] = [{"type": "namespace", "name": "n", "description": "", "tools": tools}]
    if is_text("text.format.name"):
        found["text"] = {"format": {"type": "json_schema", "name": "n", "schema": {}}}
    return found


# What a value repeats of the request is not looked into.
REPEATED = {"schema", "tools", "metadata"}


def types(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The path and the type of each value in ``value``."""
    match value:
        case dict():
            yield path, "object"
            for key, inner in value.items():
                if path.rpartition(".")[2] not in REPEATED:
                    yield from types(inner, f"{path}.{key}" if path else key)
        case list():
            yield path, "array"
            for inner in value:
                if path.rpartition(".")[2] not in REPEATED:
                    yield from types(inner, f"{path}[{inner['type']}]")
        case None:
            yield path, "null"
        case bool():
            yield path, "boolean"
        case int() | float():
            yield path, "number"
        case _:
            yield path, "string"


def is_left_out(path: str, keys: set[str]) -> bool:
    return path == "." or not (LEFT_OUT | keys).isdisjoint(path.replace("[", ".").split("."))


def assert_has_shape(found: Any, shape: dict[str, Any], left_out: set[str]) -> None:
    expected = {
        path: {"number" if given == "integer" else given for given in kinds}
        for path, kinds in shape["keys"].items()
        if not is_left_out(path, left_out)
    }
    had: dict[str, set[str]] = {}
    for path, given in types(found):
        had.setdefault(path, set()).add(given)
    assert {path: had.get(path) for path in expected} == expected


def assert_has_values(found: dict[str, Any], shape: dict[str, Any], odd: set[str]) -> None:
    """The values that are the same in each recording; those in lists are types and states."""
    for path, values in shape["constants"].items():
        if "[" not in path and path not in odd and not is_left_out(path, set()):
            value: Any = found
            for key in path.split("."):
                value = value[key]
            assert [value] == values, path


@each_case(
    "name",
    [name for name, shape in SHAPES.items() if not shape["stream"] and "error" not in name],
)
def test_a_plain_reply(name: str) -> None:
    (response,) = fixtures(name)
    shape = SHAPES[name]
    found = plain(asked(response, **request_like(shape["keys"])))
    assert_has_shape(found, shape, LEFT_OUT_OF.get(name, set()))
    assert_has_values(found, shape, ODD_VALUES.get(name, set()))


@pytest.mark.parametrize("name", ["error-400", "error-429"])
def test_an_error(name: str) -> None:
    shape = SHAPES[name]
    named = {key: shape["constants"][f"error.{key}"][0] for key in ("type", "code")}
    error = ErrorReply(shape["status"], "Message.", **named)
    reply = WRITER.error_reply(error)
    assert reply.status == shape["status"]
    # Which parameter was wrong is said by the real API alone.
    assert_has_shape(json.loads(reply.body), shape, {"param"})


def streams(shape: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The shapes of the events of each response in a recording."""
    found: list[list[dict[str, Any]]] = []
    for event in shape["events"]:
        if event["event"] == "response.created":
            found.append([])
        found[-1].append(event)
    return found


def in_order(names: list[str]) -> list[str]:
    """Without repetition: a text has many deltas, a summary several parts."""
    found: list[str] = []
    for name in names:
        if name in found and ("delta" in name or "summary" in name):
            continue
        if name == "response.output_item.added":
            found.append(f"item {len(found)}")
        found.append(name)
    return found


@each_case("name", [name for name, shape in SHAPES.items() if shape["stream"]])
def test_a_stream(name: str) -> None:
    shapes = streams(SHAPES[name])
    requests = [request_like(_repeated(shape)) for shape in shapes]
    if name == "error-in-stream":
        error = ErrorReply(429, "Slow down.", "insufficient_quota", "insufficient_quota")
        frames = WRITER.late_error(error, asked({}, **requests[0]))
        replies = [b"".join(frame.data for frame in frames)]
    else:
        answered = zip(fixtures(name), requests, strict=True)
        replies = [stream(asked(response, **request)) for response, request in answered]
    for reply, shape in zip(replies, shapes, strict=True):
        found = events(reply)
        _assert_same_order(name, found, shape)
        for expected in shape:
            (like, *_) = [
                event for event in found if (event["type"], _of(event)) == _kind(expected)
            ]
            assert_has_shape(like, expected, LEFT_OUT_OF.get(name, set()))
            assert_has_values(like, expected, ODD_VALUES.get(name, set()))


def _assert_same_order(name: str, found: list[dict[str, Any]], shape: list[dict[str, Any]]) -> None:
    names = [event["type"] for event in found]
    if name == "custom-tool-call-stream":  # the recording, made by hand, has none
        names.remove("response.custom_tool_call_input.done")
    assert in_order(names) == in_order([event["event"] for event in shape])


def _repeated(shape: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The keys of the whole response in the last event."""
    keys = shape[-1]["keys"]
    return {path.removeprefix("response."): kinds for path, kinds in keys.items()}


def _kind(expected: dict[str, Any]) -> tuple[str, str | None]:
    return expected["event"], expected["of"]


def _of(event: dict[str, Any]) -> str | None:
    about = event.get("item") or event.get("part")
    return about["type"] if about else None
