"""The text of an editor, and its rows: lines of any length and number at the cost of what is seen.

Textual's own take time for the whole text with every key, and end lines at characters (U+2028,
U+0085 and others) that are text in JSON.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final

from rich.cells import cell_len
from textual.document._document import Document, EditResult, Location
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset

from workbench.tui.inert import same_width

TAB: Final = 4

# What may be of another width than one cell; outside of these, nothing is.
_MAYBE_NOT_ONE_CELL: Final = re.compile(
    "[\t\u0300-\u036f\u0483-\u0489\u0590-\u1dff\u2000-\u200f\u2028-\u202f\u205f-\u209f"
    "\u20d0-\u218f\u2300-\U0010ffff]"
)
_ONE_ROW: Final[list[int]] = []


def drawn(text: str) -> str:
    """``text`` as it stands on the screen: tabs as blanks, what is unsafe as one visible cell."""
    if text.isascii() and text.isprintable():
        return text
    return same_width(text).replace("\t", " " * TAB)


def cells(text: str) -> int:
    """How wide ``text`` is drawn."""
    if text.isascii():
        return len(text) + (TAB - 1) * text.count("\t")
    return len(text) if _is_plain(text) else cell_len(drawn(text))


def _is_plain(text: str) -> bool:
    """Whether every character is known to take one cell."""
    if text.isascii():
        return "\t" not in text
    return not _MAYBE_NOT_ONE_CELL.search(text)


class EditorDocument(Document):
    """A text whose lines end at line feeds alone, or all at a carriage return and a line feed."""

    def __init__(self, text: str) -> None:
        crlf = text.count("\r\n")
        all_crlf = crlf and crlf == text.count("\n") == text.count("\r")
        self._newline = "\r\n" if all_crlf else "\n"
        self._lines = text.split(self._newline)

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        top, bottom = sorted((start, end))
        replaced = self.get_text_range(top, bottom)
        if self._newline == "\r\n":
            text = text.replace("\r\n", "\n")
        new = text.split("\n")
        lines = self._lines
        column = len(new[-1]) + (top[1] if len(new) == 1 else 0)
        after = lines[bottom[0]][bottom[1] :] if bottom[0] < len(lines) else ""
        new[0] = (lines[top[0]][: top[1]] if top[0] < len(lines) else "") + new[0]
        new[-1] += after
        lines[top[0] : bottom[0] + 1] = new
        return EditResult((top[0] + len(new) - 1, column), replaced)


class EditorRows(WrappedDocument):
    """The rows that a document takes in a width. Kept are the columns at which lines break; which
    row that is, is counted when it is asked for and breaks have changed.
    """

    def wrap(self, width: int, tab_width: int | None = None) -> None:  # noqa: ARG002
        self._width = width
        self._wrap_offsets = _all_breaks(self.document.lines, width)
        self._starts: Sequence[int] | None = None

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        top, old_bottom = sorted((start[0], old_end[0]))
        new = self.document.lines[top : max(start[0], new_end[0]) + 1]
        found = _all_breaks(new, self._width)
        before = self._wrap_offsets[top : old_bottom + 1]
        self._wrap_offsets[top : old_bottom + 1] = found
        if list(map(len, before)) != list(map(len, found)):
            self._starts = None

    @property
    def width(self) -> int:
        """The width the rows were made for."""
        return self._width

    @property
    def wrapped(self) -> bool:
        return self.height > len(self._wrap_offsets)

    @property
    def height(self) -> int:
        return self._row_starts[-1]

    @property
    def _row_starts(self) -> Sequence[int]:
        """The first row of each line, and behind them the number of rows."""
        if self._starts is None:
            if any(self._wrap_offsets):
                counts = (len(offsets) + 1 for offsets in self._wrap_offsets)
                self._starts = list(accumulate(counts, initial=0))
            else:
                self._starts = range(len(self._wrap_offsets) + 1)
        return self._starts

    def place(self, row: int) -> tuple[int, int]:
        """The line that stands in ``row``, and which of its rows that is."""
        starts = self._row_starts
        row = min(max(row, 0), starts[-1] - 1)
        line = bisect_right(starts, row) - 1
        return line, row - starts[line]

    def columns(self, line: int, section: int) -> tuple[int, int]:
        """Where one row of a line begins and ends."""
        offsets = self._wrap_offsets[line]
        section %= len(offsets) + 1
        start = offsets[section - 1] if section else 0
        end = offsets[section] if section < len(offsets) else len(self.document.get_line(line))
        return start, end

    def get_sections(self, line_index: int) -> list[str]:
        line, offsets = self.document.get_line(line_index), self._wrap_offsets[line_index]
        return [line[a:b] for a, b in pairwise([0, *offsets, len(line)])]

    def get_tab_widths(self, line_index: int) -> list[int]:
        return [TAB] * self.document.get_line(line_index).count("\t")

    def location_to_offset(self, location: Location) -> Offset:
        line, column = location
        offsets = self.get_offsets(line)
        section = bisect_right(offsets, column)
        start = offsets[section - 1] if section else 0
        x = cells(self.document.get_line(line)[start:column])
        return Offset(x, self._row_starts[line] + section)

    def offset_to_location(self, offset: Offset) -> Location:
        line, section = self.place(offset.y)
        return line, self.get_target_document_column(line, max(offset.x, 0), section)

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        start, end = self.columns(line_index, y_offset)
        line = self.document.get_line(line_index)
        column = fitting(line, start, x_offset, least=0)
        is_last = end == len(line)
        return min(column, end if is_last else end - 1)


def _all_breaks(lines: list[str], width: int) -> list[list[int]]:
    if not width or _are_short(lines, width):
        return [_ONE_ROW] * len(lines)
    return [
        _ONE_ROW
        if len(line) <= width and line.isascii() and "\t" not in line
        else breaks(line, width)
        for line in lines
    ]


def _are_short(lines: list[str], width: int) -> bool:
    """Whether each line is known to fit in one row, without a look at each in Python."""
    if max(map(len, lines), default=0) > width:
        return False
    text = "".join(lines)
    return text.isascii() and "\t" not in text


def breaks(line: str, width: int) -> list[int]:
    """The columns of ``line`` at which its further rows begin: behind a blank, or inside a word
    that is longer than a row.
    """
    is_plain = _is_plain(line)
    found: list[int] = []
    at = 0
    while True:
        end = at + width if is_plain else fitting(line, at, width)
        if end >= len(line):
            return found
        blank = max(line.rfind(" ", at, end), line.rfind("\t", at, end))
        at = blank + 1 if blank > at else end
        found.append(at)


def fitting(line: str, start: int, width: int, *, least: int = 1) -> int:
    """The column up to which ``line`` fits in ``width`` cells from ``start`` on.

    Args:
        least: how many characters are taken even if they are wider.
    """
    end = min(start + width, len(line))
    widest = TAB if "\t" in line[start:end] else 2
    while (excess := cells(line[start:end]) - width) > 0 and end > start + least:
        end = max(end - max(excess // widest, 1), start + least)
    # Some characters take no cell.
    while end < len(line) and cells(line[start : end + 1]) <= width:
        end += 1
    return end
