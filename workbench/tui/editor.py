"""The text field of the response editor: Textual's, drawn inert, with problems marked in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style as RichStyle
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from workbench.tui.inert import inert, same_width
from workbench.tui.tall_view import to_strip


@dataclass(frozen=True, slots=True)
class Mark:
    """A problem's place in the text of a field.

    Attributes:
        start, end: locations (line, column), from 0; the end is on the same line.
    """

    start: Location
    end: Location
    message: str
    style: str


class Editor(TextArea):
    """A text field that grows with its text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # A line end that is pasted without brackets arrives as this key.
        Binding("ctrl+j", "insert_line_end", show=False),
    ]

    DEFAULT_CSS = """
    Editor {
        height: auto; border: none; padding: 0; background: transparent;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background: $surface-lighten-1 30%; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--gutter { color: $text-muted; background: transparent; }
        & .text-area--cursor-gutter { color: $text; background: transparent; }
    }
    """

    def __init__(
        self,
        *,
        numbered: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(
            id=id,
            classes=classes,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=numbered,
            compact=True,
            theme="css",
        )
        self._marks: dict[int, list[Mark]] = {}

    def set_text(self, text: str) -> None:
        """Show another text without it counting as an edit."""
        if text != self.text:
            cursor = self.cursor_location
            with self.prevent(TextArea.Changed):
                self.text = text
            self.move_cursor(cursor)

    def location_at(self, index: int) -> Location:
        """The line and column of a character of the text."""
        before = self.text[:index]
        return before.count("\n"), len(before) - (before.rfind("\n") + 1)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Mark problems."""
        by_line: dict[int, list[Mark]] = {}
        for mark in marks:
            by_line.setdefault(mark.start[0], []).append(mark)
        if by_line != self._marks:
            self._marks = by_line
            self._line_cache.clear()
            self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: every character in its column, none of them a control."""
        line = Text(same_width(self.document.get_line(line_index)), end="", no_wrap=True)
        for mark in self._marks.get(line_index, ()):
            line.stylize(RichStyle(underline=True, bold=True), mark.start[1], mark.end[1])
        return line

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        row = y + self.scroll_offset.y
        if not self._marks or row >= self.wrapped_document.height:
            return strip
        line, section = self.wrapped_document._offset_to_line_info[row]
        marks = self._marks.get(line)
        if not marks or section != len(self.wrapped_document.get_offsets(line)):
            return strip
        return self._annotated(strip, marks[0])

    def _annotated(self, strip: Strip, mark: Mark) -> Strip:
        """The problem's message behind the line, where there is room for some of it."""
        used = len(strip.text.rstrip())
        room = strip.cell_length - used - 3
        if room < 8:
            return strip
        note = inert(f"× {mark.message}", mark.style).truncate(room, ellipsis=True)
        drawn = to_strip(Content("   ") + note, self.visual_style, room + 3)
        return Strip.join([strip.crop(0, strip.cell_length - drawn.cell_length), drawn])

    def action_insert_line_end(self) -> None:
        self.insert("\n")
