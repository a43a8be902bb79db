"""The differences of two JSON values, path by path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from workbench.core.text.common_prefix import prefix_length

# Shown for a side that has no value.
ABSENT: Final = "(absent)"
# The value of a side that has none.
MISSING: Final = object()
_EXCERPT: Final = 60


class Divergence(NamedTuple):
    """One place where two values differ.

    Attributes:
        where: such as ``messages[0].content``; "" for the whole value.
        before, after: the values as JSON; for two strings, the part that changed.
    """

    where: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.where or 'the value'}: {self.before} -> {self.after}"


def divergences(before: Any, after: Any) -> Iterator[Divergence]:
    """The places where two JSON values differ, in the order of the first.

    1 and 1.0 are equal, 1 and true are not.
    """
    for where, old, new in side_by_side(before, after):
        if isinstance(old, bool) != isinstance(new, bool) or old != new:
            if isinstance(old, str) and isinstance(new, str):
                yield Divergence(where, *_changed_words(old, new))
            else:
                yield Divergence(where, _json(old), _json(new))


def side_by_side(before: Any, after: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The values at the same places of two JSON values, in the order of the first one; objects
    and lists only beside something else.

    Args:
        at: the place of the two.
    """
    # Not recursive: values from files may nest deeper than Python allows calls to.
    waiting: list[tuple[str, Any, Any]] = [(at, before, after)]
    while waiting:
        where, old, new = waiting.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            keys = [*old, *(key for key in new if key not in old)]
            pairs = [
                (_member(where, key), old.get(key, MISSING), new.get(key, MISSING)) for key in keys
            ]
            waiting += reversed(pairs)
        elif isinstance(old, list) and isinstance(new, list):
            both = zip_longest(old, new, fillvalue=MISSING)
            waiting += reversed([(f"{where}[{i}]", a, b) for i, (a, b) in enumerate(both)])
        else:
            yield where, old, new


def first(before: Any, after: Any) -> Divergence | None:
    """The first place where two JSON values differ."""
    return next(divergences(before, after), None)


def _member(where: str, key: str) -> str:
    if not key.isidentifier():
        return f"{where}[{_json(key)}]"
    return f"{where}.{key}" if where else key


def _changed_words(old: str, new: str) -> tuple[str, str]:
    """Both strings from the start of the first different word, quoted and cut."""
    low = prefix_length(old, new)
    start = low
    while start and not old[start - 1].isspace() and low - start < _EXCERPT // 2:
        start -= 1
    return _json(_cut(old[start:], bool(start))), _json(_cut(new[start:], bool(start)))


def _cut(text: str, is_inside: bool) -> str:
    end = "…" if len(text) > _EXCERPT else ""
    return ("…" if is_inside else "") + text[:_EXCERPT] + end


def _json(value: Any) -> str:
    if value is MISSING:
        return ABSENT
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 2 * _EXCERPT else text[: 2 * _EXCERPT - 1] + "…"
