"""The parts of the filter language, and what lists of any kind are filtered by.

Words that all have to occur, ``field:value`` for one property, quotes round what has blanks, ``-``
before what must not hold.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

_Row = TypeVar("_Row")

_TOKEN: Final = re.compile(
    r"""(?P<minus>-?)
        (?:(?P<field>[A-Za-z]+):)?
        (?:"(?P<phrase>[^"]*)"?|(?P<bare>\S*))""",
    re.VERBOSE,
)


class FilterError(ValueError):
    """A filter that means nothing; the text says what is wrong, for a person."""


@dataclass(frozen=True, slots=True)
class Term:
    """One part of a filter; ``field`` is "" for a word."""

    field: str
    value: str
    is_not: bool


def terms(text: str, known: Collection[str]) -> Iterator[Term]:
    """The parts of a filter.

    Args:
        known: the fields there are.

    Raises:
        FilterError: a field is misspelt.
    """
    for token in _TOKEN.finditer(text):
        field, phrase = token["field"] or "", token["phrase"]
        value = (token["bare"] or "") if phrase is None else phrase
        if field and field.lower() not in known:
            _refuse_misspelt(field, known)
            field, value = "", f"{field}:{value}"
        if field or value:
            yield Term(field.lower(), value, bool(token["minus"]))


def _refuse_misspelt(field: str, known: Collection[str]) -> None:
    """A colon may stand in any text; only what is nearly a field is taken for one."""
    near = difflib.get_close_matches(field.lower(), known, n=1, cutoff=0.75)
    if near:
        raise FilterError(f"There is no {field}: to filter by. Is it {near[0]}: ?")


def part_of_name(field: str, value: str, example: str) -> str:
    """The value of a field that takes a part of a name. Raises FilterError where there is none."""
    if not value:
        raise FilterError(f"{field}: takes a part of a name, like {field}:{example}.")
    return value


@dataclass(frozen=True, slots=True)
class Selection(Generic[_Row]):
    """Which rows to show; ``text`` is as it was typed."""

    text: str = ""
    tests: tuple[Callable[[_Row], bool], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.tests)

    def matches(self, row: _Row) -> bool:
        return all(test(row) for test in self.tests)


def select(
    text: str,
    fields: Mapping[str, Callable[[str], Callable[[_Row], bool]]],
    word: Callable[[str], Callable[[_Row], bool]],
) -> Selection[_Row]:
    """The selection that ``text`` says.

    Args:
        fields: each makes a test of its value; ``word`` makes one of a word.

    Raises:
        FilterError: a field or a value that there is not.
    """
    tests = []
    for term in terms(text, fields):
        test = fields[term.field](term.value) if term.field else word(term.value)
        tests.append(_not(test) if term.is_not else test)
    return Selection(text.strip(), tuple(tests))


def _not(test: Callable[[_Row], bool]) -> Callable[[_Row], bool]:
    return lambda row: not test(row)
