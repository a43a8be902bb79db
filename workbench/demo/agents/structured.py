"""A research planner, which asks for JSON in the three ways in which applications do."""

from __future__ import annotations

from workbench.core.json.text import is_json
from workbench.demo.agents.asking import LARGE, Ask, say

_STEPS = {"type": "array", "items": {"type": "string"}}
PLAN_SCHEMA = {
    "type": "object",
    "properties": {"research_steps": _STEPS, "expert_steps": _STEPS},
    "required": ["research_steps", "expert_steps"],
    "additionalProperties": False,
}
PLAN_TOOL = {
    "type": "function",
    "function": {"name": "Plan", "description": "Hand in the plan.", "parameters": PLAN_SCHEMA},
}
_PLAN_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "Plan", "strict": True, "schema": PLAN_SCHEMA},
}


def planner(ask: Ask) -> None:
    messages = [
        say("system", "You plan research for a team. Answer with a Plan as JSON."),
        say("user", "Plan in JSON: who invented CRISPR?"),
    ]
    answer = ask({"model": LARGE, "messages": messages, "response_format": _PLAN_FORMAT})
    if not is_json(str(answer["content"])):
        retry = (
            "Your answer could not be used: it is not JSON. "
            "Answer with a Plan as JSON and nothing else."
        )
        again = [*messages, answer, say("user", retry)]
        ask({"model": LARGE, "messages": again, "response_format": _PLAN_FORMAT})
    # An older client of the same team: no schema, so that its request has the same digest.
    ask({"model": LARGE, "messages": messages, "response_format": {"type": "json_object"}})
    ask(
        {
            "model": LARGE,
            "messages": messages,
            "tools": [PLAN_TOOL],
            "tool_choice": {"type": "function", "function": {"name": "Plan"}},
            "parallel_tool_calls": False,
        }
    )
