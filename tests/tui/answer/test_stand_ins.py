"""What an editor holds in place of characters that it cannot hold."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.widgets import TextArea

from workbench.core.text.inert import unsafe
from workbench.tui.answer.stand_ins import (
    REPLACED,
    STAND_INS,
    drawn,
    holds_stand_ins,
    with_stand_ins,
    without_stand_ins,
)

texts = st.text(st.sampled_from("ab \n\r\t\x00\x0b\x1b\x1c\x85é漢\u200b\u2028\u2029\U000e0041"))


@given(texts)
def test_a_text_that_is_edited_is_as_it_was(text: str) -> None:
    area = TextArea(with_stand_ins(text))
    assert without_stand_ins(area.text) == text


@given(st.text().filter(lambda text: not holds_stand_ins(text)))
def test_every_text_has_its_own_characters_again(text: str) -> None:
    assert without_stand_ins(with_stand_ins(text)) == text
    assert len(with_stand_ins(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\r\nb\n", ["a␍", "b", ""]),
        ("a\rb", ["a␍b"]),
        ("a\u2028b\x85c\x0cd", ["a¤b¤c␌d"]),
    ],
)
def test_lines_end_at_line_feeds_or_all_at_both(text: str, lines: list[str]) -> None:
    document = TextArea(with_stand_ins(text)).document
    assert [drawn(line) for line in document.lines] == lines


def test_whatever_is_unsafe_to_draw_has_a_stand_in() -> None:
    found = {c for c in map(chr, range(sys.maxunicode + 1)) if unsafe().match(c)}
    held = {"\t", "\n", *map(chr, range(0xD800, 0xE000))}
    assert set(REPLACED) == found - held


def test_stand_ins_take_one_cell_and_end_no_line() -> None:
    assert [cell_len(character) for character in STAND_INS] == [1] * len(REPLACED)
    assert STAND_INS.splitlines() == [STAND_INS]


def test_characters_of_private_use_are_told_from_stand_ins() -> None:
    assert holds_stand_ins(f"a{STAND_INS[-1]}")
    assert not holds_stand_ins("a\x00\uf8ff\U0010f7ff")
