"""The first difference of two bodies."""

from __future__ import annotations

from typing import Final, NamedTuple

from workbench.core.text.common_prefix import prefix_length

EXCERPT_BYTES: Final = 40
# A character has at most three bytes after its first.
_MAX_FOLLOWING: Final = 3


class BodyDifference(NamedTuple):
    """The first place where two bodies differ.

    Attributes:
        byte: counted from 0.
        expected, actual: the beginning of the rest of each body; "" at its end.
    """

    byte: int
    expected: str
    actual: str


def first_difference(expected: bytes, actual: bytes) -> BodyDifference | None:
    """The first difference of two bodies; None where they are equal."""
    if expected == actual:
        return None
    at = prefix_length(expected, actual)
    return BodyDifference(at, _excerpt(expected, at), _excerpt(actual, at))


def _excerpt(data: bytes, at: int) -> str:
    """The text from ``at`` on, cut, in whole characters."""
    start = _character_start(data, at)
    end = _character_start(data, min(start + EXCERPT_BYTES, len(data)))
    return data[start:end].decode("utf-8", "backslashreplace")


def _character_start(data: bytes, at: int) -> int:
    """The start of the character that ``at`` lies in; ``at`` itself where no such is near."""
    for start in range(at, max(at - _MAX_FOLLOWING, 0) - 1, -1):
        if start >= len(data) or data[start] & 0xC0 != 0x80:
            return start
    return at
