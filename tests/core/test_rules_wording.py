"""How rules name things, and what they take for a slip."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.strategies import json_values, texts
from workbench.core.rules.wording import (
    counted,
    cut,
    did_you_mean,
    dotted,
    either,
    listed,
    near,
    quoted,
    shown,
)

KEYS = ["content", "tool_calls", "finish_reason", "usage", "description"]


@pytest.mark.parametrize(
    ("name", "known", "guesses"),
    [
        ("contnet", KEYS, ["content"]),
        ("Content", KEYS, ["content"]),
        ("finishReason", [*KEYS, "finish_reasons"], ["finish_reason"]),
        ("tool-call", KEYS, ["tool_calls"]),
        ("comment", KEYS, []),
        ("id", KEYS, []),
        ("", KEYS, []),
        ("citi", ["city", "cite", "x"], ["city", "cite"]),
        ("content", KEYS, []),
        ("x" * 90, ["x" * 80], []),
        ("get_weather", ["x" * 1_000_000, "get_weathers"], ["get_weathers"]),
        ("get_weather", ["x"] * 300 + ["get_weathers"], []),
    ],
)
def test_what_a_name_may_be_a_slip_of(name: str, known: list[str], guesses: list[str]) -> None:
    assert near(name, known) == guesses


def test_a_name_that_is_taken_is_not_meant() -> None:
    assert near("contnet", KEYS, taken=["content"]) == []
    assert near("citi", ["city", "cite"], taken=["city"]) == ["cite"]


def test_the_best_guess_is_offered() -> None:
    assert did_you_mean(["city", "cite"]) == '; did you mean "city"?'
    assert did_you_mean([]) == ""


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


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], "none"),
        (["a", "b"], "a, b"),
        ([str(n) for n in range(12)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ([str(n) for n in range(14)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2 more"),
    ],
)
def test_lists_of_names(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_choices_counts_and_paths() -> None:
    assert [either(["a"]), either(["a", "b"]), either(["a", "b", "c"])] == [
        "a",
        "a or b",
        "a, b or c",
    ]
    assert [counted(0, "item"), counted(1, "item"), counted(2, "item")] == [
        "0 items",
        "1 item",
        "2 items",
    ]
    assert dotted(()) == ""
    assert dotted(("a", 0, "b", "c", 1, 2)) == "a[0].b.c[1][2]"
    assert dotted((0, "a")) == "[0].a"
