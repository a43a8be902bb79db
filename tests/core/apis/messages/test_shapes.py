"""Replies have the shapes of recorded ones: order of events, keys and types of values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import pytest

from tests.cases import each_case
from tests.core.apis.messages.sample import DATA, answered, call, plain, streamed
from workbench.core.apis import sse
from workbench.core.apis.messages.write import error, late_error
from workbench.core.replies.response import ErrorReply

SHAPES = {path.stem: json.loads(path.read_bytes()) for path in (DATA / "shapes").glob("*.json")}
USAGE = {"prompt_tokens": 20, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 8}}
TEXT = {"content": "It is sunny in Rome today."}
CALL = {"tool_calls": [call("get_weather", '{"city": "Rome"}')], "finish_reason": "tool_calls"}
CALLS = {"tool_calls": [*CALL["tool_calls"], call("get_weather", '{"city": "Oslo"}', 1)]}
NO_ARGUMENTS = {"tool_calls": [call("list_cities")], "finish_reason": "tool_calls"}
THOUGHT = {"reasoning": "The user asks for the weather."}
RESPONSES: dict[str, dict[str, Any]] = {
    "text": TEXT,
    "structured": {"content": '{"city": "Rome"}'},
    "max-tokens": {**TEXT, "finish_reason": "length"},
    "thinking": {**THOUGHT, **TEXT},
    "thinking-text": {**THOUGHT, **TEXT},
    "thinking-text-tool-call": {**THOUGHT, **TEXT, **CALL},
    # A fixture has no key for thoughts that cannot be read.
    "redacted-thinking": TEXT,
    "text-and-tool-call": {**TEXT, **CALL},
    "text-and-tool-call-stream": {**TEXT, **NO_ARGUMENTS},
    "tool-call": CALL,
    "parallel-tool-calls": {**CALL, **CALLS},
    "refusal": {"refusal": "I cannot help with that."},
}
ERRORS = {"error-400", "error-in-stream"}
# Keys of newer models alone, and blocks that no fixture holds.
LEFT_OUT = (
    "inference_geo",
    "caller",
    "server_tool_use",
    "recommended_model",
    "stop_details",
    "redacted_thinking",
)
# Null, where a refusal belongs to no category that has a name.
NULL = "stop_details.category"

Keys = dict[str, set[str]]


NAMES = sorted(SHAPES.keys() - ERRORS)


def keys(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Each place in a JSON value with its type; items of lists are told apart by their type."""
    yield at or ".", _type(value)
    if isinstance(value, dict) and not at.endswith(".input"):
        for key, item in value.items():
            yield from keys(item, f"{at}.{key}" if at else key)
    if isinstance(value, list):
        for item in value:
            yield from keys(item, f"{at}[{item['type']}]")


def _type(value: Any) -> str:
    kinds = {str: "string", int: "integer", dict: "object", list: "array", type(None): "null"}
    return kinds[type(value)]


def collected(value: Any) -> Keys:
    found: Keys = {}
    for at, kind in keys(value):
        found.setdefault(at, set()).add(kind)
    return found


def expected(recorded: dict[str, list[str]], ours: Keys) -> Keys:
    """The keys of a recording without what we leave out."""
    found = {at: set(kinds) for at, kinds in recorded.items() if ".input." not in at}
    return {
        at: {"null"} if at.endswith(NULL) else kinds
        for at, kinds in found.items()
        if at in ours or not any(name in at for name in LEFT_OUT)
    }


@each_case("name", [name for name in NAMES if not name.endswith("-stream")])
def test_a_message_has_the_keys_of_a_recorded_one(name: str) -> None:
    recorded = SHAPES[name]
    message = json.loads(plain(RESPONSES[name] | {"usage": USAGE}))
    ours = collected(message)
    assert expected(recorded["keys"], ours) == ours
    for at, values in recorded["constants"].items():
        if "[" not in at and "." not in at:
            assert message[at] in values, at


def events(stream: bytes) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, type of block or delta, and data of each event."""
    found = []
    for event in sse.events(stream):
        data = json.loads(event.data)
        assert data["type"] == event.kind
        part = data.get("content_block") or data.get("delta") or {}
        found.append((event.kind, part.get("type") or "", data))
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-stream")])
def test_a_stream_has_the_events_of_a_recorded_one(name: str) -> None:
    response = RESPONSES.get(name) or RESPONSES[name.removesuffix("-stream")]
    ours = [
        (kind, of, [data for *_, data in group])
        for (kind, of), group in groupby(
            (
                event
                for event in events(streamed(response | {"usage": USAGE}))
                if event[0] != "ping"
            ),
            key=lambda event: event[:2],
        )
    ]
    recorded = [*_merged(SHAPES[name]["events"])]
    assert [event[:2] for event in ours] == [(e["event"], e["of"] or "") for e in recorded]
    for (kind, of, found), event in zip(ours, recorded, strict=True):
        for data in found:
            assert expected(event["keys"], collected(data)) == collected(data), (kind, of)


def _merged(recorded: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The events of a recording without pings, which may stand anywhere, and blocks that no fixture
    holds; deltas of one kind that follow one another are one.
    """
    last = None
    is_left_out = False
    for event in recorded:
        if event["event"] == "content_block_start":
            is_left_out = event["of"] in LEFT_OUT
        this = (event["event"], event["of"])
        if event["event"] != "ping" and not is_left_out and this != last:
            yield event
        if event["event"] != "ping":
            last = this
        if event["event"] == "content_block_stop":
            is_left_out = False


def test_a_ping_follows_the_first_start() -> None:
    kinds = [kind for kind, *_ in events(streamed(TEXT))]
    assert kinds[:3] == ["message_start", "content_block_start", "ping"]
    assert kinds.count("ping") == 1
    assert [kind for kind, *_ in events(streamed({"refusal": "No."}))][:2] == [
        "message_start",
        "ping",
    ]


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_an_error_has_the_keys_of_a_recorded_one(name: str) -> None:
    status = 529 if name == "error-in-stream" else 400
    reply = ErrorReply(status, "Try later", "server_error")
    recorded = SHAPES[name]
    if "events" in recorded:
        recorded = recorded["events"][-1]
        [frame] = late_error(reply, answered(TEXT))
        [(kind, _, data)] = events(frame.data)
        assert kind == "error"
    else:
        data = json.loads(error(reply))
    assert expected(recorded["keys"], {}) == collected(data)
    assert [data["error"]["type"]] == recorded["constants"]["error.type"]
