"""A list of any length that draws only the rows in view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from workbench.tui.frame import Framed
from workbench.tui.line_view import to_strip


class RowList(Framed, ScrollView, can_focus=True):
    """Rows by key, one of them selected. The selection sits on its key, not on its place."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Edit", key_display="⏎"),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home,g", "first", "First", show=False),
        Binding("end,G", "last", "Last", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor"}

    DEFAULT_CSS = """
    RowList {
        scrollbar-size-vertical: 1; padding: 0; background: transparent;
        border-subtitle-color: $text-muted;
        & > .row-list--cursor { background: $surface-lighten-1; text-style: bold; }
        &:focus > .row-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: bold;
        }
    }
    """

    @dataclass
    class Highlighted(Message):
        """Another row is selected; None where there are no rows."""

        row_list: RowList
        key: str | None

        @property
        def control(self) -> RowList:
            return self.row_list

    @dataclass
    class Chosen(Message):
        """The selected row was entered: Enter, or a double click."""

        row_list: RowList
        key: str

        @property
        def control(self) -> RowList:
            return self.row_list

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._keys: list[str] = []
        self._places: dict[str, int] = {}
        self._cursor: str | None = None

    # To be filled in by each list

    def row(self, key: str, *, selected: bool) -> Content:
        """One row, at most as wide as the list."""
        raise NotImplementedError

    def update_title(self) -> None:
        """Say in the frame which row is selected."""
        raise NotImplementedError

    def empty_lines(self) -> list[Content]:
        """What stands where there are no rows."""
        return []

    # What others ask

    @property
    def keys(self) -> Sequence[str]:
        return self._keys

    @property
    def cursor(self) -> str | None:
        """The key of the selected row."""
        return self._cursor

    @property
    def cursor_place(self) -> int:
        """The number of the selected row, from 0; -1 for none."""
        return -1 if self._cursor is None else self._places.get(self._cursor, -1)

    def set_keys(self, keys: list[str]) -> None:
        """Show other rows. The selection stays on its key; where that is gone, the row that took
        its place is selected.
        """
        place = self.cursor_place
        self._keys = keys
        self._places = {key: number for number, key in enumerate(keys)}
        if self._cursor not in self._places:
            at = min(max(place, 0), len(keys) - 1)
            self.select(keys[at] if keys else None)
        self.virtual_size = Size(0, len(keys))
        self._count_below()
        self.refresh()

    def select(self, key: str | None) -> None:
        """Select a row and bring it into view."""
        if key == self._cursor:
            self.show_cursor()
            return
        before = self.cursor_place
        self._cursor = key
        self._refresh_row(before)
        self._refresh_row(self.cursor_place)
        self.show_cursor()
        self.post_message(self.Highlighted(self, key))

    def show_cursor(self) -> None:
        """Scroll, if need be, so that the selected row is in view."""
        place, height = self.cursor_place, self.scrollable_content_region.height
        if place < 0 or not height:
            return
        top = round(self.scroll_offset.y)
        if not top <= place < top + height:
            target = place if place < top else place - height + 1
            self.scroll_to(y=target, animate=False, force=True)

    def refresh_rows(self, keys: Sequence[str]) -> None:
        """Draw some rows again, as far as they are in view."""
        for key in keys:
            self._refresh_row(self._places.get(key, -1))

    def _refresh_row(self, place: int) -> None:
        if 0 <= place - round(self.scroll_offset.y) < self.scrollable_content_region.height:
            self.refresh_line(place)

    # Drawing

    def on_resize(self) -> None:
        super().on_resize()
        self.show_cursor()
        self._count_below()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._count_below()

    def _count_below(self) -> None:
        seen = round(self.scroll_offset.y) + self.scrollable_content_region.height
        below = len(self._keys) - seen
        self.border_subtitle = f"{below:,} more below" if below > 0 else ""

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        place = y + round(self.scroll_offset.y)
        if place >= len(self._keys):
            empty = self.empty_lines() if not self._keys else []
            line = empty[y] if y < len(empty) else Content("")
            return to_strip(line, self.visual_style, width)
        key = self._keys[place]
        selected = key == self._cursor
        style = self.visual_style
        if selected:
            style += self.get_visual_style("row-list--cursor")
        return to_strip(self.row(key, selected=selected), style, width)

    # Keys and mouse

    def action_move(self, by: int) -> None:
        self._go(self.cursor_place + by)

    def action_page(self, by: int) -> None:
        self._go(self.cursor_place + by * max(self.scrollable_content_region.height - 1, 1))

    def action_first(self) -> None:
        self._go(0)

    def action_last(self) -> None:
        self._go(len(self._keys) - 1)

    def _go(self, place: int) -> None:
        if self._keys:
            self.select(self._keys[min(max(place, 0), len(self._keys) - 1)])

    def action_choose(self) -> None:
        if self._cursor is not None:
            self.post_message(self.Chosen(self, self._cursor))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        place = offset.y + round(self.scroll_offset.y)
        if 0 <= place < len(self._keys):
            self.select(self._keys[place])
            if event.chain == 2:
                self.action_choose()
