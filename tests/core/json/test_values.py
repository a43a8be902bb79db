"""JSON values, compared and written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.strategies import json_values, texts
from workbench.core.json.values import decoded, dumps, json_type, quoted, same, shown
from workbench.core.text.wording import cut


@each_case(
    "a, b, expected",
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
    written = dumps({"k": text + "\ud800"})
    assert json.loads(written.encode()) == {"k": text + "\ud800"}


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": [1]}', {"a": [1]}), ("null", None), ("", ""), ("{", "{")],
)
def test_a_text_that_is_not_json_stays_a_text(text: str, value: object) -> None:
    assert decoded(text) == value


def test_json_that_is_nested_too_deeply_stays_a_text() -> None:
    assert decoded("[" * 200_000) == "[" * 200_000


# In messages


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", '"a\\nb"'),
        (1.50, "1.5"),
        (None, "null"),
        (True, "true"),
        ([1], "a list"),
        ({}, "an object"),
        (10**50, "1" + "0" * 38 + "…"),
    ],
)
def test_values_in_messages(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_number_that_python_does_not_write_is_shown_as_its_type() -> None:
    assert shown(10**5_000) == "a number"


@given(json_values)
def test_no_value_makes_a_message_long(value: object) -> None:
    assert len(shown(value)) <= 6 * 40 + 2


@given(texts)
def test_short_texts_are_quoted_whole(text: str) -> None:
    assert json.loads(quoted(text[:40])) == text[:40]
    assert cut(text[:40]) == text[:40]


def test_long_texts_are_cut() -> None:
    assert cut("x" * 41) == "x" * 39 + "…"
    assert quoted("x" * 99) == '"' + "x" * 39 + '…"'


def test_types_have_their_article() -> None:
    values: list[object] = [None, True, False, 1, 1.5, "x", [], {}]
    assert [json_type(value) for value in values] == [
        *("null", "true", "false", "a number", "a number", "a string", "a list", "an object")
    ]
