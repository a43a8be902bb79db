"""Places in JSON texts, edits of them, and values compared and written as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of ``offset``, both from 1; only ``\\n`` ends a line."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def is_json(text: str) -> bool:
    """Whether ``text`` is JSON that Python can read."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def same(a: object, b: object) -> bool:
    """Whether two values have the same JSON text, apart from the order of keys: 1, 1.0 and True are
    different.
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


def dumps(value: object, *, indent: int | str | None = None) -> str:
    """JSON as in our files: unescaped but for lone surrogates, which UTF-8 cannot encode."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
