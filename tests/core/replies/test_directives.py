"""Directives in the text of a request."""

from __future__ import annotations

import base64
from typing import Any, get_args

import pytest
from hypothesis import given

from tests import strategies
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.cutting import ArgumentFrames

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
TOOLS = [{"type": "function", "function": {"name": "get_weather"}}]


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def emit(text: str) -> str:
    return f"[[MOCK_LLM_EMIT:{encoded(text)}]]"


def find(*contents: object, **more: Any) -> Answer:
    """The answer to a request without a fixture."""
    messages = [{"role": "user", "content": content} for content in contents]
    return find_answer(view({"messages": messages, **more}), DIGEST, lambda _digest: None)


def emitted(found: Answer) -> object:
    """The content that a directive asks for; None where none does."""
    return found.reply.content if found.source == "directive" else None


def called(found: Answer) -> tuple[str, str, str | None]:
    """Name, arguments and framing of the call that a directive asks for."""
    (call,) = found.reply.calls
    return call.name, call.arguments, found.reply.argument_frames


def test_text_without_directives_has_none() -> None:
    assert find("[[MOCK_LLM_]] [[EMIT:YQ]] [[mock_llm_emit:YQ]]").source == "fallback"


@given(strategies.texts)
def test_emit_gives_any_text(text: str) -> None:
    assert emitted(find(f"before {emit(text)} after")) == (text or None)


def test_padding_is_optional() -> None:
    assert emitted(find("[[MOCK_LLM_EMIT:YQ==]]")) == "a"
    assert emitted(find("[[MOCK_LLM_EMIT:YQ]]")) == "a"


def test_the_last_emit_wins_in_any_message_or_part() -> None:
    assert emitted(find(emit("a") + emit("b"), emit("c"))) == "c"
    parts = [{"type": "text", "text": emit("a")}, {"type": "text", "text": emit("b")}]
    assert emitted(find(parts)) == "b"


def test_an_unreadable_emit_is_told_and_passed_over() -> None:
    found = find(emit("a") + "[[MOCK_LLM_EMIT:_w==]]")
    assert emitted(found) == "a"
    (problem,) = found.problems
    assert "bad MOCK_LLM_EMIT payload '_w=='" in problem


@pytest.mark.parametrize("frames", get_args(ArgumentFrames))
def test_a_call_in_each_way_of_framing(frames: ArgumentFrames) -> None:
    arguments = '{"city": "Rome"}'
    text = f"[[MOCK_LLM_TOOLCALL:get_weather:{frames}:{encoded(arguments)}]]"
    assert called(find(text, tools=TOOLS)) == ("get_weather", arguments, frames)


def test_a_call_without_arguments_has_an_empty_object() -> None:
    found = find("[[MOCK_LLM_TOOLCALL:f:once]]", tools=TOOLS)
    assert called(found) == ("f", "{}", "once")


def test_unreadable_arguments_are_told_and_empty() -> None:
    found = find("[[MOCK_LLM_TOOLCALL:f:once:_w]]", tools=TOOLS)
    assert called(found) == ("f", "{}", "once")
    assert len(found.problems) == 1


@pytest.mark.parametrize("tools", [None, []])
def test_a_call_needs_offered_tools(tools: object) -> None:
    text = "[[MOCK_LLM_TOOLCALL:f:once]]"
    assert emitted(find(text, tools=tools)) is None
    assert emitted(find(text)) is None
    assert emitted(find(text + emit("instead"), tools=tools)) == "instead"


def test_a_call_beats_an_emit_and_the_last_call_wins() -> None:
    text = "[[MOCK_LLM_TOOLCALL:f:once]]" + emit("a") + "[[MOCK_LLM_TOOLCALL:g:delta]]"
    assert called(find(text, tools=TOOLS)) == ("g", "{}", "delta")


def test_an_unknown_way_of_framing_is_no_directive() -> None:
    assert find("[[MOCK_LLM_TOOLCALL:f:thrice]]", tools=TOOLS).source == "fallback"


@given(strategies.payloads)
def test_any_payload_can_be_looked_through(payload: dict[str, Any]) -> None:
    assert isinstance(find_answer(view(payload), DIGEST, lambda _digest: None), Answer)
