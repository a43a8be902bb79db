"""Golden queries with the expected tool calls, and the tests that they parametrize."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from workbench.testing.arguments import require, require_text, require_whole_number

if TYPE_CHECKING:
    import pytest

ANY_TOOL: Final = "any"
# The parameter that repeats a test.
RUN: Final = "llm_run"


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """A query with the expected tool call. ``@pytest.mark.parametrize("golden", GOLDEN)`` runs a
    test for each query of a list, with its ID in the name of the test::

        GOLDEN = [
            GoldenQuery(
                "weather",
                "Rain in London?",
                expected_tool="get_weather",
                expected_filters={"city": "London"},
            )
        ]

    Attributes:
        id: unique ID in the list.
        query: question of the user.
        expected_tool: name of the tool that must be called first; ``any`` for any tool.
        expected_filters: arguments that this call must have, by name; see ``check_filters``.
        min_results: least number of results; see ``check_results``.
        description: a note for readers of the test.

    Raises:
        TypeError: an argument has the wrong type.
    """

    id: str
    query: str
    expected_tool: str = ANY_TOOL
    expected_filters: Mapping[str, Any] = field(default_factory=dict)
    min_results: int = 1
    description: str = ""

    def __post_init__(self) -> None:
        for name in ("id", "query", "expected_tool", "description"):
            require_text("GoldenQuery", name, getattr(self, name))
        require("GoldenQuery", "expected_filters", self.expected_filters, Mapping, "a dict")
        require_whole_number("GoldenQuery", "min_results", self.min_results, 0)


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
    """The tests whose golden query has the ID of another query of the same test function, each with
    a message.
    """
    seen: dict[tuple[str, str], GoldenQuery] = {}
    mistakes: dict[pytest.Item, str] = {}
    for item in items:
        query = golden_query(item)
        if query is not None:
            function = item.nodeid.partition("[")[0]
            if seen.setdefault((function, query.id), query) is not query:
                mistakes[item] = (
                    f"{function}: two golden queries have the ID {query.id!r}; give each its own"
                )
    return mistakes
