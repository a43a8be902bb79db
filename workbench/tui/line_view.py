"""A scrolling view of lines that are made and wrapped only when they are seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style

MAX_HANGING_INDENT = 12


def to_strip(content: Content, base: Style, width: int) -> Strip:
    """One line of ``content`` as a strip of exactly ``width`` cells."""
    return Strip(content.render_segments(base)).adjust_cell_length(width, base.rich_style)


def wrap(line: Content, width: int) -> list[Content]:
    """``line`` in rows of ``width`` cells; what is indented stays indented."""
    text = line.plain
    indent = min(len(text) - len(text.lstrip(" ")), MAX_HANGING_INDENT, max(width - 8, 0))
    if line.cell_length <= width:
        return [line]
    rows = line[indent:].wrap(max(width - indent, 2))
    return [row.pad_left(indent) for row in rows]


class LineView(ScrollView, can_focus=False):
    """Shows logical lines, wrapped to its width."""

    DEFAULT_CSS = """
    LineView { height: 1fr; scrollbar-size-vertical: 1; background: transparent; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: Sequence[Content] = ()
        self._wrapped: list[list[Content]] = []
        self._starts: list[int] = []
        self._wrapped_to = 0
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)

    @property
    def lines(self) -> Sequence[Content]:
        return self._lines

    def show(self, lines: Sequence[Content], *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless ``keep_place``."""
        self._lines = lines
        self._wrap()
        if not keep_place:
            self.scroll_to(0, 0, animate=False)
        self.refresh()

    def scroll_to_line(self, index: int) -> None:
        """Bring logical line ``index`` to the top."""
        if index < len(self._starts):
            self.scroll_to(y=self._starts[index], animate=False)

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_to:
            self._wrap()

    def _wrap(self) -> None:
        width = max(self.scrollable_content_region.width, 1)
        self._wrapped_to = width
        self._wrapped = [wrap(line, width) for line in self._lines]
        heights = [len(lines) for lines in self._wrapped]
        self._starts = [0, *accumulate(heights)][: len(heights)]
        self._strips.clear()
        self.virtual_size = Size(width, sum(heights))

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        key = (row, width)
        if key not in self._strips:
            self._strips[key] = self._render_row(row, width)
        return self._strips[key]

    def _render_row(self, row: int, width: int) -> Strip:
        index = bisect_right(self._starts, row) - 1
        if index < 0 or row - self._starts[index] >= len(self._wrapped[index]):
            return Strip.blank(width, self.visual_style.rich_style)
        return to_strip(self._wrapped[index][row - self._starts[index]], self.visual_style, width)
