"""Requests and replies in JSON of unknown origin."""

from __future__ import annotations

from typing import Any

from tests.cases import each_case
from workbench.core.apis.recognition import is_conversation


@each_case(
    "value",
    [
        {"messages": [{"role": "user", "content": "a"}]},
        {"role": "assistant", "tool_calls": []},
        {"input": "a"},
        {"contents": [{"parts": [{"text": "a"}]}]},
        {"choices": [{"delta": {}}]},
        {"content": [{"type": "text", "text": "a"}]},
    ],
)
def test_conversations(value: dict[str, Any]) -> None:
    assert is_conversation(value)


@each_case(
    "value",
    [
        {},
        {"message": "a", "input": {"type": "log"}},
        {"messages": [{"message": {"text": "a"}}]},
        {"role": "web", "message": "a"},
        {"output": "a", "system": "a", "text": "a"},
    ],
)
def test_records_of_logs(value: dict[str, Any]) -> None:
    assert not is_conversation(value)
