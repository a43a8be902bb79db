"""The list of misses: what it can be filtered and sorted by."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, get_args

from workbench.core.misses.miss import Miss
from workbench.session.lists.filters import (
    FilterError,
    FilterField,
    FilterLanguage,
    FilterStates,
    name_field,
)
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.misses.held import EndOfWait
from workbench.session.misses.states import (
    DONE,
    ERRORS,
    VERIFIED,
    AnsweredBy,
    MissState,
    StateKind,
    state_of,
)
from workbench.session.session import Session

# States after a decision made here: such a row disappears at once. Any other selected row stays
# until another is selected.
_DECIDED: Final = frozenset({"saved", "skipped", "ignored"})

_STATES: Final[tuple[StateKind, ...]] = get_args(StateKind)
_DONE: Final = (*DONE, *get_args(AnsweredBy), VERIFIED, "blocked")
# The states that are looked for most come first: a narrow screen shows no more of a message.
_OFTEN: Final[tuple[StateKind, ...]] = ("missing", "stale", "held", "draft", "broken")
_OTHERS: Final = (*get_args(AnsweredBy), VERIFIED, ERRORS, *get_args(EndOfWait))
_STATE_WORDS: Final = tuple(dict.fromkeys((*_OFTEN, *_STATES, *_OTHERS)))
_NUMBER: Final = r"(>=|<=|>|<|=|)(\d{1,9})"  # compiled when a filter has one
_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "": operator.eq,
}

_LAST_RUN: Final = re.compile(r"(?:^|\s)run:last(?!\S)")

# A hundred thousand rows are tested with every key, so tests are plain and do little.
_Test = Callable[[Miss], bool]


def miss_query(session: Session) -> ListQuery[Miss]:
    """The rows of a session: misses and unsupported requests. The turns of a conversation are
    together in any order.
    """

    def state(row: Miss) -> MissState:
        return state_of(session, row.key)

    return ListQuery(
        session.miss_index.rows,
        language(session),
        [
            Order("conversation"),
            Order("last seen", lambda row: -row.order, is_volatile=True),
            Order("count", lambda row: -row.count, is_volatile=True),
            Order("state", lambda row: _STATES.index(state(row).kind), is_volatile=True),
            Order("model", _by_model),
        ],
        is_done=lambda row: state(row).is_done,
        leaves=lambda row: state(row).word in _DECIDED,
        group=_turn_of_conversation,
        first=lambda: session.held.digests,
    )


def _turn_of_conversation(row: Miss) -> tuple[str, int]:
    return row.conversation or "", row.turn or 0


def _by_model(row: Miss) -> Any:
    """Rows whose request is unknown are last."""
    return row.model is None, (row.model or "").casefold()


def with_last_run_toggled(text: str) -> str:
    """A filter with ``run:last``, or without it where it has it."""
    others = _LAST_RUN.sub("", text).strip()
    return others if others != text.strip() else f"{others} run:last".strip()


def language(session: Session) -> FilterLanguage[Miss]:
    """The filter language of the list of misses. Words are searched in the user's text, the text
    after the last answer, the model, the names of tools and tests and the beginning of the digest,
    and may be a state.
    """

    def words(row: Miss) -> list[str]:
        ended = session.held.ended.get(row.key)
        return [*state_of(session, row.key).words, *([ended.how] if ended else [])]

    def run(value: str) -> _Test:
        if value and "last".startswith(value.casefold()):
            return lambda row: row.run == session.miss_index.last_run
        if not re.fullmatch(r"\d{1,9}", value):
            raise FilterError("run: takes last or a number, like run:last or run:2.")
        number = int(value)
        return lambda row: row.run == number

    return FilterLanguage(
        _word,
        FilterStates(_STATE_WORDS, words, is_volatile=True, done=_DONE),
        {
            "model": name_field("model", "gpt-4o", _model),
            "tool": name_field("tool", "get_weather", _tools),
            "turn": FilterField(_turn),
            "run": FilterField(run, is_volatile=True),
            "api": name_field("api", "chat", _apis),
            "test": name_field("test", "test_weather", lambda row: row.tests),
            "from": name_field("from", "mock-llm", lambda row: [row.source]),
        },
    )


def _word(word: str) -> _Test:
    def test(row: Miss) -> bool:
        if _contains(row, word):
            return True
        if row.tests and any(word in test.casefold() for test in row.tests):
            return True
        if (request := row.unsupported) is not None:
            return word in f"{request.line} {request.reason}".casefold()
        return row.key.startswith(word)

    return test


def _contains(row: Miss, word: str) -> bool:
    return (
        word in (row.last_user_text or "").casefold()
        or (row.texts is not None and word in row.texts.added.casefold())
        or word in (row.model or "").casefold()
        or any(word in tool.casefold() for tool in _tools(row))
    )


def _model(row: Miss) -> Iterable[str]:
    return [row.model] if row.model is not None else ()


def _tools(row: Miss) -> Iterable[str]:
    return row.texts.tools if row.texts is not None else ()


def _apis(row: Miss) -> Iterable[str]:
    is_api_known = row.unsupported is not None or row.dumps
    return [row.api] if is_api_known and row.api is not None else ()


def _turn(value: str) -> _Test:
    number = re.fullmatch(_NUMBER, value)
    if number is None:
        raise FilterError("turn: takes a number, like turn:2 or turn:>1.")
    compare, limit = _COMPARE[number[1]], int(number[2])
    return lambda row: row.turn is not None and compare(row.turn, limit)
