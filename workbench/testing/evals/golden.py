"""Golden queries: requests with what is expected of the answer, and the tests they parametrize."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pytest

ANY_TOOL: Final = "any"
# The parameter that repeats a test.
RUN: Final = "llm_run"


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One query. ``@pytest.mark.parametrize("golden", GOLDEN)`` names its tests by the ids.

    Attributes:
        id: unique among those of a test.
        query: what the user asks.
        expected_tool: the tool to be called first, or ``any``.
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


def run_id(number: object) -> str:
    """The part of a test's id that names one of its repeated runs."""
    return f"run{number}"


def parameters(item: pytest.Item) -> dict[str, Any]:
    """The parameters of a test by name."""
    callspec = getattr(item, "callspec", None)
    return callspec.params if callspec is not None else {}


def golden_query(item: pytest.Item) -> GoldenQuery | None:
    """The golden query that parametrizes a test."""
    queries = [value for value in parameters(item).values() if isinstance(value, GoldenQuery)]
    return queries[0] if queries else None


def duplicates(items: Iterable[pytest.Item]) -> dict[pytest.Item, str]:
    """The tests whose golden query has the id of another one of the same test function, each with
    a sentence that says so.
    """
    seen: dict[tuple[str, str], GoldenQuery] = {}
    mistakes: dict[pytest.Item, str] = {}
    for item in items:
        query = golden_query(item)
        if query is not None:
            function = item.nodeid.partition("[")[0]
            if seen.setdefault((function, query.id), query) is not query:
                mistakes[item] = f"{function}: two golden queries have the id {query.id!r}"
    return mistakes
