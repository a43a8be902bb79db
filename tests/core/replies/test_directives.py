"""Directives in the text of a request."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, get_args

import pytest
from hypothesis import given

from tests import strategies
from workbench.core.apis.chat import request
from workbench.core.replies import directives
from workbench.core.replies.directives import ArgumentFrames, CallTool, Directives, Emit

TOOLS = [{"type": "function", "function": {"name": "get_weather"}}]


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def emit(text: str) -> str:
    return f"[[MOCK_LLM_EMIT:{encoded(text)}]]"


def find(*contents: object, **more: Any) -> Directives:
    messages = [{"role": "user", "content": content} for content in contents]
    return found_in({"messages": messages, **more})


def found_in(payload: Mapping[str, Any]) -> Directives:
    text = request.prompt_text(payload)
    return directives.find(text, offers_tools=bool(payload.get("tools")))


def test_text_without_directives_has_none() -> None:
    assert find("[[MOCK_LLM_]] [[EMIT:YQ]] [[mock_llm_emit:YQ]]") == Directives(None)


@given(strategies.texts)
def test_emit_gives_any_text(text: str) -> None:
    expected = Emit(text) if text else None
    assert find(f"before {emit(text)} after").directive == expected


def test_padding_is_optional() -> None:
    assert find("[[MOCK_LLM_EMIT:YQ==]]").directive == Emit("a")
    assert find("[[MOCK_LLM_EMIT:YQ]]").directive == Emit("a")


def test_the_last_emit_wins_in_any_message_or_part() -> None:
    assert find(emit("a") + emit("b"), emit("c")).directive == Emit("c")
    parts = [{"type": "text", "text": emit("a")}, {"type": "text", "text": emit("b")}]
    assert find(parts).directive == Emit("b")


def test_an_unreadable_emit_is_told_and_passed_over() -> None:
    found = find(emit("a") + "[[MOCK_LLM_EMIT:_w==]]")
    assert found.directive == Emit("a")
    (problem,) = found.problems
    assert "bad MOCK_LLM_EMIT payload '_w=='" in problem


@pytest.mark.parametrize("frames", get_args(ArgumentFrames))
def test_a_call_in_each_way_of_framing(frames: ArgumentFrames) -> None:
    arguments = '{"city": "Rome"}'
    text = f"[[MOCK_LLM_TOOLCALL:get_weather:{frames}:{encoded(arguments)}]]"
    assert find(text, tools=TOOLS).directive == CallTool("get_weather", arguments, frames)


def test_a_call_without_arguments_has_an_empty_object() -> None:
    found = find("[[MOCK_LLM_TOOLCALL:f:once]]", tools=TOOLS)
    assert found.directive == CallTool("f", "{}", "once")


def test_unreadable_arguments_are_told_and_empty() -> None:
    found = find("[[MOCK_LLM_TOOLCALL:f:once:_w]]", tools=TOOLS)
    assert found.directive == CallTool("f", "{}", "once")
    assert len(found.problems) == 1


@pytest.mark.parametrize("tools", [None, []])
def test_a_call_needs_offered_tools(tools: object) -> None:
    text = "[[MOCK_LLM_TOOLCALL:f:once]]"
    assert find(text, tools=tools).directive is None
    assert find(text).directive is None
    assert find(text + emit("instead"), tools=tools).directive == Emit("instead")


def test_a_call_beats_an_emit_and_the_last_call_wins() -> None:
    text = "[[MOCK_LLM_TOOLCALL:f:once]]" + emit("a") + "[[MOCK_LLM_TOOLCALL:g:delta]]"
    assert find(text, tools=TOOLS).directive == CallTool("g", "{}", "delta")


def test_an_unknown_way_of_framing_is_no_directive() -> None:
    assert find("[[MOCK_LLM_TOOLCALL:f:thrice]]", tools=TOOLS) == Directives(None)


@given(strategies.payloads)
def test_any_payload_can_be_looked_through(payload: dict[str, Any]) -> None:
    assert isinstance(found_in(payload), Directives)
