"""The output of a command in its colours, mapped to the theme, because a terminal's colours are
unreadable on some backgrounds.
"""

from __future__ import annotations

from typing import Final

from rich.color import Color, ColorSystem
from rich.style import Style
from rich.text import Text
from textual.content import Content, Span

from workbench.tui.widgets.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

_TEXT: Final = "$foreground"
# By the number of a terminal: black, red, green, yellow, blue, magenta, cyan, white; then bright.
_COLOURS: Final = (
    _TEXT, ERROR, SUCCESS, WARNING, ACCENT, "$text-accent", LABEL, _TEXT,
    MUTED, ERROR, SUCCESS, WARNING, ACCENT, "$text-accent", LABEL, _TEXT,
)  # fmt: skip
_ATTRIBUTES: Final = ("bold", "italic", "underline", "strike", "reverse")


def from_ansi(written: str) -> Content:
    """A line with escape sequences that set styles."""
    text = Text.from_ansi(written)
    spans = [
        Span(start, end, _themed(style))
        for start, end, style in text.spans
        if isinstance(style, Style)
    ]
    return Content(text.plain, spans)


def _themed(style: Style) -> str:
    """The style in colours of the theme; a coloured ground is the colour of the text, reversed."""
    parts = [name for name in _ATTRIBUTES if getattr(style, name)]
    colour = _name_of(style.color)
    if ground := _name_of(style.bgcolor):
        colour = ground
        parts.append("reverse")
    elif style.dim:
        colour = MUTED
    return " ".join([*parts, colour]).strip()


def _name_of(colour: Color | None) -> str:
    """The theme's name of the nearest colour that every terminal has; "" for the usual one."""
    number = colour.downgrade(ColorSystem.STANDARD).number if colour is not None else None
    return "" if number is None else _COLOURS[number]
