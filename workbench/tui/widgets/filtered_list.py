"""A list in its frame, with the line its filter is typed into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.row_list import RowList, wrapped

if TYPE_CHECKING:
    from textual.widgets import Input

    from workbench.tui.widgets.search_line import SearchField


# The lines of a frame.
FRAME = 2


class FilteredList(Framed, Vertical):
    """A list in its frame, filtered while a filter is typed.

    Args:
        below: widgets below the rows.
    """

    DEFAULT_CSS = """
    FilteredList {
        padding: 0;
        & > RowList { height: 1fr; width: 1fr; }
    }
    """

    def __init__(self, rows: RowList[Any], *below: Widget) -> None:
        super().__init__()
        self._rows = rows
        self._below = below
        self.label = rows.TITLE

    def compose(self) -> ComposeResult:
        yield self._rows
        yield from self._below

    @property
    def entry(self) -> RowList[Any]:
        return self._rows

    # How high it is with its frame

    @property
    def lines_wanted(self) -> int:
        """How many lines show all of it: the rows with their head, or the text in their place."""
        rows = self._rows
        lines = rows.virtual_size.height
        if not rows.keys:
            # The frame has the width of the screen.
            lines = len(wrapped(rows.empty_lines(), self.app.size.width - FRAME))
        return FRAME + lines + self._is_searched

    @property
    def _is_searched(self) -> bool:
        """True if a filter is being typed, in a line of its own."""
        return self.has_focus_within and not self._rows.has_focus

    def lines_of(self, rows: int) -> int:
        """How many lines it takes to show some rows."""
        return FRAME + self._rows.lines.head + rows + self._is_searched

    def heading(self) -> Content:
        return self.tabs or self._rows.heading()

    def facts(self) -> Sequence[Content]:
        return self._rows.facts()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._rows.set_filter(event.value)

    def on_search_field_left(self, event: SearchField.Left) -> None:
        event.stop()
        self.screen.set_focus(self._rows)
