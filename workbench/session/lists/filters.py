"""The filter language of every list: which items of a list match what was typed.

Words that must all occur, ``field:value`` for one property, quotes around a phrase, ``-`` before
what must not match. A list declares its fields and what words are looked for in.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

_TOKEN: Final = re.compile(
    r"""(?P<minus>-?)
        (?:(?P<field>[A-Za-z]+):)?
        (?:"(?P<phrase>[^"]*)"?|(?P<bare>\S*))""",
    re.VERBOSE,
)


class FilterError(ValueError):
    """A filter that cannot be understood; the text says why, in a sentence."""


class Filter(NamedTuple, Generic[Item]):
    """Which items to show.

    Attributes:
        is_volatile: an item may begin or cease to match while it is listed.
        wants_done: it asks for items that the list hides because they are done.
    """

    text: str = ""
    tests: tuple[Callable[[Item], bool], ...] = ()
    is_volatile: bool = False
    wants_done: bool = False

    def __bool__(self) -> bool:
        return bool(self.tests)

    def matches(self, item: Item) -> bool:
        for test in self.tests:  # noqa: SIM110  (all() of a generator takes three times as long)
            if not test(item):
                return False
        return True


class FilterField(NamedTuple, Generic[Item]):
    """A name that can stand before a colon in a filter.

    Attributes:
        test: makes the test of a value. Raises FilterError for a value without a meaning.
        is_volatile: the answer may change while an item is listed.
        wants_done: whether a value asks for items that are done.
    """

    test: Callable[[str], Callable[[Item], bool]]
    is_volatile: bool = False
    wants_done: Callable[[str], bool] = lambda _: False


class FilterStates(NamedTuple, Generic[Item]):
    """The words that a list shows for the state of an item. Each can be typed as a word of a
    filter.

    Attributes:
        choices: all of them, but for their numbers.
        words: those of one item: ``("errors", "2 errors")``.
        is_volatile: they may change while an item is listed.
        done: those of items that are done.
    """

    choices: Sequence[str]
    words: Callable[[Item], Iterable[str]]
    is_volatile: bool = False
    done: Collection[str] = ()

    def meant(self, value: str) -> bool:
        """Whether a word of a filter may be one of a state."""
        return any(
            part[:1].isdigit() or any(_is_in(part, choice) for choice in self.choices)
            for part in value.split()
        )

    def test(self, value: str) -> Callable[[Item], bool]:
        """The test of a word of a filter."""
        return lambda item: any(_is_in(value, word) for word in self.words(item))

    def wants_done(self, value: str) -> bool:
        """Whether a word of a filter asks for items that are done."""
        return any(_is_in(value, word) for word in self.done)


def _is_in(value: str, shown: str) -> bool:
    """Whether ``value`` is what is shown for a state or a word of it, in singular or plural."""
    return value.rstrip("s") in (shown.rstrip("s"), *(word.rstrip("s") for word in shown.split()))


class FilterLanguage(NamedTuple, Generic[Item]):
    """What can be typed in the filter of one list.

    Attributes:
        word: makes the test of a word, which is given casefolded.
    """

    word: Callable[[str], Callable[[Item], bool]]
    fields: Mapping[str, FilterField[Item]] = MappingProxyType({})
    states: FilterStates[Item] = FilterStates((), lambda _: ())

    def parse(self, text: str) -> Filter[Item]:
        """The filter in ``text``.

        Raises:
            FilterError: a misspelt field, or a value without a meaning.
        """
        tests: list[Callable[[Item], bool]] = []
        is_volatile = wants_done = False
        for name, value, is_negated in _terms(text, self.fields):
            known = self.fields.get(name)
            if known is None:
                word = value.casefold()
                test = self.word(word)
                if self.states.meant(word):
                    test = _either(test, self.states.test(word))
                    is_volatile |= self.states.is_volatile
                    wants_done |= not is_negated and self.states.wants_done(word)
            else:
                test = known.test(value)
                is_volatile |= known.is_volatile
                wants_done |= not is_negated and known.wants_done(value)
            tests.append(_negated(test) if is_negated else test)
        return Filter(text.strip(), tuple(tests), is_volatile, wants_done)


def _terms(text: str, known: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """The parts of a filter: the name of a field, or "" for a word; the value; whether it is
    negated. Raises FilterError for a field, of those ``known``, that is misspelt.
    """
    for token in _TOKEN.finditer(text):
        name, phrase = token["field"] or "", token["phrase"]
        value = (token["bare"] or "") if phrase is None else phrase
        if name and name.lower() not in known:
            _refuse_misspelt(name, known)
            name, value = "", f"{name}:{value}"
        if name or value:
            yield name.lower(), value, bool(token["minus"])


def _refuse_misspelt(name: str, known: Collection[str]) -> None:
    """Any text may contain a colon: only what is nearly a field is taken for one."""
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    if near:
        raise FilterError(f"There is no filter {name}: here. Did you mean {near[0]}:?")


def _either(one: Callable[[Item], bool], other: Callable[[Item], bool]) -> Callable[[Item], bool]:
    return lambda item: one(item) or other(item)


def _negated(test: Callable[[Item], bool]) -> Callable[[Item], bool]:
    return lambda item: not test(item)


def name_field(
    name: str, example: str, names: Callable[[Item], Iterable[str]]
) -> FilterField[Item]:
    """A field that takes a part of a name.

    Args:
        names: the names of an item; one of them must contain the value.
    """

    def test(value: str) -> Callable[[Item], bool]:
        if not value:
            raise FilterError(f"{name}: takes a part of a name, like {name}:{example}.")
        wanted = value.casefold()

        def contains(item: Item) -> bool:
            for one in names(item):  # noqa: SIM110  (a generator takes twice as long)
                if wanted in one.casefold():
                    return True
            return False

        return contains

    return FilterField(test)


def state_field(name: str, states: FilterStates[Item]) -> FilterField[Item]:
    """A field that takes the beginning of the word for a state."""
    choices = states.choices

    def chosen(value: str) -> frozenset[str]:
        beginning = value.casefold()
        found = [word for word in choices if beginning and f"{word}s".startswith(beginning)]
        if not found:
            near = difflib.get_close_matches(beginning, choices, n=1)
            if near:
                raise FilterError(f"There is no {name}:{value}. Did you mean {name}:{near[0]}?")
            raise FilterError(f"{name}: takes one of {', '.join(choices)}.")
        return frozenset(found)

    def test(value: str) -> Callable[[Item], bool]:
        wanted = chosen(value)
        return lambda item: not wanted.isdisjoint(states.words(item))

    return FilterField(
        test, states.is_volatile, lambda value: not chosen(value).isdisjoint(states.done)
    )
