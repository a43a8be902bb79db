"""Check the key settings of a project: Textual ignores unknown names and keys."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

import workbench.tui

_NAMED = frozenset({key.value for key in Keys} | set(KEY_NAME_REPLACEMENTS.values()))
_MODIFIERS = frozenset({"alt", "ctrl", "shift", "meta", "super", "hyper"})


def checked(keys: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Check ``keys``, which maps command names to keys.

    Returns:
        The usable part, and the errors in the rest, without full stops.
    """
    names = command_names()
    usable: dict[str, str] = {}
    problems: list[str] = []
    for name, value in keys.items():
        if name not in names:
            near = get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            problems.append(f"[tool.workbench.keys] {name!r} is not a command{meant}")
            continue
        good = [key for key in value.split(",") if _is_key(key.strip())]
        if good:
            usable[name] = ",".join(good)
        problems += [
            f"[tool.workbench.keys] {name}: {key!r} is not a key, such as ctrl+y or f5"
            for key in value.split(",")
            if key not in good
        ]
    return usable, problems


def command_names() -> dict[str, str]:
    """The names of all commands with their default keys."""
    return {key.id: key.key for keys in commands().values() for key in keys if key.id}


def commands() -> dict[str, list[Binding]]:
    """The keys of all commands, by the parts of the screen on which they act."""
    for module in pkgutil.walk_packages(workbench.tui.__path__, f"{workbench.tui.__name__}."):
        importlib.import_module(module.name)
    by_part: dict[str, list[Binding]] = {}
    for part in sorted(set(_parts(DOMNode)), key=lambda part: (part.__module__, part.__name__)):
        keys = [
            binding
            for binding in vars(part).get("BINDINGS", ())
            if isinstance(binding, Binding) and binding.id and binding.tooltip
        ]
        if keys:
            title = vars(part).get("BINDING_GROUP_TITLE") or part.__name__
            by_part.setdefault(title, []).extend(keys)
    return by_part


def _parts(base: type) -> Iterator[type]:
    """The classes of the package that derive from ``base``; some appear twice."""
    part: type
    for part in base.__subclasses__():
        if part.__module__.startswith(f"{workbench.__name__}."):
            yield part
        yield from _parts(part)


def _is_key(text: str) -> bool:
    *modifiers, key = text.split("+")
    is_key = len(key) == 1 or text in _NAMED or key in _NAMED or key_to_character(key)
    return bool(is_key) and _MODIFIERS.issuperset(modifiers)
