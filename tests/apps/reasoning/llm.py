"""The application's own "call the model": a loop of tools around the official client."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from openai import AsyncOpenAI

MAX_ROUNDS = 5

ToolExecutor = Callable[[str, dict[str, Any]], str]


@dataclass
class LLMResponse:
    """What the model said at last, and which tools ran before."""

    content: str
    input_tokens: int = 0
    output_tokens: int = 0
    finish_reasons: list[str] = field(default_factory=list)
    tool_calls_made: list[dict[str, Any]] = field(default_factory=list)


async def llm_call(
    *, prompt: str, system: str, tools: list[dict[str, Any]], tool_executor: ToolExecutor
) -> LLMResponse:
    """Ask the model behind ``$OPENAI_BASE_URL``; run the tools it calls until it calls none.

    Args:
        tools: in Anthropic's form, with ``input_schema``.
    """
    messages: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": prompt},
    ]
    response = LLMResponse("")
    base_url = os.environ["OPENAI_BASE_URL"]
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        for _ in range(MAX_ROUNDS):
            reply: Any = await client.chat.completions.create(
                model="gpt-4o-mini", messages=messages, tools=[_offered(tool) for tool in tools]
            )
            message = reply.choices[0].message
            response.content = message.content or ""
            response.input_tokens += reply.usage.prompt_tokens
            response.output_tokens += reply.usage.completion_tokens
            response.finish_reasons = [reply.choices[0].finish_reason]
            if not message.tool_calls:
                break
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                given = json.loads(call.function.arguments)
                result = tool_executor(call.function.name, given)
                made = {"name": call.function.name, "input": given, "result": result}
                response.tool_calls_made.append(made)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    return response


def _offered(tool: dict[str, Any]) -> Any:
    function = {"name": tool["name"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}
