"""Wrap lines to a width, in slices: a megabyte at once would hold up the keys."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

MAX_HANGING_INDENT = 12
# Rows laid out before the clock is checked again.
_AT_A_TIME = 64


class TextLine(str):
    """A line without unsafe characters. Only the part that is drawn becomes content, so that a
    hundred thousand lines cost little.
    """

    __slots__ = ()

    @property
    def plain(self) -> str:
        return self

    def cut(self, start: int, end: int) -> Content:
        """A part of it as content."""
        return Content(self[start:end])


class OneRow(NamedTuple):
    """A line that is truncated, not wrapped.

    Attributes:
        hidden: makes the text that follows it but is not shown.
    """

    content: Content
    hidden: Callable[[], str] = str

    @property
    def plain(self) -> str:
        return self.content.plain


Line = Content | TextLine | OneRow


def hidden_after(line: Line) -> str:
    """The text that follows a line but is not shown."""
    return line.hidden() if isinstance(line, OneRow) else ""


class ScreenRow(NamedTuple):
    """A row of the screen: a part of a line.

    Attributes:
        indent: blanks before it, if it continues an indented line.
    """

    line: int
    start: int
    end: int
    indent: int


def indent_of(text: str, width: int) -> int:
    """The indent of the rows after the first: the line's indent, within limits."""
    blanks = len(text) - len(text.lstrip(" "))
    return min(blanks, MAX_HANGING_INDENT, max(width - 8, 0))


def row_starts(text: str, width: int) -> Iterator[int]:
    """Where the rows of ``text`` begin, broken at blanks if possible."""
    yield 0
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return
    is_ascii = text.isascii()
    indent = indent_of(text, width)
    # Not after the leading blanks: that row would be empty.
    at, room, first_word = 0, width, len(text) - len(text.lstrip(" "))
    while True:
        end = at + room if is_ascii else _fitting(text, at, room)
        if end >= len(text):
            return
        blank = text.rfind(" ", at + max(first_word, 1), end + 1)
        at = end if blank < 0 else blank + 1
        if at >= len(text):
            return
        yield at
        room, first_word = max(width - indent, 2), 0


def _fitting(text: str, start: int, room: int) -> int:
    """The end of the longest part from ``start`` on that fits, at least one character."""
    end = min(start + room, len(text))
    while end > start + 1 and (over := cell_len(text[start:end]) - room) > 0:
        end -= max(over // 2, 1)
    return max(end, start + 1)


class LineLayout:
    """The rows of lines that are taken from ``source`` as they are needed."""

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
        """Start over if the width changed."""
        if width != self.width:
            self._restart(width)

    def __len__(self) -> int:
        """The number of rows laid out so far."""
        return len(self._row_lines)

    def reaches(self, *, row: int = 0, line: int = -1) -> bool:
        """True if this many rows, and this line, are laid out, or everything is."""
        return self.is_complete or (len(self._row_lines) >= row and len(self._first_rows) > line)

    def advance(self, seconds: float, *, row: int = 0, line: int = -1) -> bool:
        """Lay out more for some seconds, and in any case until there are ``row`` rows and line
        ``line``. Return True if everything is laid out.
        """
        until = monotonic() + seconds
        for _ in self._work:
            if self.reaches(row=row, line=line) and monotonic() >= until:
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
            self._first_rows.append(len(self._row_lines))
            line = self.lines[number]
            starts = (0,) if isinstance(line, OneRow) else row_starts(line.plain, self.width)
            for start in starts:
                self._row_lines.append(number)
                self._row_starts.append(start)
                if len(self._row_lines) % _AT_A_TIME == 0:
                    yield
            number += 1

    def row(self, number: int) -> ScreenRow:
        """A row that is laid out."""
        line, start = self._row_lines[number], self._row_starts[number]
        text = self.lines[line].plain
        following = number + 1
        continues = following < len(self._row_lines) and self._row_lines[following] == line
        # The next row may not be laid out yet; no row has more characters than this.
        end = self._row_starts[following] if continues else min(len(text), start + 4 * self.width)
        return ScreenRow(line, start, end, indent_of(text, self.width) if start else 0)

    def first_row(self, line: int) -> int:
        """The first row of a line; if it is not laid out, the next row that will be."""
        return self._first_rows[line] if line < len(self._first_rows) else len(self)

    def row_of(self, line: int, at: int) -> int:
        """The row that shows a character of a line."""
        first = self.first_row(line)
        after = self.first_row(line + 1)
        return max(bisect_right(self._row_starts, at, first, after) - 1, first)
