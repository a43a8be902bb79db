"""The positions of a list's rows on lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.tui.widgets.row_list import RowList


class RowLines:
    """The lines of a list that scroll, by numbers from 0: one above the block of its query, where
    there is one, then the rows.

    Attributes:
        head: how many lines above them stay, for the titles of the columns.
    """

    def __init__(self, rows: RowList[Any]) -> None:
        self._rows = rows
        self.head = rows.HEAD_HEIGHT

    def set_head(self, is_shown: bool) -> None:
        """Show the titles of the columns, or give their line to the rows."""
        head = self._rows.HEAD_HEIGHT if is_shown else 0
        if head != self.head:
            self.head = head
            self._rows.set_height(head + self.count)
            self._rows.refresh_all()

    @property
    def first(self) -> int:
        """The line of the first row."""
        return 1 if self._rows.list_query.block else 0

    @property
    def count(self) -> int:
        return self.first + len(self._rows.keys)

    @property
    def height(self) -> int:
        """How many of them fit."""
        return max(self._rows.rows_high - self.head, 0)

    @property
    def cursor(self) -> int:
        """The line of the selected row; -1 for none."""
        place = self._rows.cursor_place
        return place + self.first if place >= 0 else -1

    @property
    def in_view(self) -> Sequence[str]:
        """The keys of the rows in view."""
        first = self._rows.top - self.first
        return self._rows.keys[max(first, 0) : max(first + self.height, 0)]

    def place_at(self, y: int) -> int:
        """The number of the row that is drawn on a line of the list; negative above the rows."""
        return y - self.head + self._rows.top - self.first

    def is_in_view(self, line: int) -> bool:
        return self._rows.top <= line < self._rows.top + self.height

    def show_block(self) -> None:
        """Bring the block into view, unless the selected row would leave it."""
        if self._rows.list_query.block and self._rows.top and self.cursor < self.height:
            self._rows.scroll_to_row(0)

    def keep_still(self, top: int, *, was_at_top: bool) -> None:
        """After a change, scroll to the line at which nothing in view moves. If a person is in the
        list and saw its beginning, a block is scrolled into view instead.
        """
        rows = self._rows
        is_shown = rows.list_query.block and rows.has_focus and was_at_top
        if is_shown and self.cursor < self.height:
            top = 0
        if top != rows.top:
            rows.scroll_to_row(top)
