"""The wines, and the two searches that are the sommelier's tools."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Wine:
    id: int
    name: str
    colour: str
    price: float
    notes: str


WINES = [
    Wine(1, "Château Margaux", "red", 480, "cassis, cedar and violets, long tannins"),
    Wine(2, "Barolo Riserva", "red", 62, "cherry, tar and roses, firm tannins"),
    Wine(3, "Rioja Crianza", "red", 14, "ripe berry, vanilla, soft tannins"),
    Wine(4, "Côtes du Rhône Villages", "red", 12, "dark berry, pepper, juicy fruit"),
    Wine(5, "Chablis Premier Cru", "white", 38, "mineral, lemon, oyster shell, crisp"),
    Wine(6, "Sancerre", "white", 27, "mineral, gooseberry, flint, good with fish"),
    Wine(7, "Riesling Kabinett", "white", 16, "apple, lime, slate, a little sweet"),
    Wine(8, "Tavel", "rosé", 18, "strawberry, dry, full for a rosé"),
]
NAMES = [wine.name for wine in WINES]
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "search_wines",
            "description": "Wines by colour and price.",
            "parameters": {
                "type": "object",
                "properties": {
                    "colour": {"type": "string", "enum": ["red", "white", "rosé"]},
                    "min_price": {"type": "number"},
                    "max_price": {"type": "number"},
                },
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "semantic_search",
            "description": "Wines whose tasting notes are like a description.",
            "parameters": {
                "type": "object",
                "properties": {"description": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["description"],
                "additionalProperties": False,
            },
        },
    },
]


def execute_search_wines(
    colour: str | None = None, min_price: float = 0, max_price: float = math.inf
) -> list[dict[str, Any]]:
    """The wines that fit, the cheapest first."""
    found = [
        wine
        for wine in WINES
        if colour in (None, wine.colour) and min_price <= wine.price <= max_price
    ]
    return [vars(wine) for wine in sorted(found, key=lambda wine: wine.price)]


def execute_semantic_search(description: str, limit: int = 3) -> list[dict[str, Any]]:
    """The wines whose notes share most words with the description, each with its score."""
    scored = [{**vars(wine), "score": _likeness(description, wine)} for wine in WINES]
    return sorted(scored, key=lambda wine: -wine["score"])[:limit]


def _likeness(description: str, wine: Wine) -> float:
    """The cosine of the angle between two bags of words."""
    one, other = _words(description), _words(f"{wine.colour} {wine.notes}")
    shared = sum(one[word] * other[word] for word in one)
    lengths = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return round(shared / lengths, 4) if lengths else 0.0


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))
