"""TOML files with places for error messages, which ``tomllib`` does not give."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.core.json.spans import line_column
from workbench.core.user_error import SettingsError

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class TomlFile:
    """The content of a TOML file, and where each value is.

    Raises:
        SettingsError: it cannot be read, or is not valid TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        data = b""
        try:
            data = path.read_bytes()
            self._text = data.decode("utf-8")
            self._tables: dict[str, Any] = tomllib.loads(self._text)
        except OSError as error:
            raise SettingsError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            before = data[: error.start].decode("utf-8")
            line, column = line_column(before, len(before))
            raise SettingsError(f"{path}:{line}:{column}: not UTF-8") from None
        except tomllib.TOMLDecodeError as error:
            line, column, reason = place_and_reason(self._text, error)
            raise SettingsError(f"{path}:{line}:{column}: not valid TOML: {reason}") from None
        except (ValueError, RecursionError) as error:  # a very long number, or very deep nesting
            raise SettingsError(f"{path}: {error}") from None

    def table(self, *names: str) -> dict[str, Any]:
        """The table of that name, empty if there is none. Raises SettingsError."""
        table = self._tables
        for depth, name in enumerate(names, start=1):
            value = table.get(name, {})
            if not isinstance(value, dict):
                place = self.place(*names[:depth])
                raise SettingsError(f"{place}: {name}: expected a table, found {value!r}")
            table = value
        return table

    def place(self, *names: str) -> str:
        """File, line and column where the last of ``names`` is given its value."""
        line, column = place_of(self._text, names)
        return f"{self.path}:{line}:{column}"


def place_of(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Line and column, from 1, of the value of the last key in ``path``.

    The key may occur in any line: in comments, in multi-line strings, in other tables. The right
    line is found by parsing: the lines before it are valid TOML without the value, and with the
    line and its continuation they have the value. If there is no such line, because the key is
    written with escapes, the place is the start of the file.
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
    """Line and column of an error, from 1, and its message without them."""
    reason = str(error)
    if (match := _AT.search(reason)) is None:
        return 1, 1, reason
    if match[1]:
        return int(match[1]), int(match[2]), reason[: match.start()]
    return *line_column(text, len(text.rstrip())), reason[: match.start()]


def _has(lines: Sequence[str], path: Sequence[str]) -> bool | None:
    """True if lines set ``path`` to a value; None if they are not valid TOML."""
    try:
        value: object = tomllib.loads("".join(f"{line}\n" for line in lines))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True
