"""Plain characters for terminals that cannot draw ours: every drawn line is translated."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from workbench.tui.glyphs import plain


class PlainCharacters(LineFilter):
    """Replaces glyphs and borders by their plain twins, one cell by one cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(plain(text), style, control) for text, style, control in segments]
