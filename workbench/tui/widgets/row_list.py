"""The list of every tab: the rows of a ``ListQuery`` in columns; only rows in view are drawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from workbench.session.lists.filters import Item
from workbench.session.lists.list_query import ListQuery
from workbench.tui.widgets.columns import Column, row_line
from workbench.tui.widgets.drawn_rows import DrawnRows
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.row_lines import RowLines
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import ACCENT, MUTED, WARNING
from workbench.tui.widgets.tall_view import TallView, to_strip


class RowList(TallView, Generic[Item], can_focus=True):
    """The items of a query as rows, one of them selected. A list is a query and its columns; a
    subclass adds keys and facts. Title and facts are shown in the frame around the list. The block
    of the query, if it has one, is below a line that scrolls with the rows.

    Attributes:
        lines: the lines of the rows.
        columns: all columns; which ones are shown depends on the width.
        marked: the keys of marked rows.
        is_read: True if rows were read once; before that an empty list shows no text.
        waiting_text: shown while there are no rows.
    """

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Edit", id="edit", tooltip="Edit the answer"),
        # Moving does not wait until everything about the rows passed over is shown.
        Binding("up,k", "move(-1)", show=False, priority=True,
                id="list.up", tooltip="One row up"),
        Binding("down,j", "move(1)", show=False, priority=True,
                id="list.down", tooltip="One row down"),
        Binding("pageup", "page(-1)", show=False, priority=True,
                id="list.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False, priority=True,
                id="list.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, priority=True,
                id="list.first", tooltip="The first row"),
        Binding("end,G", "edge(True)", show=False, priority=True,
                id="list.last", tooltip="The last row"),
        Binding("slash", "filter", "Filter",
                id="list.filter", tooltip="Show only what matches"),
        Binding("escape", "clear_filter", "Clear filter", show=False,
                id="list.all", tooltip="Show what the filter hides"),
    ]
    # fmt: on

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--head"}

    DEFAULT_CSS = """
    RowList {
        & > .row-list--cursor { background: $surface-lighten-1; text-style: bold; }
        & > .row-list--head { background: $panel; color: $foreground-muted; }
        &:focus > .row-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: bold;
        }
    }
    """

    TITLE: ClassVar[str] = ""
    # The name of one row.
    NOUN: ClassVar[str] = "row"
    # The filters that can be typed.
    FILTER_HINT: ClassVar[str] = ""
    # 1 if the titles of the columns are above the rows, if there is room.
    HEAD_HEIGHT: ClassVar[int] = 0

    @dataclass
    class Highlighted(Message):
        """Another row is selected; None without rows."""

        row_list: RowList[Any]
        key: str | None

        @property
        def control(self) -> RowList[Any]:
            return self.row_list

    @dataclass
    class Chosen(Message):
        """The selected row was entered: Enter, or a double click."""

        row_list: RowList[Any]
        key: str

        @property
        def control(self) -> RowList[Any]:
            return self.row_list

    @dataclass
    class LinesChanged(Message):
        """It has more lines, or fewer."""

    def __init__(
        self, list_query: ListQuery[Item], columns: Sequence[Column[Item]], *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.list_query = list_query
        self.columns = columns
        self.lines = RowLines(self)
        self.marked: Collection[str] = ()
        self.is_read = False
        self.waiting_text: list[Content] = []
        self._drawn = DrawnRows()

    # For subclasses to override

    def block_heading(self) -> Content:
        """The line above the priority rows."""
        return Content("")

    def row_start(self, key: str) -> str:
        """The two characters before a row."""
        return (">" if key == self.cursor else " ") + ("*" if key in self.marked else " ")

    def columns_in(self, width: int) -> Sequence[Column[Item]]:
        """The columns that a list of this width has."""
        return [c for c in self.columns if c.from_width <= width < c.below_width]

    def facts(self) -> list[Content]:
        """The facts in the frame about the list, the more important first."""
        return self.filter_facts()

    def empty_lines(self) -> list[Content]:
        """The content without rows."""
        hidden = self.list_query.filtered_count
        if hidden:
            are = "is" if hidden == 1 else "are"
            text = self.list_query.filter.text
            sentence = f'  No {self.NOUN} matches "{text}". {hidden:,} {are} hidden.'
            return [Content(""), one_line(sentence), Content.styled("  esc shows them.", MUTED)]
        return self.waiting_text if self.is_read else []

    # What is shown

    @property
    def keys(self) -> Sequence[str]:
        return self.list_query.keys

    @property
    def cursor(self) -> str | None:
        """The key of the selected row."""
        return self.list_query.selected

    @property
    def cursor_place(self) -> int:
        """The number of the selected row, from 0; -1 for none."""
        return self.list_query.selected_place

    @property
    def rows_in_view(self) -> Sequence[str]:
        """The keys of the rows in view."""
        return self.lines.in_view

    # Changes

    def change_rows(self, change: Callable[[], object], changed: Collection[str] = ()) -> None:
        """Change the query and draw the differences: rows that were added, removed or moved, and
        the rows of the keys in ``changed``. The selected row keeps its line on the screen, or the
        first row in view if the selected one is not visible.
        """
        self.is_read = True
        self._drawn.clear()
        was_empty = not self.keys
        is_another = self._change_rows(change, changed)
        self.update_title()
        if was_empty != (not self.keys):
            self.refresh_bindings()  # the key bar has other keys without rows
        if is_another:
            post_up(self, self.Highlighted(self, self.cursor))

    def _change_rows(self, change: Callable[[], object], changed: Collection[str] = ()) -> bool:
        """Return True if another row is selected."""
        before, was_in_view, lines, top = self.cursor, list(self.rows_in_view), self.lines, self.top
        first, height = lines.first, lines.count
        line = lines.cursor if lines.is_in_view(lines.cursor) else max(top, first)
        still_key = self.keys[line - first] if line < height else None
        change()
        self.set_height(lines.head + lines.count)
        if lines.count != height:
            post_up(self, self.LinesChanged())
        if still_key is not None:
            place = self.list_query.place(still_key)
            if place < 0:
                place = self.list_query.place_near(still_key, line - first)
            lines.keep_still(place + lines.first - (line - top), was_at_top=top == 0)
        if self.cursor != before:
            changed = {*changed, before or "", self.cursor or ""}
            self.show_cursor()
        if not was_in_view or list(self.rows_in_view) != was_in_view or lines.first != first:
            self._drawn.forget(changed)
            super().refresh_all()
        elif changed:
            self.refresh_rows(changed)
        self._view_changed()
        return self.cursor != before

    def select(self, key: str | None) -> None:
        """Select a row and bring it into view; a hidden one is shown until another is selected."""
        if key == self.cursor:
            self.show_cursor()
        else:
            self.change_rows(partial(self.list_query.select, key))

    def move_to(self, place: int) -> bool:
        """Select the row with a number, or the nearest one, without posting ``Highlighted``,
        because the caller shows the row. Return True if another row is selected.
        """
        if not self.keys:
            return False
        if self.list_query.kept is not None:  # it leaves
            self._drawn.clear()
        key = self.keys[min(max(place, 0), len(self.keys) - 1)]
        is_another = self._change_rows(partial(self.list_query.select, key))
        self.show_cursor()
        return is_another

    def show_cursor(self) -> None:
        """Scroll, if need be, so that the selected row is in view."""
        line, height = self.lines.cursor, self.lines.height
        if line < 0 or not height:
            return
        # The first row of the block is shown with the line above it.
        first = 0 if line == self.lines.first and height > 1 else line
        if first < self.top:
            self.scroll_to_row(first)
        elif line >= self.top + height:
            self.scroll_to_row(line - height + 1)

    def select_place(self, place: int | None, if_none: str) -> None:
        """Select the row with a number that was searched for, or show that there is none."""
        if place is None:
            say(self, if_none)
        else:
            self.select(self.keys[place])

    def refresh_rows(self, keys: Collection[str]) -> None:
        """Draw some rows again, as far as they are in view."""
        self._drawn.forget(keys)
        first = max(self.top, self.lines.first) + self.lines.head
        for line, key in enumerate(self.rows_in_view, start=first):
            if key in keys:
                self.refresh_line(line)

    def refresh_all(self) -> None:
        self._drawn.clear()
        super().refresh_all()

    # Filter and order

    @property
    def filter_text(self) -> str:
        """The filter as it was typed."""
        return self.list_query.filter_text

    def set_filter(self, text: str) -> None:
        """Show the rows that match ``text``. An invalid filter hides nothing, and the status line
        shows the reason.
        """
        before = self.list_query.error
        self.change_rows(partial(self.list_query.set_filter_text, text))
        if self.list_query.error or before:
            say(self, self.list_query.error, "warning")

    def filter_facts(self) -> list[Content]:
        """The facts in the frame about the filter, if there is one."""
        text = self.filter_text.strip()
        if self.list_query.error:
            return [one_line(f"/ {text}  not understood", WARNING)]
        total = len(self.keys) + self.list_query.filtered_count
        matches = Content.styled(f"  {len(self.keys):,} of {total:,}", MUTED)
        return [one_line(f"/ {text}", ACCENT) + matches] if text else []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear_filter":
            return bool(self.filter_text)
        return super().check_action(action, parameters)

    async def action_filter(self) -> None:
        from workbench.tui.widgets.search_line import open_search_line

        if self.frame is not None:
            completed = self.list_query.language.completed
            await open_search_line(self.frame, self.filter_text, self.FILTER_HINT, completed)

    def action_clear_filter(self) -> None:
        self.set_filter("")

    def action_sort(self) -> None:
        """Sort by the next of the orders there are."""
        self.change_rows(self.list_query.next_order)

    # The frame

    @property
    def frame(self) -> Framed | None:
        """The frame around this list; None before it has one."""
        return self.parent if isinstance(self.parent, Framed) else None

    def heading(self) -> Content:
        """The name of the list and the number of the selected row."""
        place = f"[{self.cursor_place + 1:,}/{len(self.keys):,}]"
        return Content.styled(f"{self.TITLE} {place}", "bold")

    def update_title(self) -> None:
        """Show heading and facts in the frame."""
        if self.frame is not None:
            self.frame.update_frame()

    def _view_changed(self) -> None:
        """Forget the rows out of view, because only changes of rows in view are announced, and
        count those below.
        """
        self._drawn.keep(self.rows_in_view)
        below = self.lines.count - self.top - self.lines.height
        if self.frame is not None:
            self.frame.set_foot(f"{below:,} more below" if below > 0 else "")

    # Drawing

    def on_resize(self) -> None:
        self.update_title()
        self.show_cursor()
        self._view_changed()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._view_changed()

    def render_line(self, y: int) -> Strip:
        width, style = self.scrollable_content_region.width, self.visual_style
        if not self.keys:
            lines = wrapped(self.empty_lines(), width)
            if len(lines) > self.rows_high:
                lines = [line for line in lines if line.plain]
            return to_strip(lines[y] if y < len(lines) else Content(""), style, width)
        if y < self.lines.head:
            columns = self.columns_in(width)
            titles = row_line(columns, [one_line(c.title) for c in columns], width - 2)
            head_style = style + self.get_visual_style("row-list--head")
            return to_strip(Content("  ") + titles, head_style, width)
        place = self.lines.place_at(y)
        if place < 0:
            return to_strip(Content("  ") + self.block_heading(), style, width)
        if place >= len(self.keys):
            return to_strip(Content(""), style, width)
        key = self.keys[place]
        row = self._drawn.get(key, width, self.row)
        if key == self.cursor:
            style += self.get_visual_style("row-list--cursor")
            # The colours of a row are not made for the background of the cursor.
            row = Content(row.plain) if self.has_focus else row
        return to_strip(row, style, width)

    def row(self, key: str, width: int) -> Content:
        item, columns = self.list_query.items[key], self.columns_in(width)
        cells = [column.cell(item) for column in columns]
        return Content(self.row_start(key)) + row_line(columns, cells, width - 2)

    # Keys and mouse

    def action_move(self, by: int) -> None:
        self._go(self.cursor_place + by)

    def action_page(self, by: int) -> None:
        self._go(self.cursor_place + by * max(self.lines.height - 1, 1))

    def action_edge(self, end: bool) -> None:
        self._go(len(self.keys) - 1 if end else 0)

    def _go(self, place: int) -> None:
        if self.move_to(place):
            # The row is drawn before everything else about it, which takes longer.
            self.call_after_refresh(self._went, self.cursor)

    def _went(self, key: str | None) -> None:
        self.update_title()
        post_up(self, self.Highlighted(self, key))

    def action_choose(self) -> None:
        if self.cursor is not None:
            post_up(self, self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.lines.head:
            return
        place = self.lines.place_at(offset.y)
        if 0 <= place < len(self.keys):
            self.select(self.keys[place])
            if event.chain == 2:
                self.action_choose()


def wrapped(lines: Sequence[Content], width: int) -> list[Content]:
    """Lines wrapped to a width, each with its indent."""
    wrapped: list[Content] = []
    for line in lines:
        indent = len(line.plain) - len(line.plain.lstrip())
        parts = line[indent:].wrap(width - indent)
        wrapped += (part.pad_left(indent) for part in parts or [Content("")])
    return wrapped
