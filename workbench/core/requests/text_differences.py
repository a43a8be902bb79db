"""The parts in which two texts differ, with volatile spans marked as such."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from workbench.core import prefix
from workbench.core.requests.volatile import Kind, masked, spans

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


@dataclass(frozen=True, slots=True)
class Change:
    """``before[before_start:before_end]`` became ``after[after_start:after_end]``.

    Attributes:
        kind: of the volatile span that both are, else None.
    """

    before_start: int
    before_end: int
    after_start: int
    after_end: int
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word, punctuation mark, space or volatile span of a text; all spans of a kind have one
    key.
    """

    key: str
    text: str
    start: int
    kind: Kind | None = None

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_Block = tuple[bool, Sequence[_Piece], Sequence[_Piece], int, int]
"""Whether the pieces of both texts are equal, the pieces, and where they begin."""


def changes(before: str, after: str) -> list[Change]:
    """The parts in which ``after`` differs from ``before``, in order."""
    head = prefix.shared(before, after)
    rest = before[head:], after[head:]
    tail = prefix.shared(rest[0][::-1], rest[1][::-1])
    begin = _gap_before(before, head)
    # Read around the change as far as a volatile span may reach.
    b_window = before[begin : len(before) - tail + _AROUND]
    a_window = after[begin : len(after) - tail + _AROUND]
    # Masks have null characters: a text that has any is compared by words.
    has_null = "\0" in b_window or "\0" in a_window
    if not has_null and masked(b_window) == masked(a_window):
        return _volatile_changes(b_window, a_window, begin)
    if max(len(b_window), len(a_window)) > _MOST_READ:
        return [Change(head, len(before) - tail, head, len(after) - tail)]
    blocks = _blocks(_pieces(b_window, begin), _pieces(a_window, begin), (begin, begin))
    return _joined([change for block in blocks for change in _changes(block)])


def _volatile_changes(before: str, after: str, begin: int) -> list[Change]:
    """The changes of texts that differ only in volatile spans."""
    return [
        Change(begin + b.start, begin + b.end, begin + a.start, begin + a.end, b.kind)
        for b, a in zip(spans(before), spans(after), strict=True)
        if before[b.start : b.end] != after[a.start : a.end]
    ]


def _gap_before(text: str, at: int) -> int:
    """Where to begin reading, to see all of a volatile span that ``at`` is in."""
    if at <= _AROUND:
        return 0
    return max(text.find(" ", at - _AROUND, at), at - _AROUND)


def _pieces(window: str, begin: int) -> list[_Piece]:
    """The pieces of a part of a text that begins at ``begin``."""
    found: list[_Piece] = []
    at = 0
    for span in spans(window):
        found += _words(window, at, span.start, begin)
        volatile = window[span.start : span.end]
        found.append(_Piece(f"\0{span.kind}", volatile, begin + span.start, span.kind))
        at = span.end
    return [*found, *_words(window, at, len(window), begin)]


def _words(window: str, start: int, end: int, begin: int) -> Iterator[_Piece]:
    for match in re.compile(_PIECE).finditer(window, start, end):
        yield _Piece(match[0], match[0], begin + match.start())


def _blocks(
    before: Sequence[_Piece], after: Sequence[_Piece], at: tuple[int, int]
) -> Iterator[_Block]:
    """Both texts as blocks that are equal or not: by lines, and by words where lines differ."""
    b_lines, a_lines = _lines(before), _lines(after)
    b_keys = [tuple(piece.key for piece in line) for line in b_lines]
    a_keys = [tuple(piece.key for piece in line) for line in a_lines]
    for same, b1, b2, a1, a2 in compared(b_keys, a_keys):
        b_block = [piece for line in b_lines[b1:b2] for piece in line]
        a_block = [piece for line in a_lines[a1:a2] for piece in line]
        if same:
            yield True, b_block, a_block, *at
        else:
            yield from _word_blocks(b_block, a_block, at)
        at = (b_block[-1].end if b_block else at[0], a_block[-1].end if a_block else at[1])


def _word_blocks(
    before: Sequence[_Piece], after: Sequence[_Piece], at: tuple[int, int]
) -> Iterator[_Block]:
    b_keys, a_keys = [p.key for p in before], [p.key for p in after]
    for same, b1, b2, a1, a2 in compared(b_keys, a_keys):
        yield same, before[b1:b2], after[a1:a2], *at
        at = (before[b2 - 1].end if b2 else at[0], after[a2 - 1].end if a2 else at[1])


def _lines(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    lines: list[list[_Piece]] = [[]]
    for piece in pieces:
        lines[-1].append(piece)
        if piece.key == "\n":
            lines.append([])
    return lines


def compared(
    before: Sequence[Hashable], after: Sequence[Hashable]
) -> Iterator[tuple[bool, int, int, int, int]]:
    """Equal and different blocks of two sequences, as whether they are equal and the ranges in
    each. To bound the time, everything between the equal ends of long sequences is one block.
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


def _changes(block: _Block) -> Iterator[Change]:
    same, before, after, b_at, a_at = block
    if not same:
        b_end = before[-1].end if before else b_at
        a_end = after[-1].end if after else a_at
        yield Change(b_at, b_end, a_at, a_end)
        return
    for b, a in zip(before, after, strict=True):
        if b.text != a.text:
            yield Change(b.start, b.end, a.start, a.end, b.kind)


def _joined(found: list[Change]) -> list[Change]:
    """``found`` with changes that are close together joined; all of them, where there are many."""
    words = [change for change in found if change.kind is None]
    is_many = len(words) > _MOST_CHANGES
    joined: list[Change] = []
    for change in found:
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
