"""The filter language of golden queries: that of the misses, asked of a report's queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from workbench.core.runs.evals import Query
from workbench.session.query import FilterError, Selection, part_of_name, select

_Test = Callable[[Query], bool]


NO_EVAL_FILTER: Final[Selection[Query]] = Selection()


def parse(text: str) -> Selection[Query]:
    """The filter in ``text``: words, ``is:failed``, ``check:filters`` (that did not hold every
    time), ``tool:`` (that was called).

    Raises:
        FilterError: a field or a value that there is not.
    """
    return select(text, _FIELDS, _word)


def _word(value: str) -> _Test:
    wanted = value.casefold()
    return lambda query: any(
        wanted in text.casefold()
        for text in (query.id, query.query, query.test, query.first_failure, query.skipped or "")
    )


_STATES: Final[dict[str, _Test]] = {
    "failed": lambda query: not query.passed,
    "unsteady": lambda query: 0 < query.passes < len(query.runs),
    "passed": lambda query: query.passed and query.rate is not None,
    "skipped": lambda query: query.rate is None,
}


def _state(value: str) -> _Test:
    wanted = value.casefold()
    for name, test in _STATES.items():
        if wanted and name.startswith(wanted):
            return test
    raise FilterError(f"is: takes one of {', '.join(_STATES)}.")


def _check(value: str) -> _Test:
    wanted = part_of_name("check", value, "filters").casefold()
    return lambda query: any(
        wanted in check.name.casefold() and not check for run in query.runs for check in run.checks
    )


def _tool(value: str) -> _Test:
    wanted = part_of_name("tool", value, "search_wines").casefold()
    return lambda query: any(
        wanted in call.name.casefold() for run in query.runs for call in run.calls
    )


_FIELDS: Final[dict[str, Callable[[str], _Test]]] = {
    "is": _state,
    "state": _state,
    "check": _check,
    "tool": _tool,
}
