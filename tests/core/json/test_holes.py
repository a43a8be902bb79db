"""Holes in JSON texts: where they are, and the text without them."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.core.json.holes import filled, holes, holes_in_strings
from workbench.core.json.layout import layout

BOOKING = '{"city": ‹text›, "days": ‹integer, 1 to 14›, "unit": ‹c | f›, "guests": [‹text›]}'


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BOOKING, ["‹text›", "‹integer, 1 to 14›", "‹c | f›", "‹text›"]),
        ("‹›", ["‹›"]),
        ('{"a": "‹text›"}', []),
        (r'{"a": "\"‹text›", "b": ‹"c" | 1›}', ['‹"c" | 1›']),
        ('{"a": "no end, "b": ‹text›', ["‹text›"]),
        ("‹no end", []),
        ("‹a\nb›", []),
        ("‹a ‹b›", ["‹b›"]),
        ("no holes", []),
    ],
)
def test_where_the_holes_are(text: str, found: list[str]) -> None:
    assert [hole[0] for hole in holes(text)] == found


def test_the_holes_of_json_in_strings() -> None:
    arguments = BOOKING.replace("c | f", '"c" | \\f')
    values = [arguments, "the tag ‹b› of a text", '{"said": "‹no hole›"}']
    document = json.dumps(values, ensure_ascii=False).replace('"the', '‹any value›, "the')
    assert [document[start:end] for start, end in holes_in_strings(document)] == [
        *("‹text›", "‹integer, 1 to 14›", r"‹\"c\" | \\f›", "‹text›"),
        "‹any value›",
    ]
    assert holes_in_strings("no holes") == []


def test_a_text_whose_holes_are_filled_in_is_json() -> None:
    value = json.loads(filled(BOOKING))
    assert list(value) == ["city", "days", "unit", "guests"]
    assert len(filled(BOOKING)) == len(BOOKING)
    assert filled('{"a": "‹text›"}') == '{"a": "‹text›"}'


def test_holes_stay_as_they_are_when_a_text_is_laid_out() -> None:
    text = '{"city": ‹text: of any size, [or] none›, "unit": ‹"c" | 1›, "days": [‹{}›]}'
    lines = layout(text, 2)
    assert lines.split("\n")[1:3] == [
        '  "city": ‹text: of any size, [or] none›,',
        '  "unit": ‹"c" | 1›,',
    ]
    assert layout(lines, None) == text


@given(json_values)
def test_json_has_no_holes(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert holes(text) == []
    assert filled(text) == text


@given(st.text())
def test_any_text_keeps_its_length(text: str) -> None:
    assert len(filled(text)) == len(text)


def test_a_text_with_a_quote_without_a_second_one_takes_no_time() -> None:
    before = time.process_time()
    text = '{"a": ‹number›, "' + '\\"' * 30_000 + "‹text›"
    assert [hole[0] for hole in holes(text)] == ["‹number›", "‹text›"]
    assert time.process_time() - before < 1  # a search from each quote takes ten times as long
