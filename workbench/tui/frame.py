"""The frame round a pane: a title left, facts right, in one border line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.geometry import Region
from textual.message import Message

from workbench.tui.styles import FOCUSED_LINE, LINE, MUTED
from workbench.tui.telling import Telling

# Corner, line and blank on each side of the title.
TITLE_MARGIN = 6


class Framed(Telling):
    """A widget whose upper border says what it is (left) and how it stands (right)."""

    # A pane whose fields have the focus takes the whole screen too.
    ALLOW_MAXIMIZE = True

    DEFAULT_CSS = """
    Framed {
        border: solid $foreground 20%; padding: 0 1;
        border-title-color: $foreground 80%; border-subtitle-color: $foreground-muted;
    }
    Framed:focus, Framed:focus-within {
        border: heavy $primary; border-title-color: $text-primary; background: $surface;
    }
    """

    @dataclass
    class PaneChosen(Message):
        """A name in the frame was clicked; ``number`` counts the panes from 0."""

        number: int

    _frame_left = Content("")
    _frame_right = Content("")

    def set_frame(self, left: Content, right: Content) -> None:
        """Change the title and the facts; where both do not fit, the facts give way."""
        self._frame_left, self._frame_right = left, right
        self.update_frame()

    def update_frame(self) -> None:
        """Draw the frame's text again: the width or the focus changed."""
        room = self.outer_size.width - TITLE_MARGIN
        left, right = self._frame_left, self._frame_right
        gap = room - left.cell_length - right.cell_length - 2
        if room <= 0:
            return
        if not right or gap < 1:
            title = left.truncate(room, ellipsis=True)
        else:
            focused = self.has_focus or self.has_focus_within
            glyph, style = ("━", FOCUSED_LINE) if focused else ("─", LINE)
            line = Content.styled(glyph * gap, style)
            title = left + Content(" ") + line + Content(" ") + right
        if title != self._border_title:
            self._border_title = title
            self._refresh_border(0)

    def set_foot(self, text: str) -> None:
        """Change what stands in the lower border."""
        foot = Content(text) if text else None
        if foot != self._border_subtitle:
            self._border_subtitle = foot
            self._refresh_border(self.outer_size.height - 1)

    def _refresh_border(self, line: int) -> None:
        """Draw one line of the border again. Setting ``border_title`` would draw the whole pane,
        which costs more than everything else a key in a list does.
        """
        left, top = self.content_offset
        self.refresh(Region(-left, line - top, self.outer_size.width, 1))

    def action_choose_pane(self, number: int) -> None:
        self.post_message(self.PaneChosen(number))

    def on_resize(self) -> None:
        self.update_frame()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.update_frame()

    def on_descendant_focus(self) -> None:
        self.update_frame()

    def on_descendant_blur(self) -> None:
        self.call_after_refresh(self.update_frame)


def tab_line(names: Sequence[str], chosen: int, *, action: str, first: int = 0) -> Content:
    """``[Request]  Answer  Preview``: the chosen one in brackets, each a button.

    Args:
        action: called with the number of the one clicked.
        first: the number of the first.
    """
    parts = []
    for number, name in enumerate(names, start=first):
        text = f"[{name}]" if number == chosen else name
        style = "bold" if number == chosen else MUTED
        parts.append(Content(text).stylize(f"{style} @click={action}({number})"))
    return Content("  ").join(parts)
