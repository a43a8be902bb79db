"""A list in its frame, with the line its filter is typed into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from textual.widgets import Input

    from workbench.tui.widgets.search_line import SearchField


class FilteredList(Framed, Vertical):
    """A list in its frame, filtered while a filter is typed.

    Args:
        below: what stands below the rows.
    """

    DEFAULT_CSS = """
    FilteredList {
        padding: 0; border-subtitle-color: $text-muted;
        & > RowList { height: 1fr; width: 1fr; }
    }
    """

    def __init__(self, rows: RowList[Any], *below: Widget, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = rows
        self._below = below

    def compose(self) -> ComposeResult:
        yield self._rows
        yield from self._below

    @property
    def entry(self) -> RowList[Any]:
        return self._rows

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._rows.set_filter(event.value)

    def on_search_field_left(self, event: SearchField.Left) -> None:
        event.stop()
        self.screen.set_focus(self._rows)
