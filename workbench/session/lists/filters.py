"""The filter language of every list, which selects items by typed words.

Words that must all occur, ``field:value`` for one property, quotes around a phrase, ``-`` before a
term that must not match. Each list declares the texts, the states and the fields of its items,
beside its orders: ``misses/miss_query``, ``fixture/fixture_query``, ``recordings/recording_query``,
``recordings/exchange_rows`` and ``evals/eval_query``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

# The fields that every list has whose items have states.
_STATE_FIELDS: Final = ("is", "state")
# Compiled when a filter is typed: not before the first rows are drawn.
_TOKEN: Final = r"""(?P<minus>-?)
        (?:(?P<field>[A-Za-z]+):)?
        (?:"(?P<phrase>[^"]*)"?|(?P<bare>\S*))"""
# The beginning of a word for a state, at the end of a filter.
_STATE_END: Final = rf"(?:^|\s)-?(?:{'|'.join(_STATE_FIELDS)}):(?P<value>\S*)$"


class FilterError(ValueError):
    """An invalid filter; the message is the reason, as a sentence."""


class Filter(NamedTuple, Generic[Item]):
    """Selects items.

    Attributes:
        words: words that must occur, case-folded.
        is_volatile: an item may begin or cease to match while it is listed.
        wants_done: it includes items that the list hides because they are done.
    """

    text: str = ""
    tests: tuple[Callable[[Item], bool], ...] = ()
    words: tuple[str, ...] = ()
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
    """A name that can precede a colon in a filter.

    Attributes:
        test: makes the test of a value. Raises FilterError for a meaningless value.
        is_volatile: the result may change while an item is listed.
        wants_done: returns True if a value includes items that are done.
    """

    test: Callable[[str], Callable[[Item], bool]]
    is_volatile: bool = False
    wants_done: Callable[[str], bool] = lambda _: False


class FilterStates(NamedTuple, Generic[Item]):
    """The words that a list shows for the state of an item. Each can be typed as a word of a
    filter.

    Attributes:
        choices: all of them, without numbers.
        words: the words of one item: ``("errors", "2 errors")``.
        is_volatile: they may change while an item is listed.
        done: the words of items that are done.
    """

    choices: Sequence[str]
    words: Callable[[Item], Iterable[str]]
    is_volatile: bool = False
    done: Collection[str] = ()

    def meant(self, value: str) -> bool:
        """True if a word of a filter may mean a state."""
        return any(
            part[:1].isdigit() or any(_is_in(part, choice) for choice in self.choices)
            for part in value.split()
        )

    def test(self, value: str) -> Callable[[Item], bool]:
        """The test of a word of a filter."""
        return lambda item: any(_is_in(value, word) for word in self.words(item))

    def wants_done(self, value: str) -> bool:
        """True if a word of a filter includes items that are done."""
        return any(_is_in(value, word) for word in self.done)


def _is_in(value: str, shown: str) -> bool:
    """True if ``value`` is the text shown for a state or a word of it, in singular or plural."""
    return value.rstrip("s") in (shown.rstrip("s"), *(word.rstrip("s") for word in shown.split()))


class FilterLanguage(NamedTuple, Generic[Item]):
    """The filter language of one list. If its items have states, ``is:`` and ``state:`` accept the
    beginning of the word for one.

    Attributes:
        word: makes the test of a word, which is passed casefolded.
        others: further fields, by their names.
    """

    word: Callable[[str], Callable[[Item], bool]]
    states: FilterStates[Item] = FilterStates((), lambda _: ())
    others: Mapping[str, FilterField[Item]] = MappingProxyType({})

    @property
    def fields(self) -> dict[str, FilterField[Item]]:
        """All fields by their names."""
        names = _STATE_FIELDS if self.states.choices else ()
        return {**{name: _state_field(name, self.states) for name in names}, **self.others}

    def completed(self, text: str) -> str:
        """``text`` with the word for a state, whose beginning it ends with after ``state:`` or
        ``is:``, written in full; "" where there is nothing to complete.
        """
        end = re.search(_STATE_END, text, re.I)
        if end is None:
            return ""
        begun = end["value"].casefold()
        word = next((w for w in self.states.choices if w.startswith(begun)), begun)
        return text[: end.start("value")] + word if word != begun else ""

    def parse(self, text: str) -> Filter[Item]:
        """The filter in ``text``.

        Raises:
            FilterError: a misspelt field, or a value without a meaning.
        """
        tests: list[Callable[[Item], bool]] = []
        words: list[str] = []
        fields = self.fields
        is_volatile = wants_done = False
        for name, value, is_negated in _terms(text, fields):
            field = fields.get(name)
            if field is None:
                word = value.casefold()
                words += [] if is_negated else [word]
                test = self.word(word)
                if self.states.meant(word):
                    test = _either(test, self.states.test(word))
                    is_volatile |= self.states.is_volatile
                    wants_done |= not is_negated and self.states.wants_done(word)
            else:
                test = field.test(value)
                is_volatile |= field.is_volatile
                wants_done |= not is_negated and field.wants_done(value)
            tests.append(_negated(test) if is_negated else test)
        return Filter(text.strip(), tuple(tests), tuple(words), is_volatile, wants_done)


def _terms(text: str, fields: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """The parts of a filter: the name of a field, or "" for a word; the value; and True if it is
    negated. Raises FilterError for a misspelt name of one of ``fields``.
    """
    for token in re.finditer(_TOKEN, text, re.VERBOSE):
        name, phrase = token["field"] or "", token["phrase"]
        value = (token["bare"] or "") if phrase is None else phrase
        if name and name.lower() not in fields:
            _refuse_misspelt(name, fields)
            name, value = "", f"{name}:{value}"
        if name or value:
            yield name.lower(), value, bool(token["minus"])


def _refuse_misspelt(name: str, fields: Collection[str]) -> None:
    """Any text may contain a colon: only what is nearly a field is taken for one."""
    near = difflib.get_close_matches(name.lower(), fields, n=1, cutoff=0.75)
    if near:
        raise FilterError(f"There is no filter {name}: here. Did you mean {near[0]}:?")


def _either(
    first: Callable[[Item], bool], second: Callable[[Item], bool]
) -> Callable[[Item], bool]:
    return lambda item: first(item) or second(item)


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
        part = value.casefold()

        def contains(item: Item) -> bool:
            for text in names(item):  # noqa: SIM110  (a generator takes twice as long)
                if part in text.casefold():
                    return True
            return False

        return contains

    return FilterField(test)


def _state_field(name: str, states: FilterStates[Item]) -> FilterField[Item]:
    """A field that takes the beginning of the word for a state."""
    choices = states.choices

    def chosen(value: str) -> frozenset[str]:
        if not value:
            raise FilterError(f"{name}: takes one of {', '.join(choices)}.")
        beginning = value.casefold()
        matches = [word for word in choices if f"{word}s".startswith(beginning)]
        if not matches:
            near = difflib.get_close_matches(beginning, choices, n=1)
            advice = f"Did you mean {name}:{near[0]}?" if near else f"States: {', '.join(choices)}."
            raise FilterError(f'"{value}" is not a state. {advice}')
        return frozenset(matches)

    def test(value: str) -> Callable[[Item], bool]:
        words = chosen(value)
        return lambda item: not words.isdisjoint(states.words(item))

    return FilterField(
        test, states.is_volatile, lambda value: not chosen(value).isdisjoint(states.done)
    )
