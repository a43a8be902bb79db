"""Shared code of the sample agents: send requests to the model, and run the tools that it calls."""

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


def converse(
    ask: Ask,
    request: dict[str, Any],
    tools: dict[str, Tool],
    key: str = "messages",
    as_turn: Callable[[Message, list[Message]], list[Message]] = lambda answer, results: (
        [answer, *results]
    ),
) -> None:
    """Send ``request``, run the tools that the answer calls, and continue with their results.

    Args:
        key: the key of the conversation in the request.
        as_turn: an answer and the results of its calls, in the API's format of a conversation.
    """
    for _ in range(MAX_TURNS):
        answer = ask(request)
        results = run_calls(answer, tools)
        if not results:
            break
        request = {**request, key: [*request[key], *as_turn(answer, results)]}
