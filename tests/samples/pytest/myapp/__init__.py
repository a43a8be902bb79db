"""Small applications, as the manual's page on pytest takes them for granted."""

from __future__ import annotations

import json
from typing import Any, Final

import httpx

from myapp import catalogue

TOOL: Final = {
    "type": "function",
    "function": {
        "name": "search_wines",
        "parameters": {
            "type": "object",
            "properties": {"max_price": {"type": "number"}, "colour": {"type": "string"}},
        },
    },
}


def ask(base_url: str, messages: list[Any], **more: Any) -> Any:
    """The next message of the model."""
    asked = {"model": "gpt-4o", "messages": messages, **more}
    reply = httpx.post(f"{base_url}/chat/completions", json=asked).raise_for_status()
    return reply.json()["choices"][0]["message"]


class App:
    """A planner whose plan a critic must approve."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url

    def run(self, question: str) -> list[str]:
        feedback = ""
        while True:
            plan = self._ask("planner", f"{question} {feedback}")
            verdict = self._ask("critic", json.dumps(plan))
            if verdict["decision"] == "approve":
                return list(plan["steps"])
            feedback = verdict["feedback"]

    def _ask(self, role: str, text: str) -> Any:
        system = {"role": "system", "content": f"You are the {role}."}
        message = ask(self._base_url, [system, {"role": "user", "content": text}])
        return json.loads(message["content"])


def build_app(base_url: str) -> App:
    return App(base_url)


def recommend(base_url: str, query: str) -> str:
    """A wine from the catalogue."""
    messages: list[Any] = [{"role": "user", "content": query}]
    message = ask(base_url, messages, tools=[TOOL])
    [call] = message["tool_calls"]
    found = catalogue.search(**json.loads(call["function"]["arguments"]))
    result = {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(found)}
    return str(ask(base_url, [*messages, message, result], tools=[TOOL])["content"])
