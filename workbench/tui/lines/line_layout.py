"""Lines wrapped to a width, a piece at a time: a megabyte takes longer than a key may."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

MAX_HANGING_INDENT = 12
# Rows laid out between two looks at the clock.
_AT_A_TIME = 64


class TextLine(str):
    """A line that is safe to draw and becomes content only when it is drawn, and only the part of
    it that is. A hundred thousand of them cost little.
    """

    __slots__ = ()

    @property
    def plain(self) -> str:
        return self

    def cut(self, start: int, end: int) -> Content:
        """A part of it as content."""
        return Content(self[start:end])


class OneRow(NamedTuple):
    """A line that is cut where there is no more room, not wrapped."""

    content: Content

    @property
    def plain(self) -> str:
        return self.content.plain


class Parts(NamedTuple):
    """A line of parts, broken between two of them rather than inside one.

    Attributes:
        starts: where the parts begin.
    """

    content: Content
    starts: Sequence[int]

    @property
    def plain(self) -> str:
        return self.content.plain


Line = Content | TextLine | OneRow | Parts


class Row(NamedTuple):
    """A row of the screen: the part of a line that stands in it.

    Attributes:
        indent: blanks before it, where it goes on with a line that is indented.
    """

    line: int
    start: int
    end: int
    indent: int


def indent_of(text: str, width: int) -> int:
    """How far the rows after the first are indented: as far as the line is."""
    blanks = len(text) - len(text.lstrip(" "))
    return min(blanks, MAX_HANGING_INDENT, max(width - 8, 0))


def row_starts(text: str, width: int, parts: Sequence[int] = ()) -> Iterator[int]:
    """Where the rows of ``text`` begin, broken where parts begin, else at blanks where there are
    any.
    """
    yield 0
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return
    is_ascii = text.isascii()
    indent = indent_of(text, width)
    # A row of blanks alone would be no place to break.
    at, room, first_word = 0, width, len(text) - len(text.lstrip(" "))
    while True:
        end = at + room if is_ascii else _fitting(text, at, room)
        if end >= len(text):
            return
        part = next((start for start in reversed(parts) if at < start <= _behind(text, end)), None)
        blank = text.rfind(" ", at + max(first_word, 1), end + 1)
        at = part or (end if blank < 0 else blank + 1)
        if at >= len(text):
            return
        yield at
        room, first_word = max(width - indent, 2), 0


def _behind(text: str, end: int) -> int:
    """Where what follows the blanks at ``end`` begins: they need no room."""
    return end + len(text[end:]) - len(text[end:].lstrip(" "))


def _fitting(text: str, start: int, room: int) -> int:
    """The end of the longest part from ``start`` on that has room, one character at least."""
    end = min(start + room, len(text))
    while end > start + 1 and (over := cell_len(text[start:end]) - room) > 0:
        end -= max(over // 2, 1)
    return max(end, start + 1)


class LineLayout:
    """Takes lines from ``source`` as far as they are wanted."""

    def __init__(self, source: Iterable[Line]) -> None:
        self.lines: list[Line] = []
        self._source = iter(source)
        self._restart(0)

    def _restart(self, width: int) -> None:
        self.width = width
        self.is_complete = False
        self._row_lines = array("l")
        self._row_starts = array("l")
        self._first_rows = array("l")
        self._work = self._run()

    def set_width(self, width: int) -> None:
        """Begin anew for another width."""
        if width != self.width:
            self._restart(width)

    def __len__(self) -> int:
        """The number of rows laid out by now."""
        return len(self._row_lines)

    def advance(self, seconds: float, *, row: int = 0, line: int = -1) -> bool:
        """Lay out more, for so many seconds and in any case until ``row`` rows and ``line`` are;
        returns whether all is.
        """
        until = monotonic() + seconds
        for _ in self._work:
            wanted = len(self) >= row and len(self._first_rows) > line
            if wanted and monotonic() >= until:
                return False
        self.is_complete = True
        return True

    def _run(self) -> Iterator[None]:
        if not self.width:
            return
        number = 0
        while True:
            if number == len(self.lines):
                made = next(self._source, None)
                if made is None:
                    return
                self.lines.append(made)
            self._first_rows.append(len(self))
            line = self.lines[number]
            for start in self._starts_of(line):
                self._row_lines.append(number)
                self._row_starts.append(start)
                if len(self) % _AT_A_TIME == 0:
                    yield
            number += 1

    def _starts_of(self, line: Line) -> Iterable[int]:
        if isinstance(line, OneRow):
            return (0,)
        parts = line.starts if isinstance(line, Parts) else ()
        return row_starts(line.plain, self.width, parts)

    def row(self, number: int) -> Row:
        """What stands in a row that is laid out."""
        line, start = self._row_lines[number], self._row_starts[number]
        text = self.lines[line].plain
        following = number + 1
        goes_on = following < len(self) and self._row_lines[following] == line
        # No row holds more characters than this, however narrow they are.
        end = self._row_starts[following] if goes_on else min(len(text), start + 4 * self.width)
        return Row(line, start, end, indent_of(text, self.width) if start else 0)

    def first_row(self, line: int) -> int:
        """The first row of a line; of one that is not laid out, the row after all that are."""
        return self._first_rows[line] if line < len(self._first_rows) else len(self)

    def row_of(self, line: int, at: int) -> int:
        """The row that shows a character of a line."""
        first = self.first_row(line)
        after = self.first_row(line + 1)
        return max(bisect_right(self._row_starts, at, first, after) - 1, first)
