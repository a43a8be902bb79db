"""Exchanges in a line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.recorded import FIRST, WEATHER, chat
from tests.strategies import json_values, texts
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import Exchange, Outcome, Raised, Returned, Sent
from workbench.core.recordings.labels import reply_line, request_line


def answered(outcome: Outcome) -> Exchange:
    return Exchange(1, "ask", 1, FIRST, outcome, digest(FIRST))


@pytest.mark.parametrize(
    ("exchange", "line"),
    [
        (WEATHER[0], "get_weather(city=London)"),
        (WEATHER[2], '"12C rain"'),
        (chat(1, FIRST, {"content": "It rains."}, stream=True), "It rains."),
        (answered(Raised("TimeoutError", "late")), "TimeoutError: late"),
        (answered(Sent(429, "application/json", b"slow down")), "429 slow down"),
        (answered(Sent(200, "text/event-stream", b"data: {", (), False)), "broke off: 200 data: {"),
        (Exchange(1, "n", 1, {}, Returned({"a": [1, None]})), '{"a": [1, null]}'),
    ],
)
def test_what_came_back(exchange: Exchange, line: str) -> None:
    assert reply_line(exchange) == line


def test_arguments_that_are_no_object_are_shown_as_they_are() -> None:
    calls = [
        {"index": n, "type": "function", "function": {"name": "f", "arguments": text}}
        for n, text in enumerate(['{"a": 1, "b": [2]}', "[1]", "{torn"])
    ]
    calls.append({"index": 3, "type": "custom", "custom": {"name": "g", "input": "a text"}})
    message = {"content": None, "tool_calls": calls}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
    sent = Sent(200, "application/json", json.dumps(body).encode())
    assert reply_line(answered(sent)) == "f(a=1, b=[2]), f([1]), f({torn), g(a text)"


def test_what_was_asked() -> None:
    assert request_line(chat(1, FIRST, {"content": ""})) == "weather in London?"
    assert request_line(Exchange(1, "n", 1, {"city": "Köln"}, Returned(1))) == '{"city": "Köln"}'


def test_a_line_is_never_long() -> None:
    long = {"city": "x" * 10_000}
    assert len(request_line(Exchange(1, "n", 1, long, Returned(None)))) <= 400
    assert len(reply_line(chat(1, FIRST, {"content": "y" * 10_000}))) <= 400


@given(json_values, texts)
def test_any_reply_has_a_line(value: Any, text: str) -> None:
    for message in (value, {"content": value}, {"content": text, "tool_calls": value}):
        body = json.dumps({"choices": [{"message": message}]}).encode()
        assert isinstance(reply_line(answered(Sent(200, "application/json", body))), str)
