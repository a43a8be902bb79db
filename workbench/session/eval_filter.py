"""The filter language of golden queries: that of the misses, asked of a report's queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from workbench.core.evals import Query
from workbench.session.filter import FilterError, terms

_Test = Callable[[Query], bool]


@dataclass(frozen=True, slots=True)
class EvalFilter:
    """Which queries to show; ``text`` is as it was typed."""

    text: str = ""
    tests: tuple[_Test, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tests)

    def matches(self, query: Query) -> bool:
        return all(test(query) for test in self.tests)


NO_EVAL_FILTER: Final = EvalFilter()


def parse(text: str) -> EvalFilter:
    """The filter in ``text``: words, ``is:failed``, ``check:filters`` (that did not hold every
    time), ``tool:`` (that was called).

    Raises:
        FilterError: a field or a value that there is not.
    """
    tests = []
    for term in terms(text, _FIELDS):
        test = _FIELDS[term.field](term.value) if term.field else _word(term.value)
        tests.append(_not(test) if term.is_not else test)
    return EvalFilter(text.strip(), tuple(tests))


def _not(test: _Test) -> _Test:
    return lambda query: not test(query)


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
    wanted = _given("check", value, "filters")
    return lambda query: any(
        wanted in check.name.casefold() and not check for run in query.runs for check in run.checks
    )


def _tool(value: str) -> _Test:
    wanted = _given("tool", value, "search_wines")
    return lambda query: any(
        wanted in call.name.casefold() for run in query.runs for call in run.calls
    )


def _given(field: str, value: str, example: str) -> str:
    if not value:
        raise FilterError(f"{field}: takes a part of a name, like {field}:{example}.")
    return value.casefold()


_FIELDS: Final[dict[str, Callable[[str], _Test]]] = {
    "is": _state,
    "state": _state,
    "check": _check,
    "tool": _tool,
}
