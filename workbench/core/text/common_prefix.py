"""The length of the common prefix of two strings."""

from __future__ import annotations

from typing import AnyStr


def prefix_length(text: AnyStr, other: AnyStr) -> int:
    """The length of the common prefix."""
    low, high = 0, min(len(text), len(other))
    while low < high:  # equal up to low; the first difference is at high or before
        middle = (low + high + 1) // 2
        if text[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
