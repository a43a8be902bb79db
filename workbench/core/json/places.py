"""Find places in valid JSON text: values, and characters inside a string.

JSON libraries report no places, but the reader of the standard library reads a value at an offset
and returns its end. So a container is read child by child, as deep as needed.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from workbench.core.json.spans import Edit, Path
from workbench.core.json.values import dumps

value_at = json.JSONDecoder().raw_decode
"""Reads the value at an offset in JSON text, at C speed: (text, start) -> (value, end)."""

_SPACE = re.compile(r"[ \t\n\r]*")
# The escape of one character; a surrogate pair is one.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)


class ValuePlace(NamedTuple):
    """The place of a value: of a member of an object, of an item of a list, or of the whole text.

    Attributes:
        step: the key or index in the container; "" of the whole text.
        key, key_end: the span of the key; empty, where the value begins, if it has none.
        start, end: the span of the value.
    """

    step: str | int
    key: int
    key_end: int
    start: int
    end: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def place_of(text: str, path: Path) -> ValuePlace:
    """The place of the value at ``path`` in ``text``, which is JSON. Raises KeyError."""
    place = _whole(text)
    for step in path:
        place = _by_step(text, place.start)[step]
    return place


# The containers on the way to a value are cached: many values are looked up one by one, and
# most of the way is the same.


@lru_cache(maxsize=16)
def _whole(text: str) -> ValuePlace:
    start = _skip(text, 0)
    return ValuePlace("", start, start, start, len(text.rstrip()))


@lru_cache(maxsize=16)
def children(text: str, at: int) -> tuple[ValuePlace, ...]:
    """The members or items of the value at ``at`` in ``text``, which is JSON; a scalar has none."""
    is_object = text[at] == "{"
    places: list[ValuePlace] = []
    while text[at] in ("," if places else "{["):
        key = key_end = start = _skip(text, at + 1)
        if text[key] in "}]":
            break
        step: str | int = len(places)
        if is_object:
            step, key_end = value_at(text, key)
            start = _skip(text, _skip(text, key_end) + 1)
        end = value_at(text, start)[1]
        places.append(ValuePlace(step, key, key_end, start, end))
        at = _skip(text, end)
    return tuple(places)


@lru_cache(maxsize=16)
def _by_step(text: str, at: int) -> dict[str | int, ValuePlace]:
    # Of duplicate keys the last counts, as for every reader.
    return {place.step: place for place in children(text, at)}


def _skip(text: str, at: int) -> int:
    """The next offset that is not white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


class StringPlaces:
    """Maps the characters of a string to offsets in its JSON literal, where escapes are longer. The
    literal, which is valid, begins with the quote at ``start``.
    """

    def __init__(self, text: str, start: int) -> None:
        # After each escape: the index in the string, and the offset in the text.
        self._indexes = [0]
        self._offsets = [start + 1]
        _, end = value_at(text, start)
        for escape in _ESCAPE.finditer(text, start + 1, end - 1):
            plain = escape.start() - self._offsets[-1]
            self._indexes.append(self._indexes[-1] + plain + 1)
            self._offsets.append(escape.end())

    def offset(self, index: int) -> int:
        """The offset of character ``index``; the length of the string gives the closing quote."""
        last = bisect_right(self._indexes, index) - 1
        return self._offsets[last] + index - self._indexes[last]

    def edits(self, edits: Iterable[Edit]) -> list[Edit]:
        """Edits of the string, as edits of the text that contains its literal."""
        return [
            Edit(self.offset(edit.start), self.offset(edit.end), dumps(edit.new)[1:-1])
            for edit in edits
        ]


@lru_cache(maxsize=16)
def string_places(text: str, start: int) -> StringPlaces:
    """The places of the characters of the string whose literal begins at ``start``."""
    return StringPlaces(text, start)
