"""Wrapping: every character in its row, no row too wide, however it is sliced."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from tests.cases import each_case
from workbench.tui.lines.line_layout import Line, LineLayout, TextLine, row_starts

WORDS = "the quick brown fox jumps over the lazy dog"
lines = st.lists(
    st.text(alphabet=st.sampled_from("ab  -é日🚀\u0301"), max_size=60).map(TextLine), max_size=8
)


def laid_out(source: list[TextLine], width: int) -> LineLayout:
    layout = LineLayout(source)
    layout.set_width(width)
    assert layout.advance(10)
    return layout


def rows(layout: LineLayout) -> list[str]:
    """The text of each row."""
    found = []
    for number in range(len(layout)):
        row = layout.row(number)
        found.append(" " * row.indent + layout.lines[row.line].plain[row.start : row.end])
    return found


@each_case(
    "text, width, expected",
    [
        ("", 10, [""]),
        ("short", 10, ["short"]),
        ("exactly 10", 10, ["exactly 10"]),
        (WORDS, 16, ["the quick brown ", "fox jumps over ", "the lazy dog"]),
        ("    " + WORDS, 20, ["    the quick brown ", "    fox jumps over ", "    the lazy dog"]),
        ("x" * 25, 10, ["x" * 10, "x" * 10, "x" * 5]),
        ("a " + "x" * 12, 10, ["a ", "x" * 10, "xx"]),
        ("日本語のテキスト", 6, ["日本語", "のテキ", "スト"]),
        ("é" * 12, 10, ["é" * 10, "éé"]),
        ("trailing  ", 9, ["trailing  "]),
    ],
)
def test_rows(text: str, width: int, expected: list[str]) -> None:
    assert rows(laid_out([TextLine(text)], width)) == expected


@given(lines, st.integers(1, 40))
def test_nothing_is_lost_and_nothing_is_too_wide(source: list[TextLine], width: int) -> None:
    layout = laid_out(source, width)
    assert layout.lines == source
    shown = ["" for _ in source]
    for number in range(len(layout)):
        row = layout.row(number)
        text = source[row.line]
        assert layout.row_of(row.line, row.start) == number
        assert row.end > row.start or text == ""
        shown[row.line] += text[row.start : row.end]
        width_of_row = row.indent + cell_len(text[row.start : row.end].rstrip(" "))
        # One wide character has to go somewhere.
        assert width_of_row <= max(width, 2 + row.indent)
    assert shown == [text if text else "" for text in source]


@given(lines, st.integers(4, 40), st.data())
def test_slices_give_the_same_rows(source: list[TextLine], width: int, data: st.DataObject) -> None:
    layout = LineLayout(iter(source))
    layout.set_width(width)
    for _ in range(data.draw(st.integers(0, 3))):
        layout.advance(0, row=data.draw(st.integers(0, 30)))
    assert layout.advance(10)
    assert rows(layout) == rows(laid_out(source, width))
    layout.set_width(width + 7)
    assert layout.advance(10)
    assert rows(layout) == rows(laid_out(source, width + 7))


def test_lines_are_made_only_as_far_as_wanted() -> None:
    made = []

    def endless() -> Iterator[Line]:
        number = 0
        while True:
            made.append(number)
            yield TextLine(f"line {number}")
            number += 1

    layout = LineLayout(endless())
    assert layout.advance(0)  # no width, nothing to lay out
    layout.set_width(20)
    assert not layout.advance(0, row=100)
    assert 100 <= len(layout) < 300
    assert not layout.advance(0, line=500)
    assert layout.first_row(500) == 500
    assert len(made) < 700
    assert layout.first_row(10_000) == len(layout)


def test_a_long_line_is_laid_out_in_slices() -> None:
    layout = LineLayout([TextLine("word " * 200_000)])
    layout.set_width(80)
    assert not layout.advance(0, row=10)
    assert len(layout) < 200
    assert layout.row(len(layout) - 1).end <= layout.row(len(layout) - 1).start + 4 * 80
    assert layout.advance(10)
    assert len(layout) == 12_500


def test_content_and_text_are_laid_out_alike() -> None:
    text = "    " + WORDS
    layout = LineLayout([Content(text), TextLine(text)])
    layout.set_width(20)
    layout.advance(10)
    half = len(layout) // 2
    assert rows(layout)[:half] == rows(layout)[half:]


def test_a_word_longer_than_the_indent_leaves_no_empty_row() -> None:
    starts = list(row_starts("            " + "x" * 30, 16))
    assert starts[0] == 0
    assert starts[1] > 12
