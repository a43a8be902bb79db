"""What the sample agents share: how they ask the model, and run the tools that it calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from workbench.demo.client import Message

# Sends one request and returns the assistant's message.
Ask = Callable[[dict[str, Any]], Message]
Tool = Callable[[dict[str, Any]], object]

SMALL, LARGE = "gpt-4o-mini", "gpt-4o"
MAX_TURNS = 4


def say(role: str, text: str) -> Message:
    return {"role": role, "content": text}


def tool(name: str, description: str, required: list[str], **properties: Any) -> dict[str, Any]:
    """A tool in the form of a request."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def run_calls(message: Message, tools: dict[str, Tool]) -> list[Message]:
    """The results of the tool calls in ``message``, one message for each."""
    results = []
    for call in message.get("tool_calls") or []:
        function = call["function"]
        try:
            result = tools[function["name"]](json.loads(function["arguments"]))
        except (LookupError, TypeError, ValueError) as error:
            result = {"error": f"{type(error).__name__}: {error}"}
        content = json.dumps(result, ensure_ascii=False)
        results.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    return results
