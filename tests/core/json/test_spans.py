"""Places in JSON texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from workbench.core.json.spans import line_column


@given(texts, st.integers(0, 40))
def test_line_and_column(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    line, column = line_column(text, offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset
