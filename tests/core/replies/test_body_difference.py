"""Where two bodies first differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.replies.body_difference import EXCERPT_BYTES, BodyDifference, first_difference


@given(st.binary(max_size=300), st.binary(max_size=20), st.binary(max_size=20))
def test_the_place_is_the_first_that_differs(before: bytes, one: bytes, other: bytes) -> None:
    expected, actual = before + one, before + other
    found = first_difference(expected, actual)
    if expected == actual:
        assert found is None
        return
    pairs = zip(expected, actual, strict=False)
    naive = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
    assert found is not None
    assert found.byte == (min(len(expected), len(actual)) if naive is None else naive)


def test_what_stands_there() -> None:
    assert first_difference(b'{"a": "The barman"}', b'{"a": "the barman"}') == BodyDifference(
        7, 'The barman"}', 'the barman"}'
    )


def test_where_one_ends() -> None:
    assert first_difference(b"abc", b"ab") == BodyDifference(2, "c", "")
    assert first_difference(b"", b"x") == BodyDifference(0, "", "x")


def test_the_excerpt_begins_with_the_character_the_byte_is_in() -> None:
    """é and è differ in their second byte."""
    assert first_difference("né".encode(), "nè".encode()) == BodyDifference(2, "é", "è")


@pytest.mark.parametrize("shift", range(4))
def test_the_excerpt_ends_with_a_whole_character(shift: int) -> None:
    text = "x" * shift + "🚀" * 40
    found = first_difference(text.encode(), b"")
    assert found is not None
    assert text.startswith(found.expected)
    assert EXCERPT_BYTES - 4 < len(found.expected.encode()) <= EXCERPT_BYTES


def test_what_is_no_text_is_shown_as_bytes() -> None:
    assert first_difference(b"\xff\xfe", b"ok") == BodyDifference(0, "\\xff\\xfe", "ok")
    assert first_difference(b"\x80" * 9, b"\x80" * 8) == BodyDifference(8, "\\x80", "")
