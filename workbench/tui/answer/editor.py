"""The text area of the response editor, with coloured JSON and problems marked in place. A text
that is too large for it is shown in part and edited in ``$EDITOR``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from rich.style import Style as RichStyle
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Focus, Key, Paste, Resize
from textual.geometry import Offset
from textual.reactive import reactive
from textual.strip import Strip
from textual.style import Style
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Location, Selection, TextAreaTheme

from workbench.core.json.holes import HOLE
from workbench.core.json.spans import Path, line_column
from workbench.core.json.values import decoded, dumps
from workbench.core.text.common_prefix import prefix_length
from workbench.tui.answer.editor_holes import EditorHoles
from workbench.tui.answer.marks import Mark, with_note
from workbench.tui.answer.stand_ins import drawn, holds_stand_ins, with_stand_ins, without_stand_ins
from workbench.tui.answer.typed_value import ValueTyping, types_of
from workbench.tui.lines.json_lines import tokens
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import MUTED

# With more than this, each key takes noticeably long.
MOST_CHARACTERS: Final = 1_000_000
MOST_IN_A_LINE: Final = 50_000
# How much is shown of text that cannot be edited here.
SHOWN_CHARACTERS: Final = 10_000
# In a longer text matching brackets are not searched for.
BRACKET_REACH: Final = 20_000

# The cursor's line keeps the colours of its text; the rest is set by the style sheet.
_THEME: Final = TextAreaTheme("workbench", cursor_line_style=RichStyle())
MARKED: Final = RichStyle(underline=True, bold=True)

_LINE_END: Final = re.compile(r"\r\n?")
# A number, or the name of another value of JSON.
_WORD: Final = re.compile(r"[-+\w.]+")


def obstacle_to_editing(text: str) -> str:
    """Why ``text`` can only be edited in ``$EDITOR``; "" if it can be edited here."""
    if len(text) > MOST_CHARACTERS:
        return f"Over {MOST_CHARACTERS:,} characters"
    if len(text) > MOST_IN_A_LINE and max(map(len, text.split("\n"))) > MOST_IN_A_LINE:
        return f"A line of over {MOST_IN_A_LINE:,} characters"
    return "Characters of private use (U+10F000 on)" if holds_stand_ins(text) else ""


class Editor(TextArea):
    """A text area that grows with its text, or scrolls if its height is set.

    In ``text`` and ``document`` some characters are replaced by stand-ins; ``whole_text`` is the
    real text.

    Args:
        has_texts: its strings may contain JSON with holes as well: a whole document.

    Attributes:
        holes: the holes of its text; their ``choices`` are mounted beside an editor with a schema.
        is_json: the text is coloured as JSON, and may have holes.
        problems: the problems marked in the text.
        obstacle: why only the beginning is shown, read-only; "" if the text can be edited here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # A line end pasted without bracketed paste arrives as this key.
        Binding("ctrl+j", "insert_line_end", show=False),
    ]

    DEFAULT_CSS = """
    Editor {
        height: auto; overflow-y: hidden; border: none; padding: 0; background: transparent;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background: $surface-lighten-1 30%; }
        &.-boxed {
            border: round $field-box; padding: 0 1;
            border-title-color: $text-secondary; border-subtitle-color: $foreground-muted;
        }
        &.-boxed:focus { border: round $primary; }
        & .text-area--placeholder { color: $foreground-muted; }
        & .text-area--gutter { color: $foreground-muted; background: transparent; }
        & .text-area--cursor-gutter { color: $foreground; background: transparent; }
    }
    """

    is_json = reactive(False)

    def __init__(
        self,
        *,
        numbered: bool = False,
        boxed: bool = False,
        has_texts: bool = False,
        id: str | None = None,
    ) -> None:
        # Before super().__init__, which calls notify_style_update in a running application.
        self._colours: dict[str, RichStyle] = {}
        self.problems: Sequence[Mark] = []
        self.holes = EditorHoles(self, has_texts=has_texts)
        super().__init__(
            id=id,
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=numbered,
        )
        self.set_class(boxed, "-boxed")
        self._head = Content(""), ""
        self.register_theme(_THEME)
        self.theme = _THEME.name
        self.set_reactive(Editor.is_json, numbered)
        self.set_reactive(Editor.match_cursor_bracket, False)
        # The selection after a key that people tend to follow with Enter.
        self._awaits_enter: Selection | None = None
        self._typing = ValueTyping(self)
        self.obstacle = ""
        self._unshown = ""
        self._taken = ""
        self._wrapped_at = 0

    def set_head(self, title: Content, place: str) -> None:
        """Change the text in the upper and the lower line of the box."""
        if (title, place) != self._head:
            self._head = title, place
            self.border_title = title
            self.border_subtitle = place

    # The text

    @property
    def whole_text(self) -> str:
        """The real text, even if only part of it is shown."""
        return self._unshown if self.obstacle else without_stand_ins(self.text)

    @property
    def is_edited(self) -> bool:
        """True if the text differs from the one that was set or taken last."""
        return self.whole_text != self._taken

    def take_edited(self) -> bool:
        """True if the text was edited since it was set or since the last call."""
        is_edited = self.is_edited
        self._taken = self.whole_text
        return is_edited

    def set_text(self, text: str) -> None:
        """Show another text, which does not count as an edit."""
        if text != self.whole_text:
            cursor = self.cursor_location
            with self.prevent(TextArea.Changed):
                self._show(text)
            self.move_cursor(cursor)
        self._taken = self.whole_text

    def go_to_change(self, before: str) -> None:
        """Put the cursor after what differs from the text ``before``, or select the hole there."""
        after = self.whole_text
        if self.obstacle:
            return
        most = min(len(before), len(after)) - prefix_length(before, after)
        shared = min(prefix_length(before[::-1], after[::-1]), most)
        self.move_cursor(self.location_of(len(after) - shared))
        back = next(
            (p for p in self.holes.places() if p.start < self.cursor_location <= p.end), None
        )
        if back is not None:
            self.selection = back

    def replace_text(self, text: str) -> None:
        """Replace the whole text; this counts as an edit."""
        has_other_ends = "\r" in text or self.document.newline != "\n"
        if self.obstacle or obstacle_to_editing(text) or has_other_ends:
            self._show(text)
        else:
            whole = (0, 0), self.document.end
            self.replace(with_stand_ins(text), *whole, maintain_selection_offset=False)

    def _show(self, text: str) -> None:
        self.obstacle = obstacle_to_editing(text)
        self.read_only = bool(self.obstacle)
        self._unshown = text if self.obstacle else ""
        self.load_text(with_stand_ins(text[:SHOWN_CHARACTERS] if self.obstacle else text))
        self._wrapped_at = self.wrap_width

    def on_resize(self, event: Resize) -> None:
        """Wrap the text again only if the width changed; the height changes as lines are typed."""
        if self.wrap_width == self._wrapped_at:
            event.prevent_default()
            if self.has_focus:
                self.scroll_cursor_visible(animate=False)
        self._wrapped_at = self.wrap_width

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        if sum(map(len, self.document.lines)) > BRACKET_REACH:
            return None
        return super().find_matching_bracket(bracket, search_from)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # The history of the answer undoes typing.
        return action not in ("undo", "redo") and super().check_action(action, parameters)

    # Typing and the clipboard: text that leaves the editor has no stand-ins, text that enters does.

    def action_insert_line_end(self) -> None:
        self.insert("\n")

    def on_paste(self, event: Paste) -> None:
        event.prevent_default()
        event.stop()
        self._paste(event.text)

    def action_paste(self) -> None:
        self._paste(self.app.clipboard)

    def _paste(self, text: str) -> None:
        if self.read_only:
            return
        text = _LINE_END.sub("\n", text)
        top, bottom = self.holes.place or sorted(self.selection)
        hole = self.holes.hole
        if hole is not None and hole.is_text and not types_of(decoded(text)) & hole.others:
            if isinstance(decoded(text), dict):
                top, bottom = (0, 0), self.document.end  # a whole answer, not one text of it
            elif not isinstance(decoded(text), str) or decoded(text) == text:
                text = dumps(text.strip("\n"))
        before = self.get_text_range((0, 0), top)
        after = self.get_text_range(bottom, self.document.end)
        around = without_stand_ins(before), without_stand_ins(after)
        if obstacle := obstacle_to_editing(text.join(around)):
            message = f"Not pasted: {obstacle[0].lower()}{obstacle[1:]}. ^o edits this in $EDITOR."
            say(self, message, "warning")
            return
        done = self.replace(with_stand_ins(text), top, bottom, maintain_selection_offset=False)
        self.move_cursor(done.end_location)

    def action_copy(self) -> None:
        super().action_copy()
        self._copy_without_stand_ins()

    def action_cut(self) -> None:
        super().action_cut()
        self._copy_without_stand_ins()

    def _copy_without_stand_ins(self) -> None:
        copied = without_stand_ins(self.app.clipboard)
        if copied != self.app.clipboard:
            self.app.copy_to_clipboard(copied)

    def location_of(self, index: int) -> Location:
        """The line and column of an index of the text."""
        line, column = line_column(self.text, index)
        return line - 1, column - 1

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit. One of a part of a hole is one of all of it."""
        top, bottom = self.holes.widened(edit.top, edit.bottom)
        return super().edit(Edit(edit.text, top, bottom, edit.maintain_selection_offset))

    def go_to_value(self, start: Location, end: Location, path: Path | None = None) -> None:
        """Select a hole or a value of one word, so that typing replaces it, or go to the start of
        another value. The quotes of a string are selected where the schema has none at ``path``.
        """
        text = self.get_text_range(start, end)
        if hole := HOLE.match(self.document.get_line(start[0]), start[1]):
            self.selection = Selection(start, (start[0], hole.end()))
        elif len(text) > 1 and text[0] == text[-1] == '"':
            quote = 1 if self.holes.takes_text(path) else 0
            self.selection = Selection((start[0], start[1] + quote), (end[0], end[1] - quote))
        elif _WORD.fullmatch(text):
            self.selection = Selection(start, end)
        elif not start <= self.cursor_location <= end:
            self.move_cursor(start)

    def await_enter(self) -> None:
        """Ignore Enter if it is the next key."""
        self._awaits_enter = self.selection

    @on(TextArea.Changed)
    @on(TextArea.SelectionChanged)
    @on(Focus)
    def _offer_choices(self) -> None:
        self.holes.offer_choices()

    def on_focus(self) -> None:
        self.match_cursor_bracket = True

    def on_blur(self) -> None:
        self.match_cursor_bracket = False  # a pair of brackets would look like cursors
        self.holes.choices.hide()

    def on_key(self, event: Key) -> None:
        is_awaited = event.key == "enter" and self._awaits_enter == self.selection
        self._awaits_enter = None
        if is_awaited or self.holes.take(event) or self._typing.take(event):
            event.prevent_default()
            event.stop()

    def action_cursor_up(self, select: bool = False) -> None:
        if self.holes.choices.texts and not select:
            self.holes.choices.move(-1)
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        if self.holes.choices.texts and not select:
            self.holes.choices.move(1)
        else:
            super().action_cursor_down(select)

    # Problems

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Mark these problems instead of those marked before."""
        if marks != self.problems:
            self.problems = marks
            self._redraw()

    def watch_is_json(self) -> None:
        self._redraw()

    def _redraw(self) -> None:
        """Draw all lines again, without the cache of drawn lines."""
        self.notify_style_update()
        self.refresh()

    # Drawing

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        if self.is_json:
            for start, end, style in tokens(line.plain):
                line.stylize(self._colour(str(style)), start, end)
            for span in self.holes.spans(line.plain):
                line.stylize(self._colour(MUTED), *span)
        for mark in self.problems:
            if mark.start[0] == line_index:
                line.stylize(MARKED + self._colour(mark.style), mark.start[1], mark.end[1])
        line.plain = drawn(line.plain)
        return line

    def render_line(self, y: int) -> Strip:
        """A row as Textual draws it, with the message of the first mark at the end of a marked
        line.
        """
        strip = super().render_line(y)
        if not self.problems:
            return strip
        row, rows = y + self.scroll_offset.y, self.wrapped_document
        line, _ = rows.offset_to_location(Offset(0, row))
        mark = next((mark for mark in self.problems if mark.start[0] == line), None)
        last_row = rows.location_to_offset((line, len(self.document.get_line(line)))).y
        return with_note(strip, mark, self.visual_style) if mark and row == last_row else strip

    def _colour(self, style: str) -> RichStyle:
        """The colour of a theme style on this background."""
        if style not in self._colours:
            shown = (self.visual_style + Style.parse(style)).rich_style
            self._colours[style] = RichStyle(color=shown.color)
        return self._colours[style]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._colours = {}
