"""Filters of drawn lines: for terminals that cannot draw our glyphs, and encodings without them."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_PLAIN: Final = str.maketrans(
    {
        "●": "*", "○": "o", "◐": "~", "╳": "#", "×": "x", "·": ".", "→": ">", "↳": "^", "✓": "v",
        "│": "|", "─": "-", "━": "=", "┃": "|", "▕": "|", "▏": "|", "▔": "~", "▾": "v", "▸": ">",
        "…": "~", "⏎": "<", "↑": "^", "↓": "v", "≠": "!", "‖": "=", "≈": "%", "»": ">",
        "┏": "+", "┓": "+", "┗": "+", "┛": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+",
        "╭": "+", "╮": "+", "╰": "+", "╯": "+", "▌": "|", "◂": "<", "▁": "_",
        "█": "#", "←": "<", "◆": "+", "⊘": "/", "≡": "*",
        **dict.fromkeys("▂▃▄▅▆▇", " "),  # the ends of scrollbars, drawn by their background
        "\N{NO-BREAK SPACE}": " ",
    }
)  # fmt: skip


def wants_plain() -> bool:
    """True if the terminal or the user requests plain characters."""
    is_requested = os.environ.get("WORKBENCH_PLAIN") or os.environ.get("TERM") == "linux"
    return bool(is_requested or lacking_encoding())


def lacking_encoding() -> str:
    """The output encoding if it is not a Unicode encoding; else ""."""
    # Textual writes to stderr, whose encoding PYTHONIOENCODING may set.
    encoding = getattr(sys.__stderr__, "encoding", None) or locale.getpreferredencoding(False)
    return "" if "utf" in encoding.lower() else encoding


class PlainCharacters(LineFilter):
    """Replaces glyphs and borders by plain characters."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [
            Segment(text.translate(_PLAIN), style, control) for text, style, control in segments
        ]


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


class FilterChain(LineFilter):
    """Applies filters one after another. Given to Textual one by one, each of them would leave a
    strip with caches of its own for every line that is drawn.
    """

    def __init__(self, filters: Sequence[LineFilter]) -> None:
        super().__init__()
        self.filters = filters

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for each in self.filters:
            segments = each.apply(segments, background)
        return segments
