"""The list of golden queries: what it can be filtered and sorted by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from workbench.core.evals import Query
from workbench.session.lists.filters import FilterLanguage, FilterStates, name_field
from workbench.session.lists.list_query import ListQuery, Order


def eval_query() -> ListQuery[Query]:
    """A list of golden queries, by their tests, without any yet."""
    return ListQuery(
        {},
        LANGUAGE,
        [
            Order("failures first", lambda query: (query.passed, query.rate is None, query.rate)),
            Order("by name", lambda query: (query.id.casefold(), query.test)),
            Order("as collected"),
        ],
    )


def _word(word: str) -> Callable[[Query], bool]:
    return lambda query: any(
        word in text.casefold()
        for text in (query.id, query.query, query.test, query.first_failure, query.skipped or "")
    )


def _states(query: Query) -> Iterator[str]:
    if not query.passed:
        yield "failed"
    if 0 < query.passes < len(query.runs):
        yield "unsteady"
    if query.rate is None:
        yield from ("skipped", "skip")
    else:
        yield f"{query.percent}%"
        if query.passed:
            yield "passed"


def _failed_checks(query: Query) -> Iterator[str]:
    return (check.name for run in query.runs for check in run.checks if not check)


def _tools(query: Query) -> Iterator[str]:
    return (call.name for run in query.runs for call in run.calls)


_STATES: Final = FilterStates(("failed", "unsteady", "passed", "skipped", "skip"), _states)

LANGUAGE: Final = FilterLanguage(
    _word,
    _STATES,
    {
        "check": name_field("check", "filters", _failed_checks),
        "tool": name_field("tool", "search_wines", _tools),
    },
)
