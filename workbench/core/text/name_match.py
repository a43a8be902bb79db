"""How well a name fits what you typed to find it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from workbench.core.text.common_prefix import prefix_length

# A word of get_weather, getWeather or get-weather.
_WORD: Final = re.compile(r"[A-Z]?[^A-Z_.\W]+|[A-Z]+")


class NameMatch(IntEnum):
    """From no match to the best one."""

    NONE = 0
    # Beginnings of consecutive words: "nv" or "nextv" for "Next view".
    PARTS = 1
    INSIDE = 2
    WORD = 3
    BEGINNING = 4
    WHOLE = 5


def name_match(typed: str, name: str) -> NameMatch:
    """How ``name`` fits ``typed``, upper and lower case alike; everything fits nothing typed."""
    typed, folded = typed.casefold(), name.casefold()
    if folded == typed:
        return NameMatch.WHOLE
    if folded.startswith(typed):
        return NameMatch.BEGINNING
    words = [(word.start(), word[0].casefold()) for word in _WORD.finditer(name)]
    if any(folded.startswith(typed, start) for start, _ in words):
        return NameMatch.WORD
    if typed in folded:
        return NameMatch.INSIDE
    return NameMatch.PARTS if _in_parts(typed, [word for _, word in words]) else NameMatch.NONE


def _in_parts(typed: str, words: Sequence[str]) -> bool:
    """``typed`` is put together of beginnings of the words, in their order."""
    if not typed:
        return True
    return any(
        _in_parts(typed[length:], words[number + 1 :])
        for number, word in enumerate(words)
        for length in range(prefix_length(typed, word), 0, -1)
    )
