"""A scrolling view of lines that are made, wrapped and drawn when they become visible."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from textual.cache import LRUCache
from textual.content import Content
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from workbench.tui.lines.line_layout import Line, LineLayout, OneRow, ScreenRow
from workbench.tui.lines.marked_text import marked_in, marked_parts, marked_text
from workbench.tui.widgets.styles import WARNING
from workbench.tui.widgets.tall_view import TallView, to_strip

# Seconds: the rest is laid out in slices, with pauses in which keys are handled.
SLICE = 0.006
PAUSE = 0.012
# Rows that are laid out at a time, where something further down is looked for.
MORE_ROWS = 500

MATCH = f"{WARNING} underline"
CURRENT = f"{WARNING} bold reverse"


class Match(NamedTuple):
    """A place where the searched text was found."""

    line: int
    start: int
    end: int


class LineView(TallView, can_focus=False):
    """Shows logical lines, wrapped to its width. The mouse marks text in them."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line-view--cursor"}

    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        & > .line-view--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground;
            text-style: bold;
        }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._layout = LineLayout(())
        self._cursor: int | None = None
        self._matches: Sequence[Match] = ()
        self._current_match: Match | None = None
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(512)
        self._timer: Timer | None = None
        self._for_width: Callable[[int], Iterable[Line]] | None = None
        self._made_for = 0

    @property
    def lines(self) -> Sequence[Line]:
        """The lines made so far."""
        return self._layout.lines

    def show(self, lines: Iterable[Line], *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless ``keep_place``; they are read as needed."""
        top = self.top if keep_place else 0
        with self._keeping_marked():
            self._layout = LineLayout(lines)
            self._matches, self._current_match = (), None
            self._lay_out(top)

    def show_for_width(self, make: Callable[[int], Iterable[Line]]) -> None:
        """Show lines that depend on the width, without scrolling. ``make`` is called with the width
        as soon as the view is on the screen, and again when the width changes.
        """
        self._for_width, self._made_for = make, 0
        if self.is_on_screen:
            self._make_lines()

    def _make_lines(self) -> None:
        width = max(self.content_size.width - 1, 1)  # a scroll bar may appear
        if self._for_width is not None and width != self._made_for:
            self._made_for = width
            self.show(self._for_width(width), keep_place=True)

    def on_show(self) -> None:
        self._make_lines()

    # Laying out

    @property
    def _width(self) -> int:
        """The width of the lines: at least a cell, even if the scroll bar needs that one. Without
        any, no row would need a scroll bar, and its coming and going would never end.
        """
        return self.scrollable_content_region.width or min(self.content_size.width, 1)

    def _lay_out(self, top: int) -> None:
        """Lay out for the current width and scroll to row ``top``."""
        self._layout.set_width(self._width)
        self.scroll_to_row(top)
        self.refresh_all()

    def _advance(self, *, row: int = 0, line: int = -1) -> None:
        self._stop_timer()
        if not self._layout.advance(SLICE, row=row, line=line):
            self._timer = self.set_timer(PAUSE, self._advance)
        self.set_height(len(self._layout))
        self._strips.clear()
        self._wrap_again()  # the scroll bar may have appeared or gone

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def make_more(self) -> bool:
        """Lay out more rows. Return True if there were any."""
        before = len(self._layout)
        self._advance(row=before + MORE_ROWS)
        return len(self._layout) > before

    def complete(self) -> Sequence[Line]:
        """All lines, laid out now."""
        self._advance(line=len(self._layout.lines))
        while not self._layout.is_complete and self._layout.width:
            self._advance(row=2 * len(self._layout) + 1)
        return self._layout.lines

    def on_resize(self) -> None:
        self._make_lines()
        self._wrap_again()

    def _wrap_again(self) -> None:
        """Lay out again if the width changed; the row at the top stays."""
        width = self._width
        if width == self._layout.width:
            return
        top = self.top
        if not top < len(self._layout):
            self._lay_out(0)
            return
        held = self._layout.row(top)
        with self._keeping_marked():
            self._layout.set_width(width)
            self._advance(line=held.line + 1)
            self._lay_out(self._layout.row_of(held.line, held.start))

    # Places

    @property
    def top_line(self) -> int:
        """The number of the first line in view."""
        top = self.top
        return self._layout.row(top).line if top < len(self._layout) else 0

    def line_at(self, y: int) -> int | None:
        """The line at row ``y`` of the view; None below the last."""
        row = y + self.top
        return self._layout.row(row).line if 0 <= row < len(self._layout) else None

    def is_in_view(self, index: int) -> bool:
        """True if a line's first row is in view."""
        row = self._layout.first_row(index) - self.top
        return 0 <= row < self.rows_high

    def scroll_to_line(self, index: int) -> None:
        """Bring logical line ``index`` to the top."""
        if not self._layout.reaches(line=index):
            self._advance(line=index)
        self.scroll_to_row(self._layout.first_row(index))

    def scroll_to(self, x: float | None = None, y: float | None = None, **how: Any) -> None:
        row = 0 if y is None else round(y) + max(self.rows_high, 1)
        if not self._layout.reaches(row=row):
            self._advance(row=row)
        super().scroll_to(x, y, **how)

    def scroll_end(self, **how: Any) -> None:
        self.complete()
        super().scroll_end(**how)

    def set_cursor(self, index: int | None) -> None:
        """Highlight one line; None for none."""
        if index != self._cursor:
            self._cursor = index
            self._redraw()

    def set_matches(self, matches: Sequence[Match], current: Match | None) -> None:
        """Mark the matches, sorted by place, and the current one of them."""
        self._matches, self._current_match = matches, current
        self._redraw()

    def scroll_to_match(self, match: Match) -> None:
        """Bring a match into view, a third down unless it is in view already."""
        row = self._layout.row_of(match.line, match.start)
        top, height = self.top, self.rows_high
        if not top <= row < top + height:
            self.scroll_to_row(row - height // 3)

    # Marking with the mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The marked text; only the visible part if marking begins or ends in another widget."""
        seen = range(self.top, self.top + self.rows_high)
        text = marked_text(marked_parts(self._layout, selection, seen))
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:  # noqa: ARG002
        self._redraw()

    def text_select_all(self) -> None:
        """A double click marks nothing: it would mark all lines, also those out of view."""

    @contextmanager
    def _keeping_marked(self) -> Iterator[None]:
        """Inside, the lines or their rows change; what is marked stays if it is the same text."""
        selection = self.text_selection
        if selection is None:
            yield
            return
        marked = self.get_selection(selection)
        yield
        if self.get_selection(selection) != marked:
            self.screen.clear_selection()

    # Drawing

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh_all()

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        row = y + self.top
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
            style += self.get_visual_style("line-view--cursor")
        content = self._content(row)
        if self.text_selection is not None:
            start, end = marked_in(self._layout, number, self.text_selection)
            marked = self.screen.get_visual_style("screen--selection")
            content = content.stylize(marked, start - row.start, end - row.start)
        # The place of each character, which a screen needs where the mouse is pressed.
        return to_strip(content.pad_left(row.indent), style, width).apply_offsets(0, number)

    def _content(self, row: ScreenRow) -> Content:
        line = self._layout.lines[row.line]
        if isinstance(line, OneRow):
            content = line.content.truncate(self._layout.width, ellipsis=True)
        elif isinstance(line, Content):
            content = line[row.start : row.end]
        else:
            content = line.cut(row.start, row.end)
        if row.line == self._cursor:
            content = Content(content.plain)  # its colours could not be read on the cursor
        for match in self._matches_in(row) if self._matches else ():
            start, end = max(match.start, row.start), min(match.end, row.end)
            style = CURRENT if match == self._current_match else MATCH
            content = content.stylize(style, start - row.start, end - row.start)
        return content

    def _matches_in(self, row: ScreenRow) -> Iterator[Match]:
        """The matches that overlap a row; one line may have many."""
        place = bisect_left(self._matches, (row.line, row.start, 0))
        # One that begins in the row before may end here.
        for number in range(max(place - 1, 0), len(self._matches)):
            match = self._matches[number]
            if (match.line, match.start) >= (row.line, row.end):
                return
            if match.line == row.line and match.end > row.start:
                yield match
