"""Where two JSON values part."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.strategies import json_values
from workbench.core.json.divergence import divergences, first


@given(json_values)
def test_nothing_parts_from_itself(value: Any) -> None:
    assert first(value, value) is None


@given(json_values, json_values)
def test_values_part_where_they_are_not_equal_whichever_comes_first(one: Any, other: Any) -> None:
    there, back = list(divergences(one, other)), list(divergences(other, one))
    assert {d.where for d in there} == {d.where for d in back}
    assert bool(there) == bool(back)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (1, 2, "the value: 1 -> 2"),
        (1, True, "the value: 1 -> true"),
        ({"a": 1}, {}, "a: 1 -> (absent)"),
        ({}, {"b c": 1}, '["b c"]: (absent) -> 1'),
        ({"m": [{"x": [1]}]}, {"m": [{"x": [1, 2]}]}, "m[0].x[1]: (absent) -> 2"),
        (
            {"m": "you are a very kind planner"},
            {"m": "you are a very strict planner"},
            'm: "…kind planner" -> "…strict planner"',
        ),
        ("", "x" * 200, 'the value: "" -> "' + "x" * 60 + '…"'),
        ("x" * 50 + "1", "x" * 50 + "2", 'the value: "…{0}1" -> "…{0}2"'.format("x" * 30)),
        ({"a": {"b": 1}}, {"a": [1]}, 'a: {"b": 1} -> [1]'),
        ({"a": 10**119}, {}, f"a: 1{'0' * 119} -> (absent)"),
        ({"a": 10**120}, {}, f"a: 1{'0' * 118}… -> (absent)"),
    ],
)
def test_the_place_and_what_stands_there(before: Any, after: Any, said: str) -> None:
    assert str(first(before, after)) == said


def test_equal_numbers_and_deep_values_are_fine() -> None:
    assert first({"a": 1}, {"a": 1.0}) is None
    one: Any = 0
    other: Any = 1
    for _ in range(5_000):
        one, other = [one], [other]
    found = list(divergences(one, other))
    assert [d.where for d in found] == ["[0]" * 5_000]
