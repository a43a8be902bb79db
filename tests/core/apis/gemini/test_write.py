"""Answers as replies of Gemini's generateContent."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from tests.core.apis.gemini.asking import DIGEST, array, call, events, found, plain
from workbench.core.apis import sse
from workbench.core.apis.gemini import write as reply
from workbench.core.replies.response import ErrorReply

ROME = call("get_weather", '{"city":"Rome"}', "call_1")
OSLO = call("get_weather", '{"city": "Oslo"}', None)


def candidate(**response: Any) -> Any:
    (only,) = json.loads(plain(found(**response)))["candidates"]
    return only


def test_a_plain_reply() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 5}
    details = {"completion_tokens_details": {"reasoning_tokens": 3}}
    answer = found(content="21 °C", reasoning="Hm.", usage={**usage, **details})
    assert json.loads(plain(answer)) == {
        "candidates": [
            {
                "content": {
                    "parts": [{"text": "Hm.", "thought": True}, {"text": "21 °C"}],
                    "role": "model",
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 9,
            "candidatesTokenCount": 2,
            "totalTokenCount": 14,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}],
            "thoughtsTokenCount": 3,
        },
        "modelVersion": "gemini-3-pro",
        "responseId": DIGEST[:22],
    }


def test_calls_have_their_ids_and_arguments_as_objects() -> None:
    assert candidate(content="Let me see.", tool_calls=[ROME, OSLO])["content"]["parts"] == [
        {"text": "Let me see."},
        {"functionCall": {"name": "get_weather", "args": {"city": "Rome"}, "id": "call_1"}},
        {"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}},
    ]
    (empty,) = candidate(tool_calls=[call("now", "")])["content"]["parts"]
    assert empty["functionCall"]["args"] == {}


@pytest.mark.parametrize("arguments", ['{"city": "Ro', "[]", '{"a": NaN}', '{"a": 1e999}'])
def test_arguments_that_are_no_object_are_a_malformed_call(arguments: str) -> None:
    assert candidate(tool_calls=[ROME, call("f", arguments)]) == {
        "content": {
            "parts": [
                {"functionCall": {"name": "get_weather", "args": {"city": "Rome"}, "id": "call_1"}}
            ],
            "role": "model",
        },
        "finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": f"Malformed function call: f({arguments})",
        "index": 0,
    }


def test_a_call_that_a_limit_cut_off_is_left_out() -> None:
    cut = candidate(tool_calls=[ROME, call("f", '{"a')], finish_reason="length")
    assert cut["finishReason"] == "MAX_TOKENS"
    assert [part["functionCall"]["name"] for part in cut["content"]["parts"]] == ["get_weather"]


def test_calls_of_other_tools_are_left_out() -> None:
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    assert candidate(content="", tool_calls=[custom])["content"]["parts"] == [{"text": ""}]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("stop", "STOP"),
        ("tool_calls", "STOP"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("RECITATION", "RECITATION"),
    ],
)
def test_finish_reasons(reason: str, expected: str) -> None:
    assert candidate(content="a", finish_reason=reason)["finishReason"] == expected


def test_a_refusal_has_no_parts() -> None:
    refused = {"finishReason": "SAFETY", "finishMessage": "I cannot.", "index": 0}
    assert candidate(content="", refusal="I cannot.") == {"content": {}, **refused}
    (event,) = sse.events(events(found(content="", refusal="I cannot.")))
    assert json.loads(event.data)["candidates"] == [refused]


def test_content_that_is_no_text_is_sent_as_json() -> None:
    parts = [{"type": "text", "text": "a"}]
    (part,) = candidate(content=parts)["content"]["parts"]
    assert json.loads(part["text"]) == parts


def test_a_stream_of_events() -> None:
    answer = found(content="0123456789", reasoning="Hm.", tool_calls=[ROME, OSLO])
    frames = list(reply.frames(answer, 7))
    assert [(frame.kind, frame.piece) for frame in frames] == [
        ("reasoning", "H"),
        ("reasoning", "m"),
        ("reasoning", "."),
        *(("content", piece) for piece in ("01", "23", "45", "67", "89")),
        ("calls", '{"city":"Rome"}{"city":"Oslo"}'),
    ]
    assert all(frame.data.startswith(b"data: {") for frame in frames)
    assert all(frame.data.endswith(b"}\r\n\r\n") for frame in frames)
    assert all(frame.paced for frame in frames)
    assert [frame.finish_reason for frame in frames] == [None] * 8 + ["STOP"]
    last = json.loads(frames[-1].data.removeprefix(b"data: "))["candidates"][0]
    assert [part["functionCall"]["args"] for part in last["content"]["parts"]] == [
        {"city": "Rome"},
        {"city": "Oslo"},
    ]


@pytest.mark.parametrize(
    "response", [{"content": "0123456789"}, {"content": ""}, {"content": "", "refusal": "No."}]
)
def test_a_stream_without_alt_is_an_array_of_the_same_chunks(response: dict[str, Any]) -> None:
    chunks = [json.loads(event.data) for event in sse.events(events(found(**response)))]
    assert json.loads(array(found(**response))) == chunks


def test_no_character_of_a_text_ends_a_line_of_a_stream() -> None:
    text = "a\u2028b\u2029c\u0085d\n\ud800"
    stream = events(found(content=text)).decode("utf-8")
    lines = [line for line in stream.splitlines() if line]
    pieces = [json.loads(line.removeprefix("data: ")) for line in lines]
    parts = [piece["candidates"][0]["content"]["parts"][0]["text"] for piece in pieces]
    assert "".join(parts) == text


# Errors


@each_case(
    "status, name",
    [
        (400, "INVALID_ARGUMENT"),
        (401, "UNAUTHENTICATED"),
        (403, "PERMISSION_DENIED"),
        (404, "NOT_FOUND"),
        (409, "ABORTED"),
        (418, "INVALID_ARGUMENT"),
        (500, "INTERNAL"),
        (501, "UNIMPLEMENTED"),
        (503, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
    ],
)
def test_errors_have_the_status_as_a_word(status: int, name: str) -> None:
    error = {"code": status, "message": "No.", "status": name}
    assert json.loads(reply.error(ErrorReply(status, "No.", "x"))) == {"error": error}


def test_an_error_has_its_code_and_its_delay_as_details() -> None:
    error = ErrorReply(429, "Slow down.", "x", "fixture_not_found", 1.5)
    assert json.loads(reply.error(error))["error"]["details"] == [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "fixture_not_found"},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.5s"},
    ]


def test_an_error_after_the_status_is_an_event_or_an_item() -> None:
    error, answer = ErrorReply(404, "No fixture.", "x"), found(content="")
    body = json.loads(reply.error(error))
    (event,) = reply.late_error(error, answer)
    (item,) = reply.late_array_error(error, answer)
    assert event.data.endswith(b"\r\n\r\n")
    assert json.loads(event.data.removeprefix(b"data: ")) == body
    assert json.loads(item.data) == [body]


def test_a_reply_is_utf_8_as_it_is() -> None:
    assert "Ünïcödé ☂".encode() in plain(found(content="Ünïcödé ☂"))
