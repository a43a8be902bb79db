"""Words that can be clicked."""

from __future__ import annotations

from rich.style import Style as RichStyle
from textual.widget import Widget


class Buttons(Widget):
    """Draws words that can be clicked in the colours they were given; Textual would give all of
    them the one colour of its links.
    """

    @property
    def link_style(self) -> RichStyle:
        return RichStyle.null()
