"""A list of any length that draws only the rows in view."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from workbench.tui.lines.tall_view import TallView, to_strip
from workbench.tui.post_to_ancestors import Telling
from workbench.tui.widgets.frame import Framed


@dataclass(frozen=True, slots=True)
class Anchor:
    """A row that keeps its line on the screen when rows change.

    Attributes:
        place: the number it had.
        line: the line of the screen, from the top of the list.
    """

    key: str
    place: int
    line: int


class RowList(TallView, Telling, can_focus=True):
    """Rows by key, one of them selected. The selection sits on its key, not on its place. Its title
    stands in the frame round it.

    Long by its messages and its table of keys.
    """

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Edit", key_display="⏎", id="edit", tooltip="Edit the answer"),
        # Moving waits for nothing, not for what is shown of the rows passed over either.
        Binding("up,k", "move(-1)", show=False, priority=True,
                id="list.up", tooltip="One row up"),
        Binding("down,j", "move(1)", show=False, priority=True,
                id="list.down", tooltip="One row down"),
        Binding("pageup", "page(-1)", show=False, priority=True,
                id="list.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False, priority=True,
                id="list.page_down", tooltip="A page down"),
        Binding("home,g", "first", show=False, priority=True,
                id="list.first", tooltip="The first row"),
        Binding("end,G", "last", show=False, priority=True,
                id="list.last", tooltip="The last row"),
    ]
    # fmt: on

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor"}

    DEFAULT_CSS = """
    RowList {
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
        self._keys: Sequence[str] = []
        self._place_of: Callable[[str], int] = lambda _: -1
        self._drawn: Sequence[str] = []
        self._cursor: str | None = None
        self._cursor_was = -1

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

    def place_near(self, key: str, before: int) -> int:  # noqa: ARG002
        """The number that a row which is gone would have.

        Args:
            before: the number it had.
        """
        return before

    # What others ask

    @property
    def frame(self) -> Framed | None:
        """The frame this list stands in; None before it does."""
        return self.parent if isinstance(self.parent, Framed) else None

    @property
    def title_room(self) -> int:
        """How many cells there are for the title."""
        return self.frame.title_room if self.frame is not None else 0

    def set_frame(self, left: Content, right: Content) -> None:
        """Change the title and the facts in the frame."""
        if self.frame is not None:
            self.frame.set_frame(left, right)

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
        return -1 if self._cursor is None else self._place_of(self._cursor)

    @property
    def rows_in_view(self) -> Sequence[str]:
        return self._keys[self.top : self.top + self.rows_high]

    def set_keys(self, keys: Sequence[str]) -> None:
        """Show other rows."""
        anchor = self.anchor_row()
        places = {key: number for number, key in enumerate(keys)}
        self._keys, self._place_of = keys, lambda key: places.get(key, -1)
        self.rows_changed(anchor)

    def set_source(self, keys: Sequence[str], place_of: Callable[[str], int]) -> None:
        """Show rows that somebody else keeps, who tells their changes by ``rows_changed``.

        Args:
            place_of: the number of a key in ``keys``, -1 where it is not among them.
        """
        self._keys, self._place_of = keys, place_of

    def anchor_row(self) -> Anchor | None:
        """What keeps its line when rows change: the selected row, or the first one in view where
        that is not. To be asked before they do.
        """
        top, place = self.top, self.cursor_place
        if not top <= place < top + self.rows_high:
            place = top
        if not 0 <= place < len(self._keys):
            return None
        return Anchor(self._keys[place], place, place - top)

    def rows_changed(self, anchor: Anchor | None, changed: Collection[str] = ()) -> None:
        """Draw what rows were added, removed or moved. The selection stays on its key; where that
        is gone, the row that took its place is selected.

        Args:
            anchor: what ``anchor_row()`` said before.
            changed: rows that look different.
        """
        self.set_height(len(self._keys))
        if anchor is not None:
            place = self._place_of(anchor.key)
            if place < 0:
                place = self.place_near(anchor.key, anchor.place)
            self.scroll_to_row(place - anchor.line)
        self._hold_cursor()
        in_view = list(self.rows_in_view)
        if in_view != self._drawn or not in_view:
            self.refresh_all()
        elif changed:
            self.refresh_rows([key for key in in_view if key in changed])
        self._drawn = in_view
        self._count_below()

    def _hold_cursor(self) -> None:
        """Select another row if the selected one is gone."""
        place = self.cursor_place
        if place < 0 and self._keys:
            near = self.place_near(self._cursor, self._cursor_was) if self._cursor else 0
            self.select(self._keys[min(near, len(self._keys) - 1)])
        elif place < 0:
            self.select(None)
        self._cursor_was = self.cursor_place

    def select(self, key: str | None) -> None:
        """Select a row and bring it into view."""
        if key == self._cursor:
            self.show_cursor()
            return
        before = self.cursor_place
        self._cursor = key
        self._cursor_was = self.cursor_place
        self._refresh_row(before)
        self._refresh_row(self.cursor_place)
        self.show_cursor()
        self.tell(self.Highlighted(self, key))

    def show_cursor(self) -> None:
        """Scroll, if need be, so that the selected row is in view."""
        place, height = self.cursor_place, self.rows_high
        if place < 0 or not height:
            return
        top = self.top
        if not top <= place < top + height:
            self.scroll_to_row(place if place < top else place - height + 1)

    def refresh_rows(self, keys: Collection[str]) -> None:
        """Draw some rows again, as far as they are in view."""
        for number, key in enumerate(self.rows_in_view, start=self.top):
            if key in keys:
                self.refresh_line(number)

    def _refresh_row(self, place: int) -> None:
        if 0 <= place - self.top < self.rows_high:
            self.refresh_line(place)

    # Drawing

    def on_resize(self) -> None:
        self.update_title()
        self.show_cursor()
        self._count_below()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._drawn = list(self.rows_in_view)
        self._count_below()

    def _count_below(self) -> None:
        below = len(self._keys) - self.top - self.rows_high
        if self.frame is not None:
            self.frame.set_foot(f"{below:,} more below" if below > 0 else "")

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        place = y + self.top
        if place >= len(self._keys):
            empty = self.empty_lines() if not self._keys else []
            line = empty[y] if y < len(empty) else Content("")
            return to_strip(line, self.visual_style, width)
        key = self._keys[place]
        selected = key == self._cursor
        style = self.visual_style
        if selected:
            style += self.get_visual_style("row-list--cursor")
        row = self.row(key, selected=selected)
        # The colours of a row are not made for the ground of the cursor.
        shown = Content(row.plain) if selected and self.has_focus else row
        return to_strip(shown, style, width)

    # Keys and mouse

    def action_move(self, by: int) -> None:
        self._go(self.cursor_place + by)

    def action_page(self, by: int) -> None:
        self._go(self.cursor_place + by * max(self.rows_high - 1, 1))

    def action_first(self) -> None:
        self._go(0)

    def action_last(self) -> None:
        self._go(len(self._keys) - 1)

    def _go(self, place: int) -> None:
        if not self._keys:
            return
        before = self._cursor
        with self.prevent(self.Highlighted):
            self.select(self._keys[min(max(place, 0), len(self._keys) - 1)])
        if self._cursor != before:
            # The row is drawn before what is shown of it, which takes longer.
            self.call_after_refresh(self.tell, self.Highlighted(self, self._cursor))

    def action_choose(self) -> None:
        if self._cursor is not None:
            self.tell(self.Chosen(self, self._cursor))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        place = offset.y + self.top
        if 0 <= place < len(self._keys):
            self.select(self._keys[place])
            if event.chain == 2:
                self.action_choose()
