"""Numbers, sizes, times and lists in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """``1 draft``, ``1,200 drafts``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def mebibytes(size: int) -> str:
    """``64 MiB``, for a size in bytes."""
    return f"{size // (1024 * 1024)} MiB"


def listed(words: Sequence[str]) -> str:
    """``one``, ``one and two``, ``one, two and three``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def brief_time(seconds: float) -> str:
    """``40s``, ``2m``, ``3h``, ``5d``."""
    whole = int(seconds)
    for limit, unit, length in ((60, "s", 1), (3600, "m", 60), (86400, "h", 3600)):
        if whole < limit:
            return f"{whole // length}{unit}"
    return f"{whole // 86400}d"


def brief_count(number: int) -> str:
    """``999``, ``1k``, ``12k``, ``3M``."""
    for limit, unit, size in ((1000, "", 1), (1_000_000, "k", 1000)):
        if number < limit:
            return f"{number // size}{unit}"
    return f"{number // 1_000_000}M"


def countdown(seconds: float) -> str:
    """``4:48``; from an hour on ``1:04:48``."""
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
