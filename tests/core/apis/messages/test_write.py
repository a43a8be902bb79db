"""Answers as messages and streams of the Messages API, as people and delays see them."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.core.apis.messages.sample import DIGEST, answered, call, plain
from workbench.core.apis import sse
from workbench.core.apis.messages.write import frames, headers
from workbench.core.apis.table import view
from workbench.core.replies.answer import find_answer


def seen(response: dict[str, Any]) -> list[tuple[str, Any, bool]]:
    """Kind, what is shown, and whether a chunk delay comes before it, of each frame."""
    return [
        (frame.kind, frame.piece or frame.note or frame.finish_reason or "", frame.paced)
        for frame in frames(answered(response), 0)
    ]


def test_pieces_and_calls_are_paced_and_shown() -> None:
    arguments = '{"city":"Rome"}'
    response = {
        "reasoning": "Hm",
        "content": "Hi",
        "tool_calls": [call("f", arguments)],
        "finish_reason": "tool_calls",
    }
    stop = ("event", "content_block_stop", False)
    assert seen(response) == [
        ("event", "message_start", False),
        ("event", "content_block_start", False),
        ("event", "ping", False),
        *[("reasoning", letter, True) for letter in "Hm"],
        ("event", "content_block_delta", False),
        stop,
        ("event", "content_block_start", False),
        *[("content", letter, True) for letter in "Hi"],
        stop,
        ("call", "f", True),
        ("event", "content_block_delta", False),
        *[("argument", arguments[at : at + 3], True) for at in range(0, 15, 3)],
        stop,
        ("finish", "tool_use", False),
        ("event", "message_stop", False),
    ]


def test_a_call_without_arguments_has_no_pieces() -> None:
    for arguments in ("", "{}"):
        found = seen({"tool_calls": [call("f", arguments)]})
        assert not any(kind == "argument" for kind, *_ in found)


def test_calls_of_custom_tools_are_left_out() -> None:
    custom = {"id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    said = json.loads(plain({"content": "a", "tool_calls": [custom]}))
    assert said["content"] == [{"type": "text", "text": "a"}]


def test_a_directive_cuts_the_arguments_of_its_call() -> None:
    encoded = base64.urlsafe_b64encode(b'{"a":1}').decode()
    said = f"[[MOCK_LLM_TOOLCALL:f:truncated:{encoded}]]"
    asked = {"api": "messages", "messages": [{"role": "user", "content": said}]}
    found = find_answer(view({**asked, "tools": [{"name": "f"}]}), DIGEST, lambda _: None)
    pieces = [frame.piece for frame in frames(found, 0) if frame.kind == "argument"]
    assert pieces == ['{"a":1']


def test_a_refusal_has_no_content() -> None:
    message = json.loads(plain({"content": "Hi", "refusal": "No."}))
    assert (message["content"], message["stop_details"]["explanation"]) == ([], "No.")


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "a"}, "ignored", {"type": "text", "text": "b"}]
    assert json.loads(plain({"content": parts}))["content"] == [{"type": "text", "text": "ab"}]


def test_a_reply_is_named_by_the_digest_of_its_request() -> None:
    found = answered({"content": "Hi"})
    assert json.loads(plain({"content": "Hi"}))["id"] == f"msg_{DIGEST}"
    [first, *_] = sse.events(b"".join(frame.data for frame in frames(found, 0)))
    assert json.loads(first.data)["message"]["id"] == f"msg_{DIGEST}"
    assert headers(found) == (("request-id", f"req_{DIGEST[:24]}"),)


def test_tokens_that_were_read_from_a_cache_count_apart() -> None:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    assert json.loads(plain({"content": "a", "usage": usage}))["usage"] == {
        "input_tokens": 12,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 8,
        "output_tokens": 5,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "service_tier": "standard",
    }
    usage["prompt_tokens"] = 7  # fewer than were read from the cache
    found = json.loads(plain({"content": "a", "usage": usage}))["usage"]
    assert (found["input_tokens"], found["cache_read_input_tokens"]) == (7, 0)
