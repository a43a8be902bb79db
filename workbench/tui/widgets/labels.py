"""Labels: with words that can be clicked, with text that changes often, and headings."""

from __future__ import annotations

from rich.style import Style as RichStyle
from textual.content import Content
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Label

from workbench.tui.widgets.styles import LINE, MUTED


class Buttons(Widget):
    """Draws clickable words in their own colours instead of Textual's one colour for links."""

    # What is pressed is a button, not text to mark.
    ALLOW_SELECT = False

    @property
    def link_style(self) -> RichStyle:
        return RichStyle.null()


class SteadyLabel(Buttons, Label):
    """A label whose size does not depend on its text: another text needs no layout of the screen,
    which is the cost of a key.
    """

    def update(self, content: VisualType = "", *, layout: bool = False) -> None:
        before = self.content
        if isinstance(content, Content) and isinstance(before, Content) and content.is_same(before):
            return
        super().update(content, layout=layout)


class Heading(SteadyLabel):
    """A heading that fills the width with a line: ``content ─────────── 1:59 ──``."""

    DEFAULT_CSS = """
    Heading { width: 1fr; height: 1; color: $foreground-muted; }
    """

    _parts = (Content(""), "")

    def set_parts(self, left: Content, right: str = "") -> None:
        """Show ``left``, and ``right`` at the end of the line if there is room for it."""
        self._parts = (left, right)
        self.on_resize()

    def on_resize(self) -> None:
        (left, right), end = self._parts, Content("")
        if right:
            end = Content.styled(f" {right} ", MUTED) + Content.styled("──", LINE)
        room = max(self.size.width - 3, 0)  # without the blank and the shortest line
        if left.cell_length + end.cell_length > room:
            left, end = left.truncate(room, ellipsis=True), Content("")
        line = "─" * (room + 2 - left.cell_length - end.cell_length)
        self.update(left + Content(" ") + Content.styled(line, LINE) + end)
