"""The text field of the response editor: Textual's, drawn inert, with problems marked in place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.document._document import EditResult
from textual.document._document_navigator import DocumentNavigator
from textual.strip import Strip
from textual.style import Style
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from workbench.tui.edited_field import EditedField
from workbench.tui.editor_document import EditorDocument, EditorRows, cells
from workbench.tui.editor_row import EditorRow
from workbench.tui.inert import inert
from workbench.tui.json_colours import tokens
from workbench.tui.tall_view import to_strip

# Of a longer text so many characters are shown, and none can be typed.
SHOWN_LIMIT: Final = 2_000_000
# A bracket further away from its partner is not looked for.
BRACKET_REACH: Final = 20_000

# So many rows are drawn once and kept as they are.
KEPT_ROWS: Final = 512

MARKED: Final = RichStyle(underline=True, bold=True)

_LINE_END: Final = re.compile(r"\r\n?")


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
    glyph: str = "×"


class Editor(TextArea, EditedField):
    """A text field that grows with its text.

    Args:
        numbered: the text is JSON, and its lines have numbers.

    Attributes:
        is_json: the text is drawn in the colours of JSON.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # A line end that is pasted without brackets arrives as this key.
        Binding("ctrl+j", "insert_line_end", show=False),
    ]

    DEFAULT_CSS = """
    Editor {
        height: auto; overflow-y: hidden; border: none; padding: 0; background: transparent;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background: $surface-lighten-1 30%; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--gutter { color: $text-muted; background: transparent; }
        & .text-area--cursor-gutter { color: $text; background: transparent; }
    }
    """

    CHANGED = TextArea.Changed

    wrapped_document: EditorRows

    def __init__(
        self,
        *,
        numbered: bool = False,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        # Before: a running application styles what is made at once.
        self._colours: dict[str, RichStyle] = {}
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(KEPT_ROWS)
        super().__init__(
            id=id,
            classes=classes,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=numbered,
            compact=True,
            theme="css",
        )
        self.is_json = numbered
        self._marks: dict[int, list[Mark]] = {}
        self._whole: str | None = None

    # The text

    @property
    def whole_text(self) -> str:
        """The text, also of one that is shown in part."""
        return self.text if self._whole is None else self._whole

    @property
    def is_cut(self) -> bool:
        """Whether only the beginning is shown, because the text is too long to be edited here."""
        return self._whole is not None

    def set_text(self, text: str) -> None:
        """Show another text without it counting as an edit."""
        if text != self.whole_text:
            cursor = self.cursor_location
            with self.prevent(TextArea.Changed):
                self._show(text)
            self.move_cursor(cursor)
        self.is_edited = False

    def replace_text(self, text: str) -> None:
        """Change the whole text, as an edit."""
        if self.is_cut or len(text) > SHOWN_LIMIT:
            self._show(text)
        else:
            self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)

    def _show(self, text: str) -> None:
        is_cut = len(text) > SHOWN_LIMIT
        self._whole = text if is_cut else None
        self.read_only = is_cut
        self.text = text[:SHOWN_LIMIT]

    def location_at(self, index: int) -> Location:
        """The line and column of a character of the text."""
        before = self.text[:index]
        return before.count("\n"), len(before) - (before.rfind("\n") + 1)

    def _set_document(self, text: str, language: str | None) -> None:  # noqa: ARG002
        self.document = EditorDocument(text)
        self.wrapped_document = EditorRows(self.document, self.wrap_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self.move_cursor((0, 0))
        self._refresh_size()

    def _on_resize(self) -> None:
        if self.wrapped_document.width != self.wrap_width:
            self._rewrap_and_refresh_virtual_size()

    def _replace_via_keyboard(
        self, insert: str, start: Location, end: Location
    ) -> EditResult | None:
        return super()._replace_via_keyboard(_LINE_END.sub("\n", insert), start, end)

    def action_insert_line_end(self) -> None:
        self.insert("\n")

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        if sum(map(len, self.document.lines)) > BRACKET_REACH:
            return None
        return super().find_matching_bracket(bracket, search_from)

    # Problems

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Mark problems."""
        by_line: dict[int, list[Mark]] = {}
        for mark in marks:
            by_line.setdefault(mark.start[0], []).append(mark)
        if by_line != self._marks:
            self._marks = by_line
            self.refresh()

    # Drawing: only what is in view is looked at.

    def render_line(self, y: int) -> Strip:
        rows, number = self.wrapped_document, y + self.scroll_offset.y
        if number >= rows.height:
            return Strip.blank(self.size.width, self._base_style)
        line, section = rows.place(number)
        if self._is_worked_at(line):
            return self._row(line, section)
        widths = self.scrollable_content_region.width, self.gutter_width
        key = (line, section, self.document.get_line(line), widths, self.is_json)
        if key not in self._strips:
            self._strips[key] = self._row(line, section)
        return self._strips[key]

    def _is_worked_at(self, line: int) -> bool:
        """Whether the cursor, the selection, a bracket's partner or a problem is in a line."""
        top, bottom = sorted(self.selection)
        partner = self._matching_bracket_location
        is_partner = partner is not None and partner[0] == line
        return top[0] <= line <= bottom[0] or is_partner or line in self._marks

    def _row(self, line: int, section: int) -> Strip:
        """A row of a line as it is drawn."""
        text = self.document.get_line(line)
        start, end = self.wrapped_document.columns(line, section)
        row = EditorRow(text, start, end)
        if self.is_json:
            for first, behind, style in tokens(text):
                if first < end and behind > start:
                    row.stylize(self._colour(style), first, behind)
        marks = self._marks.get(line, ())
        for mark in marks:
            row.stylize(MARKED + self._colour(mark.style), mark.start[1], mark.end[1])
        self._style_selection(row, line)
        strip = Strip.join([self._gutter(line, section), row.strip(self.app.console)])
        strip = strip.extend_cell_length(self.scrollable_content_region.width)
        strip = strip.apply_style(self._base_style)
        return self._annotated(strip, marks[0]) if marks and row.is_last else strip

    def _colour(self, style: str) -> RichStyle:
        """The colour that a style of the theme has on this ground."""
        if style not in self._colours:
            shown = (self.visual_style + Style.parse(style)).rich_style
            self._colours[style] = RichStyle(color=shown.color)
        return self._colours[style]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._colours = {}
        self._strips.clear()

    @property
    def _base_style(self) -> RichStyle:
        return self._theme.base_style or self.rich_style

    def _style_selection(self, row: EditorRow, line: int) -> None:
        """Draw as much of selection, brackets and cursor as is in a row of ``line``."""
        theme, cursor = self._theme, self.selection.end
        top, bottom = sorted(self.selection)
        if top != bottom and top[0] <= line <= bottom[0]:
            length = len(self.document.get_line(line))
            first = top[1] if line == top[0] else 0
            # Of an empty line the blank shows that it is selected.
            behind = bottom[1] if line == bottom[0] else max(length, 1)
            row.stylize(theme.selection_style, first, behind)
        partner = self._matching_bracket_location
        for bracket in (cursor, partner) if partner and top == bottom else ():
            if bracket[0] == line:
                row.stylize(theme.bracket_matching_style, bracket[1], bracket[1] + 1)
        if cursor[0] == line and self._draw_cursor and row.has(cursor[1]):
            row.stylize(theme.cursor_style, cursor[1], cursor[1] + 1)

    def _gutter(self, line: int, section: int) -> Strip:
        if not self.show_line_numbers:
            return Strip([])
        width = self.gutter_width
        number = str(line + 1) if section == 0 else ""
        is_cursor_line = line == self.cursor_location[0]
        style = self._theme.cursor_line_gutter_style if is_cursor_line else None
        style = style or self._theme.gutter_style
        return Strip([Segment(f"{number:>{width - 2}}  ", style)], cell_length=width)

    def _annotated(self, strip: Strip, mark: Mark) -> Strip:
        """The problem's message behind the line, where there is room for some of it."""
        used = cells(strip.text.rstrip())
        room = strip.cell_length - used - 3
        if room < 8:
            return strip
        note = inert(f"{mark.glyph} {mark.message}", mark.style).truncate(room, ellipsis=True)
        shown = to_strip(Content("   ") + note, self.visual_style, room + 3)
        return Strip.join([strip.crop(0, strip.cell_length - shown.cell_length), shown])
