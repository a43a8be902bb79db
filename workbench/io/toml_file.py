"""TOML files whose complaints name the place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from workbench.core.json.toml_places import place_and_reason, place_of, place_of_long_number


class TomlError(Exception):
    """A file that cannot be used; the text names file, line and column."""


class TomlFile:
    """What a TOML file holds, and where.

    Raises:
        TomlError: it cannot be read, or is no TOML.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        data = b""
        try:
            data = path.read_bytes()
            self._text = data.decode("utf-8")
            self._tables: dict[str, Any] = tomllib.loads(self._text)
        except OSError as error:
            raise TomlError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            line, column = _byte_place(data, error.start)
            raise TomlError(f"{path}:{line}:{column}: not UTF-8") from None
        except tomllib.TOMLDecodeError as error:
            line, column, reason = place_and_reason(self._text, error)
            raise TomlError(f"{path}:{line}:{column}: not valid TOML: {reason}") from None
        except ValueError:  # of ``int``, to which the library leaves a number
            line, column = place_of_long_number(self._text)
            reason = "a number with too many digits"
            raise TomlError(f"{path}:{line}:{column}: not valid TOML: {reason}") from None
        except RecursionError:
            raise TomlError(f"{path}: not valid TOML: nested too deeply") from None

    def table(self, *names: str) -> dict[str, Any]:
        """The table of that name; empty where there is none. Raises TomlError for what is none."""
        found = self._tables
        for depth, name in enumerate(names, start=1):
            value = found.get(name, {})
            if not isinstance(value, dict):
                place = self.place(*names[:depth])
                raise TomlError(f"{place}: {name}: expected a table, found {value!r}")
            found = value
        return found

    def place(self, *names: str) -> str:
        """File, line and column where the last of ``names`` is given its value."""
        line, column = place_of(self._text, names)
        return f"{self.path}:{line}:{column}"


def _byte_place(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column of a byte, from 1."""
    before = data[:offset].decode("utf-8")
    return before.count("\n") + 1, len(before) - before.rfind("\n")
