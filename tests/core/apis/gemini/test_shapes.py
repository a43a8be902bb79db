"""Replies have the keys and types that recordings of the real API have.

A recording lists its keys with their types: ``candidates[].finishReason: string``; "absent" where
only some chunks of a stream have one.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from tests.core.apis.gemini.asking import DATA, DIGEST, call, events, found, plain
from workbench.core.apis import sse
from workbench.core.apis.gemini import write as reply
from workbench.core.replies.response import ErrorReply

SHAPES = {path.stem: path for path in sorted((DATA / "shapes").iterdir())}
CALL = call("get_weather", '{"city":"Rome"}')
USAGE = {"prompt_tokens": 9, "completion_tokens": 5}
THOUGHT = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 3}}
CACHED = {**USAGE, "prompt_tokens_details": {"cached_tokens": 2}}

# The ``response`` of a fixture that is answered in each shape.
RESPONSES: dict[str, dict[str, Any]] = {
    "max-tokens": {"content": "The", "finish_reason": "length", "usage": USAGE},
    "max-tokens-empty": {
        "content": "",
        "finish_reason": "length",
        "usage": {**THOUGHT, "completion_tokens": 3},
    },
    "max-tokens-stream": {"content": "ab", "finish_reason": "length", "usage": USAGE},
    "parallel-tool-calls": {"tool_calls": [CALL, CALL], "usage": THOUGHT},
    "parallel-tool-calls-stream": {"tool_calls": [CALL, CALL], "usage": USAGE},
    "reasoning-gemini3-stream": {"content": "abc", "usage": THOUGHT},
    "safety": {
        "content": "",
        "finish_reason": "content_filter",
        "usage": {"prompt_tokens": 9, "completion_tokens": 0},
    },
    "structured": {"content": '{"name":"Rome"}', "usage": THOUGHT},
    "text": {"content": "Rome.", "usage": CACHED},
    "text-signature": {"content": "Rome.", "usage": THOUGHT},
    "text-stream": {"content": "ab", "usage": USAGE},
    "thinking": {"content": "Rome.", "reasoning": "Hm.", "usage": THOUGHT},
    "thinking-text-stream": {"content": "abcde", "reasoning": "abcde", "usage": THOUGHT},
    "tool-call": {"tool_calls": [CALL], "usage": USAGE},
    "tool-call-gemini3": {"tool_calls": [CALL], "usage": THOUGHT},
    "tool-call-stream": {"tool_calls": [CALL], "usage": USAGE},
}
RESPONSES["safety-stream"] = RESPONSES["safety"]
RESPONSES["tool-call-signature"] = RESPONSES["tool-call-gemini3"]
RESPONSES["tool-call-signature-stream"] = RESPONSES["tool-call-gemini3"]
RESPONSES["tool-call-gemini3-stream"] = RESPONSES["tool-call-gemini3"]

# Some models send them, and some of these in newer or older replies only.
BY_MODEL = {
    "candidates[].avgLogprobs",
    "candidates[].finishMessage",
    "candidates[].safetyRatings",
    "candidates[].content.parts[functionCall].thoughtSignature",
    "candidates[].content.parts[text].thoughtSignature",
    "usageMetadata.candidatesTokensDetails",
    "usageMetadata.serviceTier",
}
# Newer models send these, where recordings are of older ones.
NEWER = {"candidates[].index", "candidates[].content.parts[functionCall].functionCall.id"}
# Models whose streams have the finish reason in a chunk of its own, with an empty text.
ENDS_WITH_EMPTY_TEXT = {"tool-call-gemini3-stream", "tool-call-signature-stream"}


def keys(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The keys of a JSON value with their types; those of arguments are not the API's."""
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    yield path or ".", kinds[type(value)]
    if path.endswith(".args"):
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from keys(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item, f"{path}[{part_kind(item) if path.endswith('parts') else ''}]")


def part_kind(part: dict[str, Any]) -> str:
    return next(kind for kind in ("thought", "functionCall", "text") if kind in part)


def types(values: list[Any]) -> dict[str, set[str]]:
    """The types of each key, "absent" where not all ``values`` have it."""
    listed = [dict(keys(value)) for value in values]
    found: dict[str, set[str]] = defaultdict(set)
    for name in {name for one in listed for name in one}:
        found[name] = {one.get(name, "absent") for one in listed}
    return found


def is_known(name: str, known: set[str]) -> bool:
    return any(name == key or name.startswith((f"{key}.", f"{key}[")) for key in known)


def compare(recorded: dict[str, list[str]], values: list[Any], left_out: set[str]) -> None:
    written = types(values)
    expected = {name for name in recorded if not is_known(name, BY_MODEL | left_out)}
    assert expected <= written.keys()
    assert {name for name in written if not is_known(name, NEWER)} <= recorded.keys()
    for name in expected:
        assert written[name] <= {*recorded[name], "absent"}, name


@each_case("case", [case for case in RESPONSES if not case.endswith("-stream")])
def test_plain_replies(case: str) -> None:
    shape = json.loads(SHAPES[case].read_text(encoding="utf-8"))
    value = json.loads(plain(found(**RESPONSES[case])))
    compare(shape["keys"], [value], set())
    (candidate,) = value["candidates"]
    assert [candidate["finishReason"]] == shape["constants"]["candidates[].finishReason"]


@pytest.mark.parametrize("case", [case for case in RESPONSES if case.endswith("-stream")])
def test_streams(case: str) -> None:
    shape = json.loads(SHAPES[case].read_text(encoding="utf-8"))
    (recorded,) = shape["events"]
    stream = events(found(**RESPONSES[case]))
    assert stream.count(b"\r\n\r\n") * 2 == stream.count(b"\r\n") == stream.count(b"data: ") * 2
    values = [json.loads(event.data) for event in sse.events(stream)]
    left_out = set()
    if case in ENDS_WITH_EMPTY_TEXT:
        left_out = {"candidates[].content.parts[text]"}
    elif case != "thinking-text-stream":  # recorded with longer texts
        assert len(values) == recorded["count"]
    compare(recorded["keys"], values, left_out)
    reasons = [value["candidates"][0].get("finishReason") for value in values]
    assert reasons[:-1] == [None] * (len(values) - 1)
    assert reasons[-1:] == recorded["constants"]["candidates[].finishReason"]
    assert {value["responseId"] for value in values} == {DIGEST[:22]}


@pytest.mark.parametrize(("case", "status"), [("error-400", 400), ("error-429", 429)])
def test_errors(case: str, status: int) -> None:
    shape = json.loads(SHAPES[case].read_text(encoding="utf-8"))
    retry_after = 34 if status == 429 else None
    error = ErrorReply(status, "No.", "invalid_request_error", retry_after=retry_after)
    value = json.loads(reply.error(error))
    compare(shape["keys"], [value], {"error.details[].violations"})
    assert [value["error"]["status"]] == shape["constants"]["error.status"]
    assert [value["error"]["code"]] == shape["constants"]["error.code"]


def test_a_blocked_prompt_is_the_one_shape_that_fixtures_do_not_have() -> None:
    written = {*RESPONSES, "error-400", "error-429"}
    assert SHAPES.keys() - written == {"prompt-blocked"}
    assert isinstance(SHAPES["text"], Path)
