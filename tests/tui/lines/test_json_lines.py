"""JSON in lines: the text json.dumps gives, coloured by what it is, folded by element."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values, payloads
from workbench.core.inert import UNSAFE
from workbench.tui.lines.json_lines import JsonLine, as_json, json_lines
from workbench.tui.lines.outline import Outline


def text_of(payload: dict[str, Any], *folded: str) -> list[str]:
    return [line.plain for line in Outline(as_json(payload), set(folded)).lines(0)]


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
        assert not UNSAFE.search(line)
        if not UNSAFE.search(real):
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
