"""Golden queries: requests with what is expected of the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

# As expected_tool: whichever is called.
ANY_TOOL: Final = "any"


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One query. ``@pytest.mark.parametrize("golden", GOLDEN)`` names its tests by the ids.

    Attributes:
        id: of its own among those of a test.
        query: what the user asks.
        expected_tool: the tool to be called first; ``any`` for one that does not matter.
        expected_filters: arguments that this call must have; see ``check_filters``.
        min_results: how many results the search must find at least; see ``check_results``.
        description: for people.
    """

    id: str
    query: str
    expected_tool: str = ANY_TOOL
    expected_filters: Mapping[str, Any] = field(default_factory=dict)
    min_results: int = 1
    description: str = ""


def duplicates(queries: Iterable[GoldenQuery]) -> list[str]:
    """The ids that stand more than once."""
    seen: dict[str, int] = {}
    for query in queries:
        seen[query.id] = seen.get(query.id, 0) + 1
    return [name for name, count in seen.items() if count > 1]
