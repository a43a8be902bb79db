"""A scrolling view whose height changes often."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget


def to_strip(content: Content, base: Style, width: int) -> Strip:
    """One line of ``content`` as a strip of exactly ``width`` cells."""
    return Strip(content.render_segments(base)).adjust_cell_length(width, base.rich_style)


class TallView(ScrollView):
    """Draws rows line by line, as wide as there is room."""

    # Rows are chosen with the mouse, not marked.
    ALLOW_SELECT = False

    DEFAULT_CSS = """
    TallView { overflow-x: hidden; scrollbar-size-vertical: 1; background: transparent; }
    """

    @property
    def top(self) -> int:
        """The number of the row that is drawn first."""
        return round(self.scroll_offset.y)

    @property
    def rows_high(self) -> int:
        """How many rows are in view."""
        return self.scrollable_content_region.height

    def set_height(self, rows: int) -> None:
        """Set the number of rows to scroll. The screen is laid out only if the scroll bar appears
        or disappears; setting ``virtual_size`` would lay it out every time.
        """
        size = Size(0, rows)
        if size == self.virtual_size:
            return
        self.set_reactive(Widget.virtual_size, size)
        if self.rows_high:
            self.show_vertical_scrollbar = rows > self.rows_high
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = rows
        if self.scroll_y > self.max_scroll_y:
            self.scroll_y = self.max_scroll_y

    def scroll_to_row(self, row: int) -> None:
        """Bring a row to the top, as far as there are rows below it."""
        self.scroll_to(y=max(row, 0), animate=False, force=True)

    def refresh_line(self, y: int) -> None:
        # As wide as rows are: the scroll bar beside them is drawn by itself.
        self.refresh(Region(0, y - self.top, self.scrollable_content_region.width, 1))

    def refresh_all(self) -> None:
        """Draw every row again, but not the frame."""
        self.refresh(self.scrollable_content_region.size.region)
