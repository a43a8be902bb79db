"""Checks of the arguments that a test gives. An error names the argument, what is expected, and
what was given. The pytest plugin loads this in every project, so it loads nothing at first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__tracebackhide__ = True  # failed tests show their own frames

_LONGEST_SHOWN: Final = 80


def require(
    function: str,
    name: str,
    value: object,
    kinds: type | tuple[type, ...],
    expected: str,
) -> None:
    """Raise TypeError if ``value`` is not of ``kinds``.

    Args:
        function: as users write it, such as ``Reply.text``.
        name: name of the argument.
        expected: what to give, with an article or a type: ``a string (str)``.
    """
    if not isinstance(value, kinds):
        raise wrong_type(function, name, value, expected)


def require_path(
    function: str, name: str, value: object, expected: str, *, is_optional: bool = False
) -> None:
    """Raise TypeError if ``value`` is not a path, ValueError if it is empty."""
    if value == "":
        raise ValueError(f"{function}: {name} is empty; is a variable not set?")
    if not (is_optional and value is None):
        require(function, name, value, (str, os.PathLike), expected)


def no_file(path: Path) -> FileNotFoundError:
    """The error for a path that does not exist. The message names the part of the path that is
    missing, the folder in which it was looked for, and what may be meant or what is there.
    """
    from workbench.core.text.wording import did_you_mean, near
    from workbench.io.files.path_text import shown

    whole = path.absolute()
    folder = next(folder for folder in whole.parents if folder.is_dir())
    missing = whole.relative_to(folder).parts[0]
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:  # without permission
        return FileNotFoundError(f"{shown(path)} does not exist, or {folder} cannot be read")
    hint = did_you_mean(near(missing, names)) or f"; {_contents(names)}"
    return FileNotFoundError(f"{shown(path)} does not exist: {folder} has no {missing}{hint}")


def no_file_but_folder(path: Path) -> IsADirectoryError:
    """The error for a folder in the place of a file."""
    from workbench.io.files.path_text import shown

    contents = _contents(sorted(os.listdir(path)))
    return IsADirectoryError(f"{shown(path)} is a folder, not a file; {contents}")


def _contents(names: Sequence[str]) -> str:
    from workbench.core.text.wording import shortlist

    return f"it has {shortlist(names)}" if names else "it is empty"


def require_text(function: str, name: str, value: object) -> None:
    """Raise TypeError if ``value`` is not a string."""
    require(function, name, value, str, "a string")


def require_texts(function: str, **arguments: object) -> None:
    """Raise TypeError if one of the optional arguments is neither a string nor None."""
    for name, value in arguments.items():
        require(function, name, value, (str, type(None)), "a string")


def require_flags(function: str, **arguments: object) -> None:
    """Raise TypeError if one of the arguments is neither True nor False."""
    for name, value in arguments.items():
        require(function, name, value, bool, "True or False")


def require_number(function: str, name: str, value: object) -> None:
    """Raise TypeError if ``value`` is not a number; True and False are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(function, name, value, "a number")


def require_whole_number(
    function: str, name: str, value: object, least: int, most: int | None = None
) -> None:
    """Raise TypeError if ``value`` is not a whole number, ValueError if it is not from ``least`` to
    ``most``.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(function, name, value, "a whole number")
    if value < least or (most is not None and value > most):
        expected = f"at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{function}: {name} must be {expected}, got {value}")


def wrong_type(function: str, name: str, value: object, expected: str) -> TypeError:
    """The error for a value of the wrong type."""
    from workbench.core.text.inert import excerpt

    shown = excerpt(repr(value), _LONGEST_SHOWN)
    return TypeError(f"{function}: {name} must be {expected}, got {type(value).__name__}: {shown}")
