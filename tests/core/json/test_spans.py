"""Places and values of JSON texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from workbench.core.json import spans
from workbench.core.json.spans import same


@given(texts, st.integers(0, 40))
def test_line_and_column(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    line, column = spans.line_column(text, offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset


# Equality, writing.


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (1.0, float("nan"), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": [1]}, {"a": [1.0]}, False),
        ([1, 2], [1], False),
        (None, None, True),
    ],
)
def test_equality_is_that_of_texts(a: object, b: object, expected: bool) -> None:
    assert same(a, b) is expected


@given(texts)
def test_written_strings_have_a_form_in_utf8(text: str) -> None:
    written = spans.dumps({"k": text + "\ud800"})
    assert json.loads(written.encode()) == {"k": text + "\ud800"}
