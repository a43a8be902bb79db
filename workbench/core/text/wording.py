"""Numbers, sizes, times and lists in sentences, and guesses at misspelt names."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Final

# Names are external data, of any length and number.
_LONGEST_SHOWN: Final = 40
_MOST_LISTED: Final = 12
_LONGEST_GUESSED: Final = 80
_MOST_GUESSED: Final = 200
# One wrong letter in four. Below that they are different words: comment and content are 0.71.
_ALIKE: Final = 0.75


def counted(number: int, noun: str) -> str:
    """``1 draft``, ``1,200 drafts``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def sentence(text: str) -> str:
    """``text`` with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    is_teen = 10 < number % 100 < 20
    return f"{number}{'th' if is_teen else ('th', 'st', 'nd', 'rd', *['th'] * 6)[number % 10]}"


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


def duration(seconds: float) -> str:
    """``9s``, ``2m 9s``, ``1h 2m``."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    if hours:
        return f"{hours}h {minutes}m"
    return f"{minutes}m {whole % 60}s" if minutes else f"{whole}s"


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


def cut(text: str) -> str:
    """``text``, cut where it gets long."""
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def shortlist(names: Iterable[str]) -> str:
    """``a, b, c``; ``none`` for nothing."""
    all_names = [cut(name) for name in names]
    more = len(all_names) - _MOST_LISTED
    return ", ".join([*all_names[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])]) or "none"


def either(names: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def near(name: str, names: Iterable[str], taken: Container[str] = ()) -> list[str]:
    """Those of ``names``, not ``taken``, that ``name`` may mean, best first."""
    import difflib  # slow, and few names are misspelt

    if len(name) > _LONGEST_GUESSED:
        return []
    free = [k for k in names if k != name and k not in taken and len(k) <= _LONGEST_GUESSED]
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
