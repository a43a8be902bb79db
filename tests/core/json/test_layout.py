"""JSON laid out anew, token by token as it was."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from workbench.core.json.layout import layout
from workbench.core.json.syntax import MAX_DEPTH

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}:,]|[^][{}:,"\s]+')
LEGAL_NUMBERS = ["1.0", "1e5", "1E+05", "-0", "-0.0", "0.10", "12345678901234567890123", "1e400"]


def laid_out(text: str, indent: int | None) -> str:
    return layout(text, indent)


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
@given(value=strategies.json_values, ascii_only=st.booleans())
def test_it_is_the_layout_of_python(indent: int | None, value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(" ,\r\n", "\t:"))
    assert laid_out(text, indent) == json.dumps(value, ensure_ascii=ascii_only, indent=indent)


@given(
    st.recursive(
        st.sampled_from([*LEGAL_NUMBERS, "NaN", '"\\u0041\\/\\ud83d"', '"é\u2028"', "null"]),
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
            | st.lists(inner, max_size=3).map(
                lambda parts: "{" + ",".join(f'"\\u006b":{part}' for part in parts) + "}"
            )
        ),
        max_leaves=8,
    ),
    st.sampled_from([None, 0, 2]),
)
def test_no_token_is_touched(text: str, indent: int | None) -> None:
    # Numbers, escapes and keys that stand twice are as they were typed.
    after = laid_out(text, indent)
    assert TOKEN.findall(after) == TOKEN.findall(text)
    assert laid_out(after, indent) == after


@pytest.mark.parametrize(
    ("text", "line", "lines"),
    [
        ("{ }", "{}", "{}"),
        ("[\n]", "[]", "[]"),
        ("[[ ],{ }]", "[[], {}]", "[\n  [],\n  {}\n]"),
        ('{"a":1,"a":2}', '{"a": 1, "a": 2}', '{\n  "a": 1,\n  "a": 2\n}'),
        (" 12 ", "12", "12"),
        (' "x" ', '"x"', '"x"'),
    ],
)
def test_small_ones(text: str, line: str, lines: str) -> None:
    assert laid_out(text, None) == line
    assert laid_out(text, 2) == lines


def test_as_deep_as_can_be_scanned() -> None:
    depth = MAX_DEPTH
    text = "[" * depth + "]" * depth
    assert laid_out(text, None) == text
    assert json.loads(laid_out(text, 2)) == json.loads(text)
