"""Line filters for terminals that cannot draw our glyphs, and for encodings without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_BLANKS = re.compile("  +")
_PLAIN: Final = str.maketrans(
    {
        "●": "*", "○": "o", "◐": "~", "╳": "#", "×": "x", "·": ".", "→": ">", "↳": "^", "✓": "v",
        "│": "|", "─": "-", "━": "=", "┃": "|", "▕": "|", "▏": "|", "▔": "~", "▾": "v", "▸": ">",
        "…": "~", "⏎": "Enter", "↑": "^", "↓": "v", "≠": "!", "‖": "=", "≈": "%", "»": ">",
        "┏": "+", "┓": "+", "┗": "+", "┛": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+",
        "╭": "+", "╮": "+", "╰": "+", "╯": "+", "▌": "|", "◂": "<", "▁": "_",
        "█": "#", "←": "<", "◆": "+", "⊘": "/", "≡": "*", "◌": "o",
        **dict.fromkeys("▂▃▄▅▆▇", " "),  # the ends of scrollbars, drawn by their background
        "\N{NO-BREAK SPACE}": " ",
    }
)  # fmt: skip


class PlainCharacters(LineFilter):
    """Replaces glyphs and borders by plain characters. If a replacement is longer, blanks are
    removed, so that the line keeps its length.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        drawn = [
            Segment(text.translate(_PLAIN), style, control) for text, style, control in segments
        ]
        longer = _characters(drawn) - _characters(segments)
        return _squeezed(drawn, longer) if longer else drawn


class WritableCharacters(LineFilter):
    """Replaces each character that the encoding does not have by question marks of the same width.

    Args:
        encoding: "" for an encoding that has all characters.
    """

    def __init__(self, encoding: str) -> None:
        super().__init__(enabled=bool(encoding))
        self._encoding = encoding

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(self._writable(text), style, control) for text, style, control in segments]

    def _writable(self, text: str) -> str:
        if text.isascii():
            return text
        return "".join(c if c.encode(self._encoding, "ignore") else "?" * cell_len(c) for c in text)


def _characters(segments: Sequence[Segment]) -> int:
    return sum(len(text) for text, _, _ in segments)


def _squeezed(segments: Sequence[Segment], count: int) -> list[Segment]:
    """A line with ``count`` blanks removed, the last ones first; cut if there are too few."""
    length = Segment.get_line_length([*segments]) - count
    squeezed: list[Segment] = []
    for text, style, control in reversed(segments):
        for blanks in reversed([*_BLANKS.finditer(text)]):
            begin = max(blanks.start() + 1, blanks.end() - count)
            text, count = text[:begin] + text[blanks.end() :], count - (blanks.end() - begin)
            if not count:
                break
        squeezed.insert(0, Segment(text, style, control))
    return Segment.adjust_line_length(squeezed, length)
