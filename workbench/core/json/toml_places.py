"""Where a TOML file says something, which the library does not tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_NUMBER = re.compile("[0-9][0-9_]{4300,}")


def place_of(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Line and column, from 1, where the last key of ``path`` is given its value.

    A line may name the key anywhere: in a comment, in a text of several lines, in another table. It
    is the one if the lines before it are TOML without the value, and with it, and those that
    belong to it, they have the value. Where no line is, as the key is written with escapes, the
    place is the beginning.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if path[-1] in line and _has(lines[:number], path) is False:
            ends = range(number + 1, len(lines) + 1)
            whole = (_has(lines[:end], path) for end in ends)
            if next((has for has in whole if has is not None), False):
                return number + 1, line.index(path[-1]) + 1
    return 1, 1


def place_and_reason(text: str, error: tomllib.TOMLDecodeError) -> tuple[int, int, str]:
    """Line and column of an error, from 1, and what is wrong there."""
    reason = str(error)
    if (match := _AT.search(reason)) is None:
        return 1, 1, reason
    if match[1]:
        return int(match[1]), int(match[2]), reason[: match.start()]
    line, column = _line_column(text, len(text.rstrip()))
    return line, column, reason[: match.start()]


def place_of_long_number(text: str) -> tuple[int, int]:
    """Line and column, from 1, of the first number that has more digits than Python reads."""
    match = _LONG_NUMBER.search(text)
    return _line_column(text, match.start() if match else 0)


def _line_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _has(lines: Sequence[str], path: Sequence[str]) -> bool | None:
    """Whether lines give ``path`` a value; None where they are no TOML."""
    try:
        value: object = tomllib.loads("".join(f"{line}\n" for line in lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
