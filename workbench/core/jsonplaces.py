"""Places in a JSON text that is known to be one: of a path, of a character inside a string.

``jsonspan.scan`` knows every place, at the price of a pass over the whole text in Python. Most
questions are about one, and the library's reader skips what stands before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]

from workbench.core.jsonspan import Edit, Path, Scan, dumps

# Reads one value at C speed: (text, start) -> (value, end).
_read_value = json.JSONDecoder().scan_once  # type: ignore[attr-defined]

_SPACE = re.compile(r"[ \t\n\r]*")
# One character of a string: half of a surrogate pair is none.
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)


def value_offset(text: str, path: Path, *, key: bool = False) -> int:
    """Where the value at ``path`` begins in ``text``, which is JSON, without a scan of all of it.

    Args:
        key: of the last step, where it is a key, the place of the key instead.

    Raises:
        KeyError: there is no such value.
    """
    start = at = _skip(text, 0)
    for step in path:
        start, at = _child_offsets(text, at, step)
    return start if key else at


def value_span(text: str, path: Path) -> tuple[int, int]:
    """Where the value at ``path`` stands in ``text``, which is JSON. Raises KeyError."""
    start = value_offset(text, path)
    return start, _read_value(text, start)[1]


def _child_offsets(text: str, at: int, step: str | int) -> tuple[int, int]:
    """Where the part ``step`` of the container at ``at`` and its value begin; of equal keys the
    last, as readers take it.
    """
    is_object = text[at] == "{"
    found: tuple[int, int] | None = None
    index = 0
    while text[at] in "{[,":
        start = value = _skip(text, at + 1)
        if text[start] in "}]":
            break
        name: str | int = index
        if is_object:
            name, end = scanstring(text, start + 1, True)
            value = _skip(text, _skip(text, end) + 1)
        if name == step and type(name) is type(step):
            found = start, value
        at = _skip(text, _read_value(text, value)[1])
        index += 1
    if found is None:
        raise KeyError(step)
    return found


def _skip(text: str, at: int) -> int:
    """The next place that is no white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def path_at(document: Scan, offset: int) -> Path:
    """The path of the innermost value that holds ``offset``; a key belongs to its value."""
    path: list[str | int] = []
    node = document.root
    while True:
        member = next((m for m in node.members if m.start <= offset < m.node.end), None)
        item = next((i for i, n in enumerate(node.items) if n.start <= offset < n.end), None)
        if member is not None:
            path.append(member.key)
            node = member.node
        elif item is not None:
            path.append(item)
            node = node.items[item]
        else:
            return tuple(path)


def string_offset(text: str, start: int, index: int) -> int:
    """Where character ``index`` of a string stands in the text of its literal, escapes counted.

    Args:
        start: place of the literal's opening quote.
        index: up to the string's length, which gives the place of the closing quote.
    """
    at = start + 1
    while True:
        escape = text.find("\\", at, at + index)
        if escape < 0:
            return at + index
        index -= escape - at + 1
        at = escape + _escape_length(text, escape)


def _escape_length(text: str, at: int) -> int:
    match = _ESCAPE.match(text, at)
    return len(match[0]) if match else 1


def edits_inside(text: str, start: int, edits: Sequence[Edit]) -> list[Edit]:
    """Edits of a string, as edits of the text that holds its literal at ``start``."""
    return [
        Edit(
            string_offset(text, start, edit.start),
            string_offset(text, start, edit.end),
            dumps(edit.new)[1:-1],
        )
        for edit in edits
    ]
