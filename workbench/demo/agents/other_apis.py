"""One agent for each of the other APIs, with requests in the format of its official client."""

from __future__ import annotations

import json
from typing import Any

from workbench.demo.agents.asking import LARGE, Ask, Tool, converse, say
from workbench.demo.client import Message

CLAUDE, GEMINI = "claude-sonnet-4-6", "gemini-2.5-flash"

_RATES = {"EUR": 1.0, "GBP": 1.15, "NOK": 0.085}
_CONVERT = {
    "type": "function",
    "name": "convert",
    "description": "Convert an amount of money.",
    "parameters": {
        "type": "object",
        "properties": {
            "amount": {"type": "number"},
            "source": {"type": "string", "enum": [*_RATES]},
            "target": {"type": "string", "enum": [*_RATES]},
        },
        "required": ["amount", "source", "target"],
        "additionalProperties": False,
    },
    "strict": True,
}


def _convert(arguments: dict[str, Any]) -> object:
    euros = arguments["amount"] * _RATES[arguments["source"]]
    return round(euros / _RATES[arguments["target"]], 2)


def till(ask: Ask) -> None:
    """A shop's till, over the Responses API."""
    request = {
        "api": "responses",
        "model": LARGE,
        "instructions": "You work at the till of a bookshop in Lisbon.",
        "input": [say("user", "A customer pays 25 pounds. How much is it here?")],
        "tools": [_CONVERT],
    }
    converse(ask, request, {"convert": _convert}, "input", _as_items)


def _as_items(answer: Message, results: list[Message]) -> list[Message]:
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in answer["tool_calls"]
    ]
    outputs = [
        {
            "type": "function_call_output",
            "call_id": result["tool_call_id"],
            "output": result["content"],
        }
        for result in results
    ]
    return [*calls, *outputs]


_SHELF = {"The Baltimore Atlas": "B4", "A Field Guide to Clouds": "D1"}
_FIND_SHELF = {
    "name": "find_shelf",
    "description": "Where a book stands.",
    "input_schema": {
        "type": "object",
        "properties": {"title": {"type": "string"}},
        "required": ["title"],
    },
}


def shelf_guide(ask: Ask) -> None:
    """A guide to the shelves, over the Messages API."""
    tools: dict[str, Tool] = {"find_shelf": lambda arguments: _SHELF[arguments["title"]]}
    request = {
        "api": "messages",
        "model": CLAUDE,
        "max_tokens": 1024,
        "system": "You show customers of a bookshop the way. One sentence.",
        "messages": [say("user", "Where is the field guide to clouds?")],
        "tools": [_FIND_SHELF],
    }
    converse(ask, request, tools, as_turn=_as_blocks)


def _as_blocks(answer: Message, results: list[Message]) -> list[Message]:
    calls = [
        {
            "type": "tool_use",
            "id": call["id"],
            "name": call["function"]["name"],
            "input": json.loads(call["function"]["arguments"]),
        }
        for call in answer["tool_calls"]
    ]
    outputs = [
        {"type": "tool_result", "tool_use_id": result["tool_call_id"], "content": result["content"]}
        for result in results
    ]
    return [{"role": "assistant", "content": calls}, {"role": "user", "content": outputs}]


def blurb_writer(ask: Ask) -> None:
    """A writer of blurbs, over the Gemini API."""
    prompt = "A blurb for A Field Guide to Clouds: a headline and two sentences."
    schema = {
        "type": "OBJECT",
        "properties": {"headline": {"type": "STRING"}, "text": {"type": "STRING"}},
        "required": ["headline", "text"],
    }
    ask(
        {
            "api": "gemini",
            "model": GEMINI,
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "systemInstruction": {"parts": [{"text": "You write for the window of a bookshop."}]},
            "generationConfig": {
                "responseMimeType": "application/json",
                "responseSchema": schema,
            },
        }
    )
