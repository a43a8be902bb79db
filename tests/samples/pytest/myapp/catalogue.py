"""The wines."""

from __future__ import annotations

from typing import Any, Final

WINES: Final[list[dict[str, Any]]] = [
    {"id": 7, "name": "Barolo Vecchio", "colour": "red", "price": 28},
    {"id": 8, "name": "Weissburgunder", "colour": "white", "price": 12},
]


def search(max_price: float, colour: str) -> list[dict[str, Any]]:
    return [wine for wine in WINES if wine["price"] <= max_price and wine["colour"] == colour]
