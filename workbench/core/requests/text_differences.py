"""Find the parts in which two strings differ, with volatile spans marked."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

from workbench.core.requests.volatile import VolatileKind, masked, spans
from workbench.core.text.common_prefix import prefix_length

# A word; in scripts without spaces between words, a character. Compiled on first use:
# with so large a range of characters that takes Python 3.11 some milliseconds.
WORD: Final = r"[^\W\u2e80-\uffff]+|[\u2e80-\uffff]"
_PIECE: Final = rf"\n|[^\S\n]+|{WORD}|[^\w\s]"
# How far before a difference the volatile span around it may begin.
_AROUND: Final = 80
# The time to compare grows with the square of this.
_MOST_COMPARED: Final = 1000
# A longer text between the first and the last difference is not compared by words.
_MOST_READ: Final = 200_000
# Many changes with little text between them are joined to one: it is another text.
_MOST_CHANGES: Final = 8
_LEAST_BETWEEN: Final = 4


class Change(NamedTuple):
    """``before[before_start:before_end]`` became ``after[after_start:after_end]``.

    Attributes:
        kind: of the volatile span that both are, else None.
    """

    before_start: int
    before_end: int
    after_start: int
    after_end: int
    kind: VolatileKind | None = None


class _Piece(NamedTuple):
    """A word, punctuation mark, space or volatile span of text; all spans of a kind have the same
    key.
    """

    key: str
    text: str
    start: int
    kind: VolatileKind | None = None

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def changes(before: str, after: str, *, is_joined: bool = True) -> list[Change]:
    """The parts in which ``after`` differs from ``before``, in order.

    Args:
        is_joined: changes that are close together are one, as people read them.
    """
    head = prefix_length(before, after)
    remaining = before[head:], after[head:]
    tail = prefix_length(remaining[0][::-1], remaining[1][::-1])
    # Where to begin, to see all of a volatile span in which the change may be.
    begin = 0
    if head > _AROUND:
        begin = max(before.find(" ", head - _AROUND, head), head - _AROUND)
    # Read around the change as far as a volatile span may reach.
    b_window = before[begin : len(before) - tail + _AROUND]
    a_window = after[begin : len(after) - tail + _AROUND]
    # Masks have null characters, so a string that contains one is compared by words.
    has_null = "\0" in b_window or "\0" in a_window
    if not has_null and masked(b_window) == masked(a_window):
        return [
            Change(begin + b.start, begin + b.end, begin + a.start, begin + a.end, b.kind)
            for b, a in zip(spans(b_window), spans(a_window), strict=True)
            if b_window[b.start : b.end] != a_window[a.start : a.end]
        ]
    if max(len(b_window), len(a_window)) > _MOST_READ:
        return [Change(head, len(before) - tail, head, len(after) - tail)]
    parts = list(_changes(_pieces(b_window, begin), _pieces(a_window, begin)))
    return _joined(parts) if is_joined else parts


def _pieces(window: str, begin: int) -> list[_Piece]:
    """The pieces of a part of a string that begins at ``begin``. The last piece is the
    empty end.
    """
    pieces: list[_Piece] = []
    at = 0
    for span in spans(window):
        pieces += _words(window, at, span.start, begin)
        volatile = window[span.start : span.end]
        pieces.append(_Piece(f"\0{span.kind}", volatile, begin + span.start, span.kind))
        at = span.end
    pieces += _words(window, at, len(window), begin)
    return [*pieces, _Piece("", "", begin + len(window))]


def _words(window: str, start: int, end: int, begin: int) -> Iterator[_Piece]:
    for match in re.compile(_PIECE).finditer(window, start, end):
        yield _Piece(match[0], match[0], begin + match.start())


def _changes(before: Sequence[_Piece], after: Sequence[_Piece]) -> Iterator[Change]:
    for same, b1, b2, a1, a2 in _aligned(before, after):
        if not same:
            # The last piece is in no such range, because it is the same in both strings.
            yield Change(before[b1].start, before[b2].start, after[a1].start, after[a2].start)
            continue
        for b, a in zip(before[b1:b2], after[a1:a2], strict=True):
            if b.text != a.text:
                yield Change(b.start, b.end, a.start, a.end, b.kind)


def _aligned(
    before: Sequence[_Piece], after: Sequence[_Piece]
) -> Iterator[tuple[bool, int, int, int, int]]:
    """Equal and different ranges of pieces: by lines, and by words where lines differ."""
    b_keys, a_keys = [piece.key for piece in before], [piece.key for piece in after]
    b_starts, a_starts = _line_starts(b_keys), _line_starts(a_keys)
    lines = compared(_lines(b_keys, b_starts), _lines(a_keys, a_starts))
    for same, b1, b2, a1, a2 in lines:
        b, b_end, a, a_end = b_starts[b1], b_starts[b2], a_starts[a1], a_starts[a2]
        if same:
            yield True, b, b_end, a, a_end
            continue
        for is_equal, w1, w2, v1, v2 in compared(b_keys[b:b_end], a_keys[a:a_end]):
            yield is_equal, b + w1, b + w2, a + v1, a + v2


def _line_starts(keys: list[str]) -> list[int]:
    """The places among ``keys`` where lines begin, and where the last one ends."""
    return [0, *(place for place, key in enumerate(keys, start=1) if key == "\n"), len(keys)]


def _lines(keys: list[str], starts: list[int]) -> list[tuple[str, ...]]:
    return [tuple(keys[start:end]) for start, end in pairwise(starts)]


def compared(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> Iterator[tuple[bool, int, int, int, int]]:
    """Equal and different blocks of two sequences: True if equal, and the ranges in each. To bound
    the time, everything between the equal ends of long sequences is one block.
    """
    head = 0
    shorter = min(len(before), len(after))
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    b_end, a_end = len(before) - tail, len(after) - tail
    if head:
        yield True, 0, head, 0, head
    if max(b_end, a_end) - head > _MOST_COMPARED:
        yield False, head, b_end, head, a_end
    elif b_end > head or a_end > head:
        middle = SequenceMatcher(None, before[head:b_end], after[head:a_end])
        for tag, b1, b2, a1, a2 in middle.get_opcodes():
            yield tag == "equal", head + b1, head + b2, head + a1, head + a2
    if tail:
        yield True, b_end, len(before), a_end, len(after)


def _joined(changes: list[Change]) -> list[Change]:
    """Changes with those that are close together joined; all of them, where there are many."""
    words = [change for change in changes if change.kind is None]
    is_many = len(words) > _MOST_CHANGES
    joined: list[Change] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last is not None and last.kind is None and change.kind is None:
            between = change.after_start - last.after_end
            if is_many or between < _LEAST_BETWEEN:
                joined[-1] = Change(
                    last.before_start, change.before_end, last.after_start, change.after_end
                )
                continue
        joined.append(change)
    return joined
