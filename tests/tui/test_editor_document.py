"""The editor's text and rows: nothing of it changed, every column in its row."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._cells import cell_len
from textual.document._document import Location
from textual.geometry import Offset

from workbench.tui.editor_document import EditorDocument, EditorRows, breaks, cells, drawn

texts = st.text(st.sampled_from("ab  \n\t\r\u2028\x85漢é\u0301👩\u200d\x00"), max_size=60)
widths = st.integers(1, 9)


@given(texts)
def test_a_text_is_as_it_was(text: str) -> None:
    assert EditorDocument(text).text == text


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\r\nb\n", ["a\r", "b", ""]),
        ("a\u2028b\x85c\x0cd", ["a\u2028b\x85c\x0cd"]),
    ],
)
def test_lines_end_at_line_feeds_or_all_at_both(text: str, lines: list[str]) -> None:
    assert EditorDocument(text).lines == lines


def index_of(text: str, newline: str, location: Location) -> int:
    lines = text.split(newline)
    return sum(len(line) + len(newline) for line in lines[: location[0]]) + location[1]


@given(texts, st.data(), st.text(st.sampled_from("xy\n\u2028"), max_size=6))
def test_an_edit_replaces_what_it_names_and_is_taken_back(
    text: str, data: st.DataObject, new: str
) -> None:
    document = EditorDocument(text)
    newline = document.newline
    rows = st.integers(0, document.line_count - 1)
    places = [
        (row, data.draw(st.integers(0, len(document.get_line(row)))))
        for row in (data.draw(rows), data.draw(rows))
    ]
    start, end = (index_of(text, newline, place) for place in sorted(places))
    result = document.replace_range(places[0], places[1], new)
    written = new.replace("\n", newline)
    assert document.text == text[:start] + written + text[end:]
    assert result.replaced_text == text[start:end]
    assert index_of(document.text, newline, result.end_location) == start + len(written)
    document.replace_range(min(places), result.end_location, result.replaced_text)
    assert document.text == text


@given(texts, widths)
def test_every_row_fits_and_none_is_lost(text: str, width: int) -> None:
    for line in text.split("\n"):
        parts = [line[a:b] for a, b in pairwise([0, *breaks(line, width), len(line)])]
        assert "".join(parts) == line
        assert all(parts) or not line
        for part in parts:
            # One character that is wider than the row has a row for itself.
            assert cells(part) <= width or cells(part[1:]) == 0


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("to be or not to be", ["to be ", "or not ", "to be"]),
        ("unbelievable", ["unbelie", "vable"]),
        ("a unbelievable", ["a ", "unbelie", "vable"]),
        ("漢字かな", ["漢字か", "な"]),
        ("a\tb\tc", ["a\t", "b\tc"]),
    ],
)
def test_rows_break_behind_blanks(line: str, parts: list[str]) -> None:
    found = breaks(line, 7)
    assert [line[a:b] for a, b in pairwise([0, *found, len(line)])] == parts


def test_what_is_taken_for_one_cell_is_drawn_in_one() -> None:
    for code in range(0x2400):  # everything above is measured
        character = chr(code)
        if cells(character) != cell_len(drawn(character)):
            pytest.fail(f"{code:#x} takes {cell_len(drawn(character))} cells")


@given(texts, widths, st.data(), st.text(st.sampled_from("x \n"), max_size=9))
def test_rows_after_an_edit_are_those_of_the_text(
    text: str, width: int, data: st.DataObject, new: str
) -> None:
    document = EditorDocument(text)
    rows = EditorRows(document, width)
    assert rows.height >= 1  # the rows are counted, so that the edit has to count anew
    lines = st.integers(0, document.line_count - 1)
    start, end = sorted(
        (row, data.draw(st.integers(0, len(document.get_line(row)))))
        for row in (data.draw(lines), data.draw(lines))
    )
    result = document.replace_range(start, end, new)
    rows.wrap_range(start, end, result.end_location)
    fresh = EditorRows(EditorDocument(document.text), width)
    if EditorDocument(document.text).lines == document.lines:
        assert rows.height == fresh.height
        assert [rows.place(row) for row in range(rows.height)] == [
            fresh.place(row) for row in range(fresh.height)
        ]


@given(texts, widths)
def test_places_on_the_screen_and_in_the_text_are_one(text: str, width: int) -> None:
    rows = EditorRows(EditorDocument(text), width)
    seen = []
    for row in range(rows.height):
        line, section = rows.place(row)
        start, end = rows.columns(line, section)
        seen.append((line, rows.document.get_line(line)[start:end]))
        assert rows.location_to_offset((line, start)).y == row or start == end
        for column in range(start, end):
            offset = rows.location_to_offset((line, column))
            assert offset.y == row
            found = rows.offset_to_location(offset)
            if cells(rows.document.get_line(line)[column]):
                assert found[0] == line
                assert cells(rows.document.get_line(line)[start : found[1]]) == offset.x
    for line in range(rows.document.line_count):
        assert rows.get_sections(line) == [part for number, part in seen if number == line]


def test_beyond_the_end_is_the_end() -> None:
    rows = EditorRows(EditorDocument("one\ntwo"), 10)
    assert rows.offset_to_location(Offset(99, 99)) == (1, 3)
    assert rows.offset_to_location(Offset(-1, -1)) == (0, 0)
