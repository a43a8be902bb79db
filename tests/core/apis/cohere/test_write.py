"""Answers as messages, streams and errors of Cohere's chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.apis.cohere.sample import DIGEST, answered, call, in_lines, plain, streamed
from workbench.core.apis import sse
from workbench.core.apis.cohere.write import LIMITS, WRITER, frames, headers
from workbench.core.replies.response import ErrorReply


def seen(response: dict[str, Any]) -> list[tuple[str, Any, bool]]:
    """Kind, what is shown, and whether a chunk delay comes before it, of each frame."""
    return [
        (frame.kind, frame.piece or frame.note or frame.finish_reason or "", frame.paced)
        for frame in frames(answered(response), 0)
    ]


def test_pieces_and_calls_are_paced_and_shown() -> None:
    arguments = '{"city":"Rome"}'
    response = {"reasoning": "Hm", "content": "Hi", "tool_calls": [call("f", arguments)]}
    assert seen(response) == [
        ("event", "message-start", False),
        ("event", "content-start", False),
        *[("reasoning", letter, True) for letter in "Hm"],
        ("event", "content-end", False),
        *[("content", letter, True) for letter in "Hi"],
        ("call", "f", True),
        *[("argument", arguments[at : at + 3], True) for at in range(0, 15, 3)],
        ("event", "tool-call-end", False),
        ("finish", "TOOL_CALL", False),
        ("done", "", False),
    ]


def test_events_are_named_as_the_api_names_them() -> None:
    events = list(sse.events(streamed({"content": "Hi", "tool_calls": [call("f")]})))
    assert [event.kind for event in events[:-1]] == [
        *("message-start", "tool-plan-delta", "tool-plan-delta"),
        *("tool-call-start", "tool-call-delta", "tool-call-delta", "tool-call-end", "message-end"),
    ]
    assert [json.loads(event.data)["type"] for event in events[:-1]] == [
        event.kind for event in events[:-1]
    ]
    assert events[-1].data == "[DONE]"


def test_lines_hold_what_the_events_hold() -> None:
    response = {"content": "Hi\n", "finish_reason": "length"}
    lines = in_lines(response)
    events = [event.data for event in sse.events(streamed(response))]
    assert lines.body.decode().splitlines() == events[:-1]
    assert lines.content_type == "application/stream+json"


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("stop", "COMPLETE"),
        ("tool_calls", "TOOL_CALL"),
        ("length", "MAX_TOKENS"),
        ("content_filter", "ERROR_TOXIC"),
        ("STOP_SEQUENCE", "STOP_SEQUENCE"),
    ],
)
def test_finish_reasons(reason: str, word: str) -> None:
    assert json.loads(plain({"content": "a", "finish_reason": reason}))["finish_reason"] == word


def test_nothing_to_say_is_an_empty_text() -> None:
    message = json.loads(plain({"content": ""}))["message"]
    assert message == {"role": "assistant", "content": [{"type": "text", "text": ""}]}


def test_what_is_left_out_is_listed_as_a_limit() -> None:
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    response = {
        "content": "a",
        "refusal": "No.",
        "tool_calls": [custom],
        "usage": {"completion_tokens_details": {"reasoning_tokens": 3}},
    }
    assert "tool_calls" not in json.loads(plain(response))["message"]
    assert [list(limit.places(response)) for limit in LIMITS] == [
        [("tool_calls", 0)],
        [("content",)],
        [("usage", "completion_tokens_details")],
    ]


def test_errors_have_a_message_and_an_id() -> None:
    reply = WRITER.error_reply(ErrorReply(429, "Slow down.", "rate_limit", "x", retry_after=3))
    assert (reply.status, reply.headers) == (429, (("Retry-After", "3"),))
    assert json.loads(reply.body).keys() == {"id", "message"}
    assert json.loads(reply.body)["message"] == "Slow down."


def test_an_error_in_a_stream_ends_its_message() -> None:
    late = WRITER.late_reply(ErrorReply(504, "It took too long."), answered({"content": "a"}))
    (event,) = sse.events(late.body)
    assert event.kind == "message-end"
    end = json.loads(event.data)["delta"]
    assert (end["finish_reason"], end["error"]) == ("ERROR", "It took too long.")
    assert late.is_cut


def test_replies_have_an_id_to_find_them_by() -> None:
    assert headers(answered({"content": "a"})) == (("x-debug-trace-id", DIGEST[:32]),)
    assert json.loads(plain({"content": "a"}))["id"] == "c62fad60-235a-d0da-83bd-d062890debb7"
