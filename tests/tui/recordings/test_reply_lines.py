"""Replies as sections to read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import given

from tests.recorded import FIRST, WEATHER, chat
from tests.strategies import json_values
from workbench.core.apis.eventstream import event
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import Exchange, Outcome, Raised, Returned, Sent
from workbench.tui.lines.sections import Section
from workbench.tui.recordings.reply_lines import as_sent, what_it_says


def answered(outcome: Outcome) -> Exchange:
    return Exchange(1, "ask", 1, FIRST, outcome, digest(FIRST))


def text(sections: Iterable[Section]) -> str:
    return "\n".join(line.plain for one in sections for line in (one.head, *one.body()))


def test_content_calls_and_what_was_made_of_them() -> None:
    exchange = WEATHER[0]
    assert isinstance(exchange, Exchange)
    shown = text(what_it_says(exchange, {"city": "London"}))
    assert "calls get_weather  call_c62fad60" in shown
    assert '      "city": "London"' in shown
    assert "finish  tool_calls" in shown
    assert "the application made of it" in shown


def test_reasoning_a_refusal_and_the_details_of_the_usage() -> None:
    usage = {
        "prompt_tokens": 1234,
        "prompt_tokens_details": {"cached_tokens": 1000, "audio_tokens": 0},
    }
    message = {"content": None, "refusal": "No way.", "reasoning_content": "Hm."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice], "usage": usage}).encode()
    shown = text(what_it_says(answered(Sent(200, "application/json", body)), None))
    assert "reasoning\n    Hm." in shown
    assert "refusal\n    No way." in shown
    assert "prompt 1,234   cached 1,000" in shown
    assert "audio" not in shown


def test_a_binary_stream_is_shown_as_its_json() -> None:
    request = {"api": "converse", "messages": []}
    parts = [event("messageStart", b'{"role":"assistant"}'), event("messageStop", b'{"a":1}')]
    sent = Sent(200, "application/vnd.amazon.eventstream", b"".join(parts))
    first, second = as_sent(Exchange(1, "ask", 1, request, sent, "0" * 64))
    assert first.head.plain.endswith('{"role":"assistant"}')
    assert second.copied() == '{"a":1}'


def test_a_stream_frame_by_frame() -> None:
    exchange = chat(1, FIRST, {"content": "It rains."}, stream=True)
    sections = list(as_sent(exchange))
    sent = exchange.outcome
    assert isinstance(sent, Sent)
    assert sections[-1].head.plain.endswith("[DONE]")
    assert "".join(section.copied() for section in sections).encode() == sent.body
    timed = Sent(200, "text/event-stream", b"data: a\n\ndata: b\n\n", ((1.5, 9), (20.25, 9)), False)
    shown = text(as_sent(answered(timed)))
    assert "1.5 ms" in shown
    assert "20.2 ms" in shown
    assert "the connection was closed here" in shown
    assert "It broke off here." in text(what_it_says(answered(timed), None))


def test_errors_and_other_calls() -> None:
    error = answered(Sent(429, "application/json", b'{"error": {"message": "slow down"}}'))
    assert "status 429: the body is an error: slow down" in text(what_it_says(error, None))
    assert "(no body)" in text(as_sent(answered(Sent(500, "", b""))))
    raised = answered(Raised("TimeoutError", "late"))
    assert text(what_it_says(raised, None)) == text(as_sent(raised)) == "TimeoutError: late"
    assert "12C rain" in text(what_it_says(Exchange(1, "n", 1, {}, Returned("12C rain")), None))


def test_nothing_is_interpreted() -> None:
    hostile = "[red]x[/] \x1b[31m \u202e \u2028"
    exchanges = [
        chat(1, FIRST, {"content": hostile}),
        answered(Sent(200, "text/plain", hostile.encode())),
        answered(Raised(hostile, hostile)),
        Exchange(1, "n", 1, {}, Returned(hostile)),
    ]
    for exchange in exchanges:
        for sections in (what_it_says(exchange, hostile), as_sent(exchange)):
            shown = text(sections)
            assert "[red]x[/]" in shown
            assert not set(shown) & set("\x1b\u202e\u2028")


@given(json_values)
def test_any_reply_can_be_read(value: Any) -> None:
    for message in (value, {"content": value}, {"refusal": value}, {"tool_calls": value}):
        body = json.dumps({"choices": [{"message": message}], "usage": value}).encode()
        for kind in ("application/json", "text/event-stream"):
            exchange = answered(Sent(200, kind, body))
            text([*what_it_says(exchange, value), *as_sent(exchange)])
