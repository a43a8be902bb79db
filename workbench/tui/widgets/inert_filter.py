"""The line filter that everything drawn goes through: no output acts on the terminal."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from workbench.core.inert import UNSAFE
from workbench.tui.widgets.inert import picture


class InertFilter(LineFilter):
    """Draws each unsafe character as one visible cell, and drops links and control segments.

    ``inert`` makes untrusted text readable before that; if it is forgotten, a line may lose its
    alignment, no more. Links are dropped because their target is written to the terminal (OSC 8).
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(map(_is_inert, segments)):
            return segments
        drawn = [
            Segment(
                UNSAFE.sub(lambda match: picture(match[0]), text), style and style.update_link(None)
            )
            for text, style, control in segments
            if not control
        ]
        return Segment.adjust_line_length(drawn, Segment.get_line_length(segments))


def _is_inert(segment: Segment) -> bool:
    text, style, control = segment
    is_plain = (text.isascii() and text.isprintable()) or not UNSAFE.search(text)
    return is_plain and not control and not (style and style.link)
