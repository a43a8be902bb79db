"""Places in a valid JSON text: of values, and of characters inside a string.

No JSON library gives places, but the reader of the standard library reads a value at an offset and
says where it ends: so a container is read child by child, as deep as a place is needed.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from workbench.core.json.spans import Edit, Path
from workbench.core.json.values import dumps

# Reads one value at C speed: (text, start) -> (value, end).
_read_value = json.JSONDecoder().scan_once  # type: ignore[attr-defined]

_SPACE = re.compile(r"[ \t\n\r]*")
# The escape of one character; a surrogate pair is one.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)


class Child(NamedTuple):
    """A member of an object, or an item of a list, and its place.

    Attributes:
        step: the key or index.
        key, key_end: the span of the key; an item has an empty one, where its value begins.
        start, end: the span of the value.
    """

    step: str | int
    key: int
    key_end: int
    start: int
    end: int


@lru_cache(maxsize=16)  # the fixes of a document are made one by one
def children(text: str, at: int) -> tuple[Child, ...]:
    """The members or items of the value at ``at`` in ``text``, which is JSON; a scalar has none."""
    is_object = text[at] == "{"
    found: list[Child] = []
    while text[at] in ("," if found else "{["):
        key = key_end = start = _skip(text, at + 1)
        if text[key] in "}]":
            break
        step: str | int = len(found)
        if is_object:
            step, key_end = scanstring(text, key + 1, True)
            start = _skip(text, _skip(text, key_end) + 1)
        end = _read_value(text, start)[1]
        found.append(Child(step, key, key_end, start, end))
        at = _skip(text, end)
    return tuple(found)


class Place(NamedTuple):
    """The offsets of a value in a text.

    Attributes:
        key: of its key; of the value itself if it has none.
    """

    key: int
    value: int


def value_places(text: str, paths: Iterable[Path]) -> dict[Path, Place]:
    """The places of several values of ``text``, which is JSON, in one pass over it.

    Raises:
        KeyError: there is no such value.
    """
    start = _skip(text, 0)
    places: dict[Path, Place] = {(): Place(start, start)}
    open_parts: list[tuple[Path, list[Path]]] = [((), [path for path in set(paths) if path])]
    while open_parts:
        parent, wanted = open_parts.pop()
        by_step: dict[str | int, list[Path]] = {}
        for path in wanted:
            by_step.setdefault(path[len(parent)], []).append(path)
        if by_step:
            # Of duplicate keys the last counts, as for every reader.
            found = {
                child.step: Place(child.key, child.start)
                for child in children(text, places[parent].value)
                if child.step in by_step
            }
            for step, below in by_step.items():
                inner = (*parent, step)
                places[inner] = found[step]
                open_parts.append((inner, [path for path in below if len(path) > len(inner)]))
    return places


def value_offset(text: str, path: Path) -> int:
    """The offset of the value at ``path`` in ``text``, which is JSON. Raises KeyError."""
    return value_places(text, [path])[path].value


def value_span(text: str, path: Path) -> tuple[int, int]:
    """The span of the value at ``path`` in ``text``, which is JSON. Raises KeyError."""
    start = value_offset(text, path)
    return start, value_at(text, start)[1]


def value_at(text: str, offset: int) -> tuple[Any, int]:
    """The value at ``offset`` in ``text``, which is JSON, and the offset of its end."""
    return _read_value(text, offset)  # type: ignore[no-any-return]


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
        _, end = scanstring(text, start + 1, True)
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
