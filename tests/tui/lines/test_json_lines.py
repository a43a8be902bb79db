"""JSON in lines: the text json.dumps gives, coloured by what it is, folded by element."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values, payloads
from workbench.core.text.inert import unsafe
from workbench.tui.lines.json_lines import TOKEN_LIMIT, JsonLine, as_json, json_lines, tokens
from workbench.tui.lines.sections import SectionIndex
from workbench.tui.widgets.styles import JSON_KEY, JSON_LITERAL, JSON_NUMBER, JSON_STRING, MUTED


def text_of(payload: dict[str, Any], *folded: str) -> list[str]:
    return [line.plain for line in SectionIndex(as_json(payload), set(folded)).lines(0)]


@given(json_values)
def test_lines_are_those_of_json_dumps(value: object) -> None:
    expected = json.dumps(value, indent=2, ensure_ascii=False)
    assert "\n".join(json_lines(value)) == expected


@given(payloads)
def test_a_request_is_laid_out_whole(payload: dict[str, Any]) -> None:
    lines = text_of(payload)
    expected = json.dumps(payload, indent=2, ensure_ascii=False).split("\n")
    assert len(lines) == len(expected)
    for line, real in zip(lines, expected, strict=True):
        assert not unsafe().search(line)
        if not unsafe().search(real):
            assert line == real


@given(st.text(alphabet='ab":\\ ,', max_size=30), st.integers(0, 40), st.integers(0, 40))
def test_a_part_of_a_line_has_the_styles_of_the_whole(text: str, a: int, b: int) -> None:
    line = JsonLine(f"  {json.dumps(text)}: 12345,")
    start, end = sorted((min(a, len(line)), min(b, len(line))))
    whole, part = line.cut(0, len(line)), line.cut(start, end)
    assert part.plain == line[start:end]
    assert [str(s.style) for s in part.spans] == [str(s.style) for s in whole[start:end].spans]
    assert [(s.start, s.end) for s in part.spans] == [
        (s.start, s.end) for s in whole[start:end].spans
    ]


def test_elements_fold_to_a_line_that_names_them() -> None:
    payload: dict[str, Any] = {
        "messages": [{"role": "user", "content": "x"}, {"role": "tool", "content": [1]}],
        "tools": [{"type": "function", "function": {"name": "get_weather"}}],
        "format": {"type": "text"},
        "stop": [1, 2],
    }
    keys = [section.key for section in as_json(payload) if section.key]
    assert keys == ["messages 0", "messages 1", "tools 0", "format", "stop"]
    assert text_of(payload, *keys) == [
        "{",
        '  "messages": [',
        "    {…},  user, 2 keys",
        "    {…}  tool, 2 keys",
        "  ],",
        '  "tools": [',
        "    {…}  get_weather, 2 keys",
        "  ],",
        '  "format": {…},  1 key',
        '  "stop": […]  2 items',
        "}",
    ]
    copied = [section.copied() for section in as_json(payload) if section.key]
    assert json.loads(copied[1]) == payload["messages"][1]
    assert json.loads(copied[3]) == payload["format"]


def test_a_string_is_copied_as_it_is() -> None:
    (section,) = [s for s in as_json({"model": 'a "b"\n'}) if s.key]
    assert section.copied() == 'a "b"\n'
    assert section.folded is None


def test_an_empty_request() -> None:
    assert text_of({}) == ["{}"]


# Colours


def parts(line: str) -> list[tuple[str, str]]:
    return [(line[start:end], str(style)) for start, end, style in tokens(line)]


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
