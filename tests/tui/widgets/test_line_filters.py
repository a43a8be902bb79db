"""Which terminals get plain characters, and that lines are as long with them."""

from __future__ import annotations

import os
import subprocess
import sys

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


LOOK = "from workbench.tui.widgets.line_filters import wants_plain; print(wants_plain())"


@pytest.mark.parametrize(
    ("environment", "wants"),
    [
        ({}, False),
        ({"TERM": "linux"}, True),
        ({"PYTHONIOENCODING": "latin-1"}, True),  # which is for what is drawn, too
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, True),
    ],
)
def test_the_terminal_that_cannot_draw_our_glyphs(environment: dict[str, str], wants: bool) -> None:
    around = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
    told = subprocess.run(
        [sys.executable, "-c", LOOK], env=around, capture_output=True, check=True, timeout=60
    )
    assert told.stdout.decode().strip() == str(wants)
