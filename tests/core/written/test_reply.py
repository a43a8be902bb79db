"""Replies as they may be recorded: which parts are credentials, and that all others stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis import eventstream
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.recordings.journal import line, parse
from workbench.core.written.reply import reply_without_credentials

SECRET = "Very+Secret/Thing"
SAID = {"role": "assistant", "content": "hi"}


def recorded(body: bytes) -> bytes:
    """The body that a journal has of a reply."""
    sent = Sent(200, "application/json", body, frames=((1.0, len(body)),))
    record = parse(line(Exchange(position=1, node="", call=1, request={}, outcome=sent)))
    assert isinstance(record, Exchange)
    assert isinstance(record.outcome, Sent)
    return record.outcome.body


@each_case(
    "part",
    [
        {"api_key": SECRET},
        {"metadata": {"Authorization": f"Bearer {SECRET}"}},
        {"tools": [{"type": "mcp", "headers": {"X-Api-Key": SECRET}}]},
        {"tools": [{"type": "mcp", "authorization": SECRET}]},
        {"choices": [{"message": {**SAID, "api_key": SECRET}}]},
        {"env": [{"name": "API_KEY", "value": SECRET}]},
        {"error": {"message": f"{SECRET} is wrong", "api_key": SECRET}},
        {"client_secret": f'"{SECRET}ü\n'},
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("form", ["{}", "data: {}\n\ndata: [DONE]\n\n", "[{}]"])
def test_credentials_of_replies_are_not_recorded(
    part: dict[str, Any], ascii_only: bool, form: str
) -> None:
    body = form.replace("{}", json.dumps({"id": "a", **part}, ensure_ascii=ascii_only)).encode()
    shown = recorded(body)
    assert SECRET.encode() not in shown
    assert b"***" in shown
    assert len(shown) == len(body)  # the frames of a stream are counted in bytes
    assert recorded(body.replace(b"/", b"\\/")).count(b"Secret") == 0


@pytest.mark.parametrize("write", [partial(eventstream.event, "metadata"), eventstream.chunk])
def test_credentials_in_event_streams_are_not_recorded(write: Callable[[bytes], bytes]) -> None:
    body = write(json.dumps({"api_key": SECRET}).encode()) + write(b"{}")
    shown = recorded(body)
    texts = list(eventstream.texts(shown))
    assert texts == [json.dumps({"api_key": "*" * len(SECRET)}), "{}"]
    assert len(shown) == len(body)
    assert recorded(shown[:-1]) == shown[:-1]  # a damaged message stays what it is


@each_case(
    "part",
    [
        {"usage": {"total_tokens": 12345678901}},
        {"logprobs": {"content": [{"token": " information", "logprob": -0.1}]}},
        {"logprobsResult": {"chosenCandidates": [{"token": " information"}]}},
        {"content": [{"type": "tool_use", "input": {"password": SECRET}}]},
        {"parts": [{"functionCall": {"args": {"api_key": SECRET}}}]},
        {"message": {"content": json.dumps({"api_key": SECRET})}},
        {"message": {"content": f"Bearer {SECRET}"}},
        {"api_key": "short"},
        {"prompt_cache_key": SECRET, "signature": SECRET, "system_fingerprint": SECRET},
    ],
)
def test_what_a_model_said_stays(part: dict[str, Any]) -> None:
    body = json.dumps(part).encode()
    assert reply_without_credentials(body) == body


def test_what_is_no_json_stays() -> None:
    for body in (b"", b'{"api_key": ', b"data: token\n\n", b"\xff api_key", b"[" * 100_000):
        assert reply_without_credentials(body) == body
