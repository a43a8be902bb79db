"""Numbers and names in sentences, and what is taken for a slip."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from workbench.core.text.wording import (
    counted,
    did_you_mean,
    either,
    mebibytes,
    near,
    ordinal,
    sentence,
    shortlist,
)


def test_a_size_in_mebibytes() -> None:
    assert (mebibytes(64 * 2**20), mebibytes(64 * 2**20 - 1)) == ("64 MiB", "63 MiB")


def test_a_text_becomes_a_sentence() -> None:
    assert (sentence("ab"), sentence("é 1")) == ("Ab.", "É 1.")


KEYS = ["content", "tool_calls", "finish_reason", "usage", "description"]


def test_a_number_of_things() -> None:
    assert [counted(number, "item") for number in (0, 1, 2, 1200)] == [
        "0 items",
        "1 item",
        "2 items",
        "1,200 items",
    ]


@each_case(
    "name, known, guesses",
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
        ("get_weather", ["x"] * 199 + ["get_weathers"], ["get_weathers"]),
        ("get_weather", ["x"] * 200 + ["get_weathers"], []),
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
    ("names", "text"),
    [
        ([], "none"),
        (["a", "b"], "a, b"),
        ([str(n) for n in range(12)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        ([str(n) for n in range(14)], "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 2 more"),
    ],
)
def test_lists_of_names(names: list[str], text: str) -> None:
    assert shortlist(names) == text


def test_choices() -> None:
    assert [either(["a"]), either(["a", "b"]), either(["a", "b", "c"])] == [
        "a",
        "a or b",
        "a, b or c",
    ]


def test_ordinal() -> None:
    numbers = (1, 2, 3, 4, 10, 11, 12, 13, 21, 102, 111)
    words = "1st 2nd 3rd 4th 10th 11th 12th 13th 21st 102nd 111th"
    assert " ".join(map(ordinal, numbers)) == words
