"""Places in JSON texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import texts
from workbench.core.json.spans import dotted, line_column


@given(texts, st.integers(0, 40))
def test_line_and_column(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    line, column = line_column(text, offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset


def test_a_path_as_text() -> None:
    assert dotted(()) == ""
    assert dotted(("a", 0, "b", "c", 1, 2)) == "a[0].b.c[1][2]"
    assert dotted((0, "a")) == "[0].a"
