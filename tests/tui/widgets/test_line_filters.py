"""Lines in plain characters are as long as they were."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.color import Color

from workbench.tui.widgets.line_filters import PlainCharacters


@pytest.mark.parametrize(
    ("line", "drawn"),
    [
        (["│ ● 1 ", "○     ", "│"], "| * 1 o     |"),
        (["⏎ 行   ", "│"], "< 行   |"),
        (["╭─╮╰╯▌", "◂ ", "▁▂▃▄▅▆▇"], "+-+++|< _      "),
    ],
)
def test_each_glyph_has_a_plain_one(line: list[str], drawn: str) -> None:
    segments = [Segment(text) for text in line]
    plain = PlainCharacters().apply(segments, Color(0, 0, 0))
    assert "".join(text for text, _, _ in plain) == drawn
    assert Segment.get_line_length(plain) == Segment.get_line_length(segments)
