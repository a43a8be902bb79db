"""Answers as streams of events."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from tests.core.apis.responses.asking import asked, call, custom_call, events, plain, stream
from tests.core.apis.responses.replies import responses
from workbench.core.apis.responses.write import WRITER
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.replies.response import ErrorReply

OFFICIAL: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def types(found: list[dict[str, Any]]) -> list[str]:
    """The types of events; a run of equal ones once."""
    names = [event["type"].removeprefix("response.") for event in found]
    return [name for name, before in zip(names, ["", *names], strict=False) if name != before]


def test_an_answer_with_everything() -> None:
    response = {
        "content": "Hello",
        "refusal": "No.",
        "reasoning": "Hm.",
        "tool_calls": [call("f", '{"a":1}'), custom_call("sql", "select 1")],
    }
    found = events(stream(asked(response)))
    assert types(found) == [
        *("created", "in_progress"),
        *("output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"),
        *("reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"),
        *("output_item.added", "content_part.added", "output_text.delta", "output_text.done"),
        *("content_part.done", "content_part.added", "refusal.delta", "refusal.done"),
        *("content_part.done", "output_item.done"),
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.done"),
        *("output_item.done", "output_item.added", "custom_tool_call_input.delta"),
        *("custom_tool_call_input.done", "output_item.done", "completed"),
    ]
    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    parts = [event for event in found if "content_index" in event]
    assert {event["content_index"] for event in parts} == {0, 1}
    assert {event["output_index"] for event in parts} == {1}


@given(responses)
def test_the_official_types_know_every_event(response: dict[str, Any]) -> None:
    for event in events(stream(asked(response))):
        # Padding is in no type.
        event.pop("obfuscation", None)
        assert OFFICIAL.validate_python(event).to_dict() == event


@given(responses)
def test_the_last_event_has_the_items_of_the_stream(response: dict[str, Any]) -> None:
    found = asked(response)
    written = events(stream(found))
    done = [event["item"] for event in written if event["type"] == "response.output_item.done"]
    begun = [event["item"] for event in written if event["type"] == "response.output_item.added"]
    assert [item["id"] for item in begun] == [item["id"] for item in done]
    assert {item.get("status") for item in begun} <= {"in_progress", None}
    assert written[-1]["response"] == plain(found)
    assert written[-1]["response"]["output"] == done


def test_the_end_of_an_incomplete_response() -> None:
    (*_, done, last) = events(stream(asked({"content": "a", "finish_reason": "length"})))
    assert done["item"]["status"] == "incomplete"
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_frames_say_what_they_carry() -> None:
    answer = asked({"content": "Hello", "tool_calls": [call("f", "[1, 2]")]})
    frames = list(WRITER.frames(answer, 7))
    pieces = [(frame.kind, frame.piece) for frame in frames if frame.piece]
    assert "".join(piece for kind, piece in pieces if kind == "content") == "Hello"
    assert "".join(piece for kind, piece in pieces if kind == "argument") == "[1, 2]"
    assert all(frame.paced for frame in frames if frame.piece)
    assert [frame.note for frame in frames if frame.kind == "call"] == ["f"]
    assert (frames[-1].kind, frames[-1].finish_reason) == ("finish", "tool_calls")


def test_padding_hides_lengths_unless_it_is_not_wanted() -> None:
    deltas = [event for event in events(stream(asked({"content": "Hello"}))) if "delta" in event]
    assert {len(event["delta"] + event["obfuscation"]) for event in deltas} == {16}
    off = asked({"content": "Hello"}, stream_options={"include_obfuscation": False})
    assert b"obfuscation" not in stream(off)


@pytest.mark.parametrize(
    ("how", "arguments"),
    [("delta", '{"a":1}'), ("repeat", '{"a":1}{"a":1}'), ("truncated", '{"a":1')],
)
def test_arguments_that_a_directive_spoils(how: str, arguments: str) -> None:
    directive = f"[[MOCK_LLM_TOOLCALL:f:{how}:eyJhIjoxfQ]]"
    tools = [{"type": "function", "name": "f", "parameters": {}}]
    found = events(stream(asked({}, input=directive, tools=tools)))
    deltas = [event["delta"] for event in found if "delta" in event]
    assert "".join(deltas) == arguments
    assert found[-1]["response"]["output"][0]["arguments"] == arguments


def test_an_error_after_the_status_of_a_stream() -> None:
    error = ErrorReply(429, "Slow down.", "tokens", "rate_limit_exceeded")
    reply = WRITER.late_reply(error, asked({}))
    assert (reply.status, reply.content_type) == (200, CONTENT_TYPE)
    created, progress, named, failed = events(reply.body)
    assert named == {
        "type": "error",
        "error": {
            "message": "Slow down.",
            "type": "tokens",
            "param": None,
            "code": "rate_limit_exceeded",
        },
        "sequence_number": 2,
    }
    assert failed["response"]["status"] == "failed"
    for event in (created, progress, failed):
        assert OFFICIAL.validate_python(event).to_dict() == event
