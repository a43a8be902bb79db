"""The names of the columns above the rows of a list."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip

from workbench.tui.lines.tall_view import to_strip
from workbench.tui.widgets.row_list import RowList

# The line above the rows, which the padding keeps free.
HEAD_LINE = 0


class ColumnHead(RowList):
    """A list whose columns have names, which stay where rows scroll."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"column-head--names"}

    DEFAULT_CSS = """
    ColumnHead {
        padding: 1 0 0 0;
        & > .column-head--names { background: $panel; color: $foreground-muted; }
    }
    """

    def head(self) -> Content:
        """The names of the columns, at most as wide as the list."""
        raise NotImplementedError

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        place = HEAD_LINE - crop.y
        if self.keys and 0 <= place < len(strips):
            left, width = self.gutter.left, self.scrollable_content_region.width
            style = self.visual_style + self.get_visual_style("column-head--names")
            head = to_strip(self.head(), style, width)
            for line_filter in self.get_line_filters():
                head = head.apply_filter(line_filter, self.background_colors[1])
            strip, at = strips[place], left - crop.x
            before, after = strip.crop(0, max(at, 0)), strip.crop(max(at + width, 0))
            shown = head.crop(max(-at, 0), max(-at, 0) + crop.width - before.cell_length)
            strips[place] = Strip.join([before, shown, after])
        return strips
