"""The other side of the interview: an expert who knows, and a model that asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

TALK = [
    ("What do you keep of customer orders?", "Orders, each with its beers.", ["customer-orders"]),
    ("And of the materials?", "Malt and hops on hand, by day.", ["materials-on-hand"]),
    ("How are the tanks planned?", "A calendar of tanks and batches.", ["tank-calendar"]),
    ("Who delivers?", "Two drivers, by zone.", ["deliveries"]),
]


def answer(question: str) -> str:
    """The surrogate: the expert's answer."""
    for asked, said, _ in TALK:
        if asked == question:
            return said
    raise LookupError(f"nobody knows: {question}")


def reply(payload: Mapping[str, Any]) -> str:
    """The model: its reply to a request of the interview."""
    messages = payload["messages"]
    if "interview" in messages[0]["content"]:
        return TALK[len(messages) // 2][0]
    for number, (_, said, areas) in enumerate(TALK, 1):
        if said in messages[1]["content"]:
            return json.dumps({"areas": areas, "complete": number == len(TALK)})
    return json.dumps({"areas": [], "complete": False})
