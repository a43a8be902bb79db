"""Changes of a text: what changed is named, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.requests.text_differences import changes, compared

TEXTS = st.text(st.sampled_from("ab 1.\n天2026-11-19"), max_size=60)


def told(before: str, after: str) -> list[tuple[str, str, str | None]]:
    return [
        (before[c.before_start : c.before_end], after[c.after_start : c.after_end], c.kind)
        for c in changes(before, after)
    ]


@each_case(
    "before, after, expected",
    [
        ("weather in London?", "weather in Paris?", [("London", "Paris", None)]),
        ("a", "a b", [("", " b", None)]),
        ("a b", "b", [("a ", "", None)]),
        ("", "all of it", [("", "all of it", None)]),
        ("it is 2026-11-19", "it is 2026-11-20", [("2026-11-19", "2026-11-20", "date")]),
        (
            "Thursday, November 19, 2026 at 10:00.",
            "Friday, November 20, 2026 at 11:05.",
            [
                ("Thursday, November 19, 2026", "Friday, November 20, 2026", "date"),
                ("10:00", "11:05", "time"),
            ],
        ),
        (
            "one\nit is 2026-11-19\nthree",
            "1\nit is 2026-11-20\nthree",
            [("one", "1", None), ("2026-11-19", "2026-11-20", "date")],
        ),
        ("at 10:00", "at noon", [("10:00", "noon", None)]),
        # What stands for a date where texts are compared.
        ("on \0date\0.", "on 2026-11-20.", [("\0date\0", "2026-11-20", None)]),
        ("天気はどう", "天気がどう", [("は", "が", None)]),
        # Changes with nothing between them to speak of are one.
        ("a b c d", "x b y d", [("a b c", "x b y", None)]),
        (
            "a b c some words at 10:00",
            "x b y some words at 11:00",
            [("a b c", "x b y", None), ("10:00", "11:00", "time")],
        ),
    ],
)
def test_what_changed_is_told(
    before: str, after: str, expected: list[tuple[str, str, str | None]]
) -> None:
    assert told(before, after) == expected


def test_a_change_far_into_a_text_is_told_with_its_place() -> None:
    filler = "some words stand here. " * 400
    before, after = f"{filler}port http://localhost:8123/ x", f"{filler}port http://localhost:9 x"
    [change] = changes(before, after.replace(":9 ", ":8124/ "))
    assert (change.kind, change.before_start) == (
        "port",
        len(filler) + len("port http://localhost:"),
    )


def test_changed_words_far_into_a_text_are_told() -> None:
    filler = "some words stand here. " * 401
    before, after = (f"{filler}from {place} on" for place in ("London to Rome", "Paris via Rome"))
    assert told(before, after) == [("London to", "Paris via", None)]


def test_many_changes_are_one() -> None:
    before = " ".join(f"word{n} stays here" for n in range(20))
    after = " ".join(f"other{n} stays here" for n in range(20))
    assert len(changes(before, after)) == 1


@given(TEXTS, TEXTS)
def test_making_the_changes_gives_the_other_text(before: str, after: str) -> None:
    made, at = "", 0
    for change in changes(before, after):
        assert change.before_start >= at
        made += before[at : change.before_start] + after[change.after_start : change.after_end]
        at = change.before_end
    assert made + before[at:] == after


@given(TEXTS)
def test_equal_texts_have_no_changes(text: str) -> None:
    assert changes(text, text) == []


@pytest.mark.parametrize("part", ["a ", "a b ", "ab\n", "2026-11-19 "])
def test_long_texts_without_much_in_common_take_no_time(part: str) -> None:
    begun = time.process_time()
    changes("x" + part * 10_000 + "y", "z" + part[::-1] * 10_000 + "w")
    assert time.process_time() - begun < 5


def test_of_a_very_long_text_what_is_between_its_changes_is_one_change() -> None:
    between = " some words of a long text" * 10_000
    begun = time.process_time()
    assert told(f"a{between} b", f"x{between} y") == [(f"a{between} b", f"x{between} y", None)]
    assert told(f"2026-11-19{between} 10:00", f"2026-11-20{between} 11:00") == [
        ("2026-11-19", "2026-11-20", "date"),
        ("10:00", "11:00", "time"),
    ]
    assert time.process_time() - begun < 5


def test_what_differs_in_long_sequences_is_one_block_between_equal_ends() -> None:
    before = ["head", *range(2000), "tail"]
    after = ["head", *range(2000, 0, -1), "tail"]
    assert list(compared(before, after)) == [
        (True, 0, 1, 0, 1),
        (False, 1, 2001, 1, 2001),
        (True, 2001, 2002, 2001, 2002),
    ]
    assert [same for same, *_ in compared("abXcd", "abYcd")] == [True, False, True]
