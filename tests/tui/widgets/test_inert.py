"""What the line filter lets through to the terminal."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from tests.strategies import TRICKY
from workbench.core.text.inert import MOST_MARKS, unsafe
from workbench.tui.lines.text_lines import indented
from workbench.tui.widgets.inert import InertFilter, inert

BLACK = Color(0, 0, 0)
texts = st.text(alphabet=TRICKY + "\x1b\x07\x9b\u202e\ud83d ab日")


def filtered(*segments: Segment) -> list[Segment]:
    return InertFilter().apply(list(segments), BLACK)


@given(st.lists(texts))
def test_no_unsafe_character_is_left(lines: list[str]) -> None:
    drawn = filtered(*map(Segment, lines))
    assert not any(unsafe().search(text) for text, _, _ in drawn)


def test_a_safe_line_is_left_alone() -> None:
    safe = [Segment("naïve café 日本 👩‍🚀", Style(bold=True)), Segment("│ ok")]
    assert InertFilter().apply(safe, BLACK) is safe


def test_a_line_keeps_its_length_and_its_styles() -> None:
    drawn = filtered(Segment("a\x1b[2Jb", Style(bold=True)), Segment("日  "))
    assert drawn[0] == Segment("a␛[2Jb", Style(bold=True))
    assert Segment.get_line_length(drawn) == Segment.get_line_length(
        [Segment("a\x1b[2Jb"), Segment("日  ")]
    )


def test_an_emoji_is_as_wide_in_every_terminal() -> None:
    line = "⚠️ 1️⃣ ☔️ 🏳️‍🌈 a\ufe0f│"
    [drawn] = filtered(Segment(line))
    # Each with as many blanks as this version of Rich counts cells.
    assert drawn.text.split() == ["⚠", "1⃣", "☔", "🏳️‍🌈", "a│"]
    assert drawn.cell_length == cell_len(line)


def test_an_emoji_has_no_tone_of_skin_which_some_terminals_draw_beside_it() -> None:
    line = "\U0001f44d\U0001f3fd │"
    [drawn] = filtered(Segment(line))
    assert drawn.text == "\U0001f44d │"
    assert drawn.cell_length == cell_len(line)


def test_joined_emoji_stand_side_by_side() -> None:
    joined, apart = "a family 👨‍👩‍👧, نمی‌خواهم, क्‍ष", "a family 👨👩👧, نمی‌خواهم, क्‍ष"
    assert inert(joined).plain == apart
    assert [line.plain for line in indented(joined, 2)] == [f"  {apart}"]


def test_links_and_control_segments_go() -> None:
    link = Style(italic=True, link="http://evil\x07", meta={"@click": "app.quit"})
    strip = Strip([Segment("here", link), Control.home().segment]).apply_filter(
        InertFilter(), BLACK
    )
    [segment] = strip
    assert segment.style is not None
    assert (segment.text, segment.style.link, segment.style.italic) == ("here", None, True)
    assert segment.style.meta == {"@click": "app.quit"}
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor")
    assert "\x1b]8;" not in strip.render(console)


def test_few_marks_are_drawn_on_one_character() -> None:
    crowd = "a" + "\u0301" * 239
    assert inert(crowd).plain.count("\u0301") == MOST_MARKS
    drawn = filtered(Segment(crowd), Segment(" b"))
    assert "".join(segment.text for segment in drawn).count("\u0301") == MOST_MARKS
