"""What the sommelier must get right, whatever its prompt and model."""

from __future__ import annotations

from workbench.testing import GoldenQuery

GOLDEN = [
    GoldenQuery(
        id="red-under-30",
        query="A red wine under 30, please.",
        expected_tool="search_wines",
        expected_filters={"colour": "red", "max_price": 30},
        min_results=2,
        description="colour and price are filters",
    ),
    GoldenQuery(
        id="white-20-to-40",
        query="Something white between 20 and 40?",
        expected_tool="search_wines",
        expected_filters={"colour": "white", "min_price": 20, "max_price": 40},
        min_results=2,
    ),
    GoldenQuery(
        id="berry-notes",
        query="I like ripe berry and vanilla.",
        expected_tool="semantic_search",
        expected_filters={"description": "berry"},
    ),
    GoldenQuery(
        id="mineral-white",
        query="A mineral white, good with fish.",
        expected_tool="semantic_search",
        expected_filters={"description": "mineral"},
    ),
]
