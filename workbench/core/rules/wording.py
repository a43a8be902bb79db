"""How rules name things in their messages, and guess what a misspelt name meant."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterable, Sequence

from workbench.core import jsonspan
from workbench.core.digest import json_type
from workbench.core.jsonspan import Path

# Names are other people's and may be of any length and number.
_LONGEST_SHOWN = 40
_MOST_LISTED = 12
_LONGEST_GUESSED = 80
_MOST_GUESSED = 200
# One slip in four letters. Less alike are different words: comment and content are 0.71.
_ALIKE = 0.75


def cut(text: str) -> str:
    """``text``, cut where it gets long."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def quoted(text: str) -> str:
    """``text`` as JSON writes it, cut where it gets long."""
    return jsonspan.dumps(cut(text))


def shown(value: object) -> str:
    """A scalar as JSON writes it; the type of anything larger."""
    if isinstance(value, str):
        return quoted(value)
    return json_type(value) if isinstance(value, dict | list) else cut(jsonspan.dumps(value))


def counted(number: int, unit: str) -> str:
    """``1 item``, ``2 items``."""
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def listed(names: Iterable[str]) -> str:
    """``a, b, c``; ``none`` for nothing."""
    all_names = [cut(name) for name in names]
    more = len(all_names) - _MOST_LISTED
    return ", ".join([*all_names[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])]) or "none"


def either(names: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def dotted(path: Path) -> str:
    """``a.b[0].c``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{cut(step)}" for step in path)
    return text.removeprefix(".")


def near(name: str, known: Iterable[str], taken: Container[str] = ()) -> list[str]:
    """The ``known`` names that are not ``taken`` and that ``name`` may mean, best first."""
    if len(name) > _LONGEST_GUESSED:
        return []
    free = [k for k in known if k != name and k not in taken and len(k) <= _LONGEST_GUESSED]
    plain: dict[str, list[str]] = {}
    for candidate in free[:_MOST_GUESSED]:
        plain.setdefault(_plain(candidate), []).append(candidate)
    matches = difflib.get_close_matches(_plain(name), plain, n=2, cutoff=_ALIKE)
    if matches and matches[0] == _plain(name):
        matches = matches[:1]
    return [candidate for match in matches for candidate in plain[match]]


def _plain(name: str) -> str:
    """``name`` without what spelling styles differ in: finishReason is finish_reason."""
    return name.replace("_", "").replace("-", "").casefold()


def did_you_mean(guesses: Sequence[str]) -> str:
    """The end of a sentence."""
    return f'; did you mean "{guesses[0]}"?' if guesses else ""
