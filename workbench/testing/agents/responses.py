"""What an application's own "call the model" returns, as agents with tool executors read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

CONTENT = "Mock LLM response"
DONE = "Task completed successfully"


@dataclass(slots=True)
class MockLLMResponse:
    """One response.

    Attributes:
        content: a text, or an object of the response model that the call asks for.
        tool_calls_made: ``{"name", "input", "result"}`` of each tool that ran, in order.
    """

    content: Any = CONTENT
    input_tokens: int = 100
    output_tokens: int = 50
    finish_reasons: list[str] = field(default_factory=lambda: ["end_turn"])
    tool_calls_made: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def create_response(
        cls,
        content: Any = CONTENT,
        input_tokens: int = 100,
        output_tokens: int = 50,
        tool_calls_made: Iterable[Mapping[str, Any]] | None = None,
    ) -> MockLLMResponse:
        """A response to which no further call of the model belongs."""
        made = [dict(call) for call in tool_calls_made or ()]
        return cls(content, input_tokens, output_tokens, tool_calls_made=made)

    @classmethod
    def create_tool_response(
        cls, tool_results: Iterable[Mapping[str, Any]], final_content: Any = DONE
    ) -> MockLLMResponse:
        """The response after tools ran."""
        return cls.create_response(final_content, tool_calls_made=tool_results)
