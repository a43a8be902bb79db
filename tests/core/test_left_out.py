"""What a reply says and no fixture holds is named."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import json_values
from workbench.core.collapse import NotAReplyError, collapse
from workbench.core.left_out import left_out
from workbench.core.reply import answer
from workbench.core.wire import PROFILES

PLAIN, STREAM = "application/json", "text/event-stream"


def body(value: object) -> bytes:
    return json.dumps(value).encode()


def frames(*chunks: object) -> bytes:
    return b"".join(b"data: " + body(chunk) + b"\n\n" for chunk in chunks) + b"data: [DONE]\n\n"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_nothing_of_what_the_server_itself_sends(profile: Any) -> None:
    response = {"content": "a", "refusal": "b", "reasoning": "c"}
    payload = {"stream_options": {"include_usage": True}}
    found = answer(payload, "0" * 64, lambda _: {"response": response})
    assert left_out(PLAIN, profile.envelope(found, 0)) == []
    stream = b"".join(frame.data for frame in profile.frames(found, 0))
    assert left_out(STREAM, stream) == []


def test_what_has_no_key_in_a_fixture() -> None:
    message = {"content": "a", "audio": {"id": "x"}, "annotations": [{"type": "url_citation"}]}
    choice = {"index": 0, "message": message, "logprobs": {"content": []}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 1, "total_tokens": 1, "cost": 0.1}
    value = {"choices": [choice, {**choice, "index": 1}], "usage": usage, "citations": ["x"]}
    names = ["citations", "usage.cost", "logprobs", "audio", "annotations", "further choices"]
    assert left_out(PLAIN, body(value)) == names


def test_a_name_stands_once_for_a_whole_stream() -> None:
    delta = {"content": "a", "reasoning_details": [{"text": "x"}], "annotations": []}
    chunk = {"choices": [{"index": 0, "delta": delta, "logprobs": None}]}
    stream = frames(chunk, chunk) + b"data: what comes behind the end\n\n"
    assert left_out(STREAM, stream) == ["reasoning_details"]


@given(json_values, json_values)
def test_any_reply_can_be_looked_through(value: Any, choice: Any) -> None:
    for given_body in (body(value), body({"choices": [choice], "usage": value})):
        for kind, data in ((PLAIN, given_body), (STREAM, b"data: " + given_body + b"\n\n")):
            with suppress(NotAReplyError):
                collapse(kind, data)
                left_out(kind, data)
