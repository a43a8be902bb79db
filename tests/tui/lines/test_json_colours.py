"""The parts of a line of JSON, also of one that is no JSON yet."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.tui.lines.json_colours import TOKEN_LIMIT, tokens
from workbench.tui.widgets.styles import JSON_KEY, JSON_LITERAL, JSON_NUMBER, JSON_STRING, MUTED


def parts(line: str) -> list[tuple[str, str]]:
    return [(line[start:end], style) for start, end, style in tokens(line)]


def test_keys_and_values_of_every_kind_are_told_apart() -> None:
    assert parts('  "role": "user", "n" : -12.5e+3,') == [
        ('"role"', JSON_KEY),
        (":", MUTED),
        ('"user"', JSON_STRING),
        (",", MUTED),
        ('"n"', JSON_KEY),
        (":", MUTED),
        ("-12.5e+3", JSON_NUMBER),
        (",", MUTED),
    ]
    assert parts("[true, null]") == [
        ("[", MUTED),
        ("true", JSON_LITERAL),
        (",", MUTED),
        ("null", JSON_LITERAL),
        ("]", MUTED),
    ]
    assert parts(r'"a \" b: ": "c: "') == [
        (r'"a \" b: "', JSON_KEY),
        (":", MUTED),
        ('"c: "', JSON_STRING),
    ]
    assert parts('"created": <clock>')[-1] == ("<clock>", JSON_LITERAL)


def test_what_is_being_typed_has_colours_too() -> None:
    assert parts('"city": "Lon')[-1] == ('"Lon', JSON_STRING)
    assert parts('"city": "Lon\\')[-1] == ('"Lon\\', JSON_STRING)
    assert parts("nul x1 trueish") == []


@given(json_values)
def test_every_string_of_a_value_is_one_part(value: object) -> None:
    line = json.dumps(value)
    shown = "".join(text for text, _ in parts(line))
    strings = [text for text, style in parts(line) if style in (JSON_KEY, JSON_STRING)]
    assert all(isinstance(json.loads(text), str) for text in strings)
    if len(tokens(line)) < TOKEN_LIMIT:
        assert shown.replace(" ", "") == line.replace(" ", "").replace("NaN", "").replace(
            "-Infinity", ""
        ).replace("Infinity", "")


@given(st.text(alphabet='ab":\\ ,{}[]-1<>', max_size=60))
def test_parts_follow_each_other(line: str) -> None:
    at = 0
    for start, end, _ in tokens(line):
        assert at <= start < end <= len(line)
        at = end


def test_a_line_of_many_parts_is_told_to_a_limit() -> None:
    assert len(tokens("[1," * TOKEN_LIMIT)) == TOKEN_LIMIT
