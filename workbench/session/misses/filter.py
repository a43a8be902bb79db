"""The filter language of the miss list: words are looked for in the user's text, the model and
the names of tools, and as the beginning of the digest.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, get_args

from workbench.session.misses.rows import Row, Summary, Unsupported
from workbench.session.misses.states import DONE, MissState, StateKind
from workbench.session.query import FilterError, part_of_name, terms
from workbench.session.session import Session

_NUMBER: Final = re.compile(r"(>=|<=|>|<|=|)(\d{1,9})")
_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "": operator.eq,
}


# A hundred thousand misses are asked with every key, so these are plain and do little.
_Test = Callable[[Row, Session], bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows to show.

    Attributes:
        text: as it was typed.
        asks_done: it names a state that needs nothing more, so that such rows are wanted.
        fields: the fields it names; "" for words.
    """

    text: str = ""
    asks_done: bool = False
    fields: frozenset[str] = frozenset()
    tests: tuple[_Test, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tests)

    def matches(self, row: Row, session: Session) -> bool:
        for test in self.tests:  # noqa: SIM110  (all() of a generator takes three times as long)
            if not test(row, session):
                return False
        return True


NO_FILTER: Final = Filter()


def parse(text: str) -> Filter:
    """The filter in ``text``.

    Raises:
        FilterError: a field or a value that there is not.
    """
    tests: list[_Test] = []
    fields: set[str] = set()
    asks_done = False
    for term in terms(text, _FIELDS):
        test = _FIELDS[term.field](term.value) if term.field else _word(term.value)
        tests.append(_not(test) if term.is_not else test)
        fields.add(term.field)
        if term.field == "state" and not term.is_not:
            asks_done |= not DONE.isdisjoint(_states(term.value))
    return Filter(text.strip(), asks_done, frozenset(fields), tuple(tests))


def _not(test: _Test) -> _Test:
    return lambda row, session: not test(row, session)


def _word(value: str) -> _Test:
    wanted = value.casefold()

    def test(row: Row, _: Session) -> bool:
        summary = row.summary
        if summary is not None and (
            wanted in summary.last_user_text.casefold()
            or wanted in summary.model.casefold()
            or _offers(summary, wanted)
        ):
            return True
        if isinstance(row, Unsupported):
            return wanted in row.key.casefold()
        return row.key.startswith(wanted)

    return test


def _offers(summary: Summary, wanted: str) -> bool:
    return any(wanted in name.casefold() for name in summary.tools) if summary.tools else False


def _model(value: str) -> _Test:
    wanted = part_of_name("model", value, "gpt-4o").casefold()
    return lambda row, _: row.summary is not None and wanted in row.summary.model.casefold()


def _tool(value: str) -> _Test:
    wanted = part_of_name("tool", value, "get_weather").casefold()
    return lambda row, _: row.summary is not None and _offers(row.summary, wanted)


def _state(value: str) -> _Test:
    wanted = _states(value)
    return lambda row, session: session.state(row.key).kind in wanted


def _states(value: str) -> frozenset[StateKind]:
    """The states whose name begins with ``value``.

    Raises:
        FilterError: none does.
    """
    kinds: tuple[StateKind, ...] = get_args(StateKind)
    beginning = value.casefold()
    found = frozenset(
        kind
        for kind in kinds
        if beginning and any(name.startswith(beginning) for name in (kind, _shown_word(kind)))
    )
    if not found:
        names = ", ".join(_shown_word(kind) for kind in kinds)
        raise FilterError(f"state: takes one of {names}.")
    return found


def _shown_word(kind: StateKind) -> str:
    """Of a state that is counted or timed without its number."""
    return kind if kind in ("errors", "held") else MissState(kind).word


def _turn(value: str) -> _Test:
    number = _NUMBER.fullmatch(value)
    if number is None:
        raise FilterError("turn: takes a number, like turn:2 or turn:>1.")
    compare, limit = _COMPARE[number[1]], int(number[2])
    return lambda row, _: row.summary is not None and compare(row.summary.turn, limit)


def _from(value: str) -> _Test:
    wanted = part_of_name("from", value, "mock-llm").casefold()
    return lambda row, _: wanted in row.source.casefold()


def _run(value: str) -> _Test:
    if value and "last".startswith(value.casefold()):
        return lambda row, session: row.run == session.book.last_run
    if not re.fullmatch(r"\d{1,9}", value):
        raise FilterError("run: takes last or a number, like run:last or run:2.")
    number = int(value)
    return lambda row, _: row.run == number


_FIELDS: Final[dict[str, Callable[[str], _Test]]] = {
    "model": _model,
    "state": _state,
    "tool": _tool,
    "turn": _turn,
    "run": _run,
    "from": _from,
}
