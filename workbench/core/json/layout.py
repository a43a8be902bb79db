"""Formats JSON without changing a token: numbers, escapes, keys and holes stay as typed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from workbench.core.json.holes import HOLE
from workbench.core.json.spans import STRING

_SCALAR: Final = re.compile(rf"""({HOLE.pattern}|{STRING}|[^][{{}}:,\s"‹]+)""")
_STRUCTURE: Final = re.compile(r"\{\s*\}|\[\s*\]|[][{}:,]")


def layout(text: str, indent: int | None) -> str:
    """``text``, which is JSON or will be once its holes are filled in, formatted.

    Args:
        indent: spaces per level, or None for one line.
    """
    parts = _SCALAR.split(text)
    level = 0
    for place in range(0, len(parts), 2):
        parts[place], level = _between(parts[place], level, indent)
    return "".join(parts)


@lru_cache(maxsize=4096)  # few different ones occur
def _between(text: str, level: int, indent: int | None) -> tuple[str, int]:
    """The text between two scalars, formatted, and the level after it."""

    def line_end() -> str:
        return "" if indent is None else "\n" + " " * indent * level

    parts: list[str] = []
    for token in _STRUCTURE.findall(text):
        if token in "{[":
            level += 1
            parts.append(token + line_end())
        elif token in "}]":
            level -= 1
            parts.append(line_end() + token)
        elif token == ",":
            parts.append(", " if indent is None else "," + line_end())
        else:
            parts.append(": " if token == ":" else token[0] + token[-1])
    return "".join(parts), level
