"""Labels: keys with their names, words that can be clicked, text that changes often."""

from __future__ import annotations

from rich.style import Style as RichStyle
from textual.content import Content
from textual.visual import VisualType
from textual.widget import Widget
from textual.widgets import Label

from workbench.tui.widgets.styles import KEY


def named_key(key: str, name: str) -> Content:
    """A key and what it does: ``⏎ Edit``."""
    return Content.styled(key, KEY) + Content(f" {name}")


class Buttons(Widget):
    """Draws clickable words in their own colours instead of Textual's one colour for links."""

    # A button is pressed, so its text is not marked.
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
