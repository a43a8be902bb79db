"""Tests of many cases in one."""

from __future__ import annotations

import pytest

from tests.cases import each_case


def test_each_case_is_run_with_the_fixtures_of_the_test() -> None:
    ran = []

    @each_case("first", "ab")
    @each_case("second, third", [(1, 2), (3, 4)])
    def test(first: str, second: int, third: int, fixture: str) -> None:
        ran.append(f"{fixture} {first}{second}{third}")

    test(fixture="x")
    assert ran == ["x a12", "x a34", "x b12", "x b34"]


def test_the_first_case_that_fails_is_named() -> None:
    @each_case("number, word", [(1, "one"), (2, "two"), (3, "three")])
    def test(number: int, word: str) -> None:
        assert number != 2, word

    with pytest.raises(AssertionError) as caught:
        test()
    assert caught.value.__notes__ == ["in the case number, word = (2, 'two')"]


def test_a_table_without_cases_proves_nothing() -> None:
    @each_case("number", [])
    def test(number: int) -> None:
        assert number

    with pytest.raises(AssertionError, match="there is no case"):
        test()
