"""Record the fixtures of the suite again: ``python make_fixtures.py``.

Here the model that is recorded is a few rules: it calls the tools that a question needs, and
answers from their results.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from workbench.testing import Call, MockLLM, Reply

FOLDER = Path(__file__).parent
# Of questions that need no tool.
ANSWERS = {
    "thank": "You are welcome.",
    "cost": "It cost £{price}.",
    "long": "It needs {days_left} more day(s).",
    "money": "In three to five days.",
    "exception": "I am sorry, I cannot make one.",
}


def model(call: Call) -> Reply:
    """What the model replies to a request."""
    asked = max(i for i, message in enumerate(call.messages) if message["role"] == "user")
    question: str = call.messages[asked]["content"]
    earlier = _results(call.messages[:asked])
    results = _results(call.messages[asked:])
    word = next((word for word in ANSWERS if word in question.lower()), None)
    if word is not None:
        known = {key: value for result in earlier for key, value in result.items()}
        return Reply.text(ANSWERS[word].format(**known))
    calls = _next_calls(question, call.messages[:asked], results)
    return Reply.tool_calls(calls) if calls else Reply.text(_answer(results))


def _results(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]


def _next_calls(
    question: str, earlier: list[dict[str, Any]], results: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The calls after these results; none where the question can be answered."""
    taken = 0
    for step in _steps(question, earlier, results):
        if len(results) == taken:
            return step
        taken += len(step)
        if "error" in results[taken - 1]:
            break
    return []


def _steps(
    question: str, earlier: list[dict[str, Any]], results: list[dict[str, Any]]
) -> list[list[dict[str, Any]]]:
    """The calls that a question needs, one turn after the other."""
    if email := re.search(r"\S+@\S+\w", question):
        found = results[0]["orders"] if results else []
        return [[_call("find_orders", email=email[0])], _orders(found)]
    named = re.findall(r"\d{4}", question)
    for message in reversed(earlier):
        named = named or re.findall(r"\d{4}", message.get("content", ""))[-1:]
    numbers = [int(number) for number in named]
    if "cancel" in question:
        return [_orders(numbers), [_call("cancel_order", number=numbers[0])]]
    if "refund" in question:
        reason = question.partition(": ")[2].removesuffix(".")
        return [_orders(numbers), [_call("refund", number=numbers[0], reason=reason)]]
    if re.search("here|track|meant", question):
        return [_orders(numbers), [_call("track_parcel", number=numbers[0])]]
    return [_orders(numbers)]


def _orders(numbers: list[int]) -> list[dict[str, Any]]:
    return [_call("get_order", number=number) for number in numbers]


def _call(name: str, **arguments: object) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _answer(results: list[dict[str, Any]]) -> str:
    match results[-1]:
        case {"error": error}:
            return f"I am sorry: {error}."
        case {"city": city, "days_left": days}:
            return f"It is in {city} and needs {days} more day(s)."
        case {"cancelled": number}:
            return f"Order {number} is cancelled."
        case {"refunded": price}:
            return f"You get £{price} back."
    orders = [result for result in results if "title" in result]
    return " ".join(f"Order {o['number']}, {o['title']}, is {o['state']}." for o in orders)


def main() -> int:
    """Record all fixtures; returns the exit code of the suite."""
    shutil.rmtree(FOLDER / "fixtures", ignore_errors=True)
    with MockLLM() as upstream:
        upstream.respond(model)
        run = (
            "workbench",
            "run",
            "--record",
            "--upstream",
            upstream.base_url,
            "--",
            "pytest",
            "-q",
        )
        return subprocess.run([*run, *sys.argv[1:]], cwd=FOLDER, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
