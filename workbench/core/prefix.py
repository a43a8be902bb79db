"""How long the common beginning of two texts is."""

from __future__ import annotations

from typing import AnyStr


def shared(one: AnyStr, other: AnyStr) -> int:
    """The length of the longest text that both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:  # equal up to low; the first difference is at high or before
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
