"""A scrolling view of lines that are made, wrapped and drawn as far as they are seen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.line_layout import Line, LineLayout, Row

# What is not laid out at once is laid out in slices, so that keys come in between.
SLICE = 0.006
PAUSE = 0.012


class Match(NamedTuple):
    """A place that was looked for."""

    line: int
    start: int
    end: int


def to_strip(content: Content, base: Style, width: int) -> Strip:
    """One line of ``content`` as a strip of exactly ``width`` cells."""
    return Strip(content.render_segments(base)).adjust_cell_length(width, base.rich_style)


class LineView(ScrollView, can_focus=False):
    """Shows logical lines, wrapped to its width."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-view--cursor",
        "line-view--match",
        "line-view--current",
    }

    DEFAULT_CSS = """
    LineView {
        height: 1fr; scrollbar-size-vertical: 1; background: transparent;
        & > .line-view--cursor { background: $surface-lighten-1; }
        & > .line-view--match { text-style: underline; color: $text-warning; }
        & > .line-view--current { text-style: reverse bold; color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._layout = LineLayout(())
        self._cursor: int | None = None
        self._matches: Sequence[Match] = ()
        self._current: Match | None = None
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)
        self._timer: Timer | None = None

    @property
    def lines(self) -> Sequence[Line]:
        """The lines, as far as they were made."""
        return self._layout.lines

    def show(self, lines: Iterable[Line], *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless ``keep_place``. Those that are not in view are
        taken from ``lines`` later.
        """
        top = round(self.scroll_offset.y) if keep_place else 0
        self._layout = LineLayout(lines)
        self._matches, self._current = (), None
        self._lay_out(top)

    # Laying out

    def _lay_out(self, top: int) -> None:
        """Lay out for the width there is and scroll to row ``top``."""
        self._layout.set_width(self.scrollable_content_region.width)
        self._advance(row=top + self.scrollable_content_region.height)
        self.scroll_to(0, top, animate=False, force=True)
        self.refresh(self.size.region)

    def _advance(self, *, row: int = 0, line: int = -1) -> None:
        self._stop_timer()
        if not self._layout.advance(SLICE, row=row, line=line):
            self._timer = self.set_timer(PAUSE, self._advance)
        self._set_height(len(self._layout))
        self._strips.clear()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _set_height(self, rows: int) -> None:
        """Tell Textual how far there is to scroll, without laying out the whole screen for it."""
        size = Size(self._layout.width, rows)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)

    def complete(self) -> Sequence[Line]:
        """All lines, made and laid out now."""
        self._advance(line=len(self._layout.lines))
        while not self._layout.is_complete and self._layout.width:
            self._advance(row=2 * len(self._layout) + 1)
        return self._layout.lines

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width == self._layout.width:
            return
        top = round(self.scroll_offset.y)
        if not top < len(self._layout):
            self._lay_out(0)
            return
        held = self._layout.row(top)
        self._layout.set_width(width)
        self._advance(line=held.line + 1)
        self._lay_out(self._layout.row_of(held.line, held.start))

    # Places

    @property
    def top_line(self) -> int:
        """The number of the line that is drawn first."""
        top = round(self.scroll_offset.y)
        return self._layout.row(top).line if top < len(self._layout) else 0

    def row_of_line(self, index: int) -> int:
        """The first row of a line."""
        self._advance(line=index)
        return self._layout.first_row(index)

    def line_at(self, y: int) -> int | None:
        """The line drawn at a height of the view; None below the last."""
        row = y + round(self.scroll_offset.y)
        return self._layout.row(row).line if 0 <= row < len(self._layout) else None

    def is_in_view(self, index: int) -> bool:
        """Whether a line's first row is in view."""
        row = self._layout.first_row(index) - round(self.scroll_offset.y)
        return 0 <= row < self.scrollable_content_region.height

    def scroll_to_line(self, index: int) -> None:
        """Bring logical line ``index`` to the top."""
        row = self.row_of_line(index)
        self._advance(row=row + self.scrollable_content_region.height)
        self.scroll_to(y=row, animate=False, force=True)

    def scroll_to_row(self, row: int) -> None:
        """Bring a row to the top."""
        self._advance(row=row + self.scrollable_content_region.height)
        self.scroll_to(y=max(row, 0), animate=False, force=True)

    def set_cursor(self, index: int | None) -> None:
        """Mark one line as the one that is meant."""
        if index != self._cursor:
            self._cursor = index
            self._draw_anew()

    def set_matches(self, matches: Sequence[Match], current: Match | None) -> None:
        """Mark what was found, and bring the current one into view.

        Args:
            matches: in the order of their places.
        """
        self._matches, self._current = matches, current
        self._draw_anew()
        if current is not None:
            row = self._layout.row_of(current.line, current.start)
            top, height = round(self.scroll_offset.y), self.scrollable_content_region.height
            if not top <= row < top + height:
                self.scroll_to(y=max(row - height // 3, 0), animate=False, force=True)

    # Drawing

    def _draw_anew(self) -> None:
        self._strips.clear()
        self.refresh(self.size.region)

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        row = y + round(self.scroll_offset.y)
        width = self.scrollable_content_region.width
        key = (row, width)
        if key not in self._strips:
            self._strips[key] = self._render_row(row, width)
        return self._strips[key]

    def _render_row(self, number: int, width: int) -> Strip:
        if number >= len(self._layout):
            return Strip.blank(width, self.visual_style.rich_style)
        row = self._layout.row(number)
        style = self.visual_style
        if row.line == self._cursor:
            style += self.get_visual_style("line-view--cursor", partial=True)
        return to_strip(self._content(row).pad_left(row.indent), style, width)

    def _content(self, row: Row) -> Content:
        line = self._layout.lines[row.line]
        content = (
            line[row.start : row.end] if isinstance(line, Content) else line.cut(row.start, row.end)
        )
        place = bisect_left(self._matches, (row.line, 0, 0))
        for match in self._matches[place:]:
            if match.line != row.line:
                break
            start, end = max(match.start, row.start), min(match.end, row.end)
            if start < end:
                which = "current" if match == self._current else "match"
                found = self.get_visual_style(f"line-view--{which}", partial=True)
                content = content.stylize(found, start - row.start, end - row.start)
        return content
