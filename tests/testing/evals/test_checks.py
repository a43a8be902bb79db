"""Checks: true if they hold, else with a reason."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.testing import (
    Check,
    GoldenQuery,
    ToolCallSpy,
    check_differentiation,
    check_filled,
    check_filters,
    check_grounded,
    check_ordering,
    check_relevance,
    check_results,
    check_schema,
    check_tool,
)

CATALOGUE = ["Château Margaux", "Barolo Riserva", "Ry", ""]


def spied(*calls: tuple[str, dict[str, Any]]) -> ToolCallSpy:
    names = {name for name, _ in calls}
    tools = SimpleNamespace(**{name: lambda **_: None for name in names})
    with ToolCallSpy(tools, {name: name for name in names}) as spy:
        for name, arguments in calls:
            getattr(tools, name)(**arguments)
    return spy


def golden(**more: Any) -> GoldenQuery:
    return GoldenQuery(id="red", query="red under 30", **more)


def test_e1_a_golden_query_needs_an_id_and_a_query() -> None:
    query = GoldenQuery("red", "something red")
    assert (query.expected_tool, query.expected_filters, query.min_results) == ("any", {}, 1)
    assert query.description == ""


@pytest.mark.parametrize(
    ("expected", "called", "holds"),
    [
        ("search", ["search"], True),
        ("search", ["search", "other"], True),
        ("search", ["other", "search"], False),
        ("any", ["other"], True),
        ("any", [], False),
        ("search", [], False),
    ],
)
def test_e4_the_first_tool(expected: str, called: list[str], holds: bool) -> None:
    check = check_tool(
        golden(expected_tool=expected), spied(*((name, {"q": 1}) for name in called))
    )
    assert bool(check) is holds
    if not holds:
        assert "red under 30" in check.reason
        assert all(f"{name}(q=1)" in check.reason for name in called)


@each_case(
    "expected, given, holds",
    [
        ("red", "Dark RED wine", True),
        ("red", "rosé", False),
        (30, 30, True),
        (30, 36, True),
        (30, 24.0, True),
        (30, 36.1, False),
        (-10, -12, True),
        (0, 0.0, True),
        (0, 0.001, False),
        (30, "30", False),
        (1, True, False),
        (True, 1, False),
        (True, True, True),
        (["a"], ["a"], True),
        (["a"], ["a", "b"], False),
        (None, None, True),
        (None, "", False),
        (30, float("nan"), False),
    ],
)
def test_e5_filters(expected: Any, given: Any, holds: bool) -> None:
    query = golden(expected_filters={"f": expected})
    check = check_filters(query, spied(("search", {"f": given, "extra": "allowed"})))
    assert bool(check) is holds, check.reason
    assert holds or "f: expected" in check.reason


def test_e5_a_filter_that_is_missing_and_no_call_at_all() -> None:
    query = golden(expected_filters={"colour": "red", "max_price": 30})
    check = check_filters(query, spied(("search", {"max_price": 50})))
    assert check.reason == (
        "red: colour: expected 'red', but it is missing; max_price: expected 30 ±20%, got 50"
    )
    assert "no tool was called" in check_filters(query, spied()).reason


@pytest.mark.parametrize(
    ("answer", "holds"),
    [
        ("[WINE:1]\n**Château Margaux** 2015, Bordeaux\nA story about Barolo.", True),
        ("Try these.\n[WINE:1] CHÂTEAU  margaux\n[WINE:2]\n\n- _Barolo Riserva_ (2016)", True),
        ("[WINE:1]\nCha\u0302teau Margaux", True),
        ("[WINE:1]\nChâteau Margaux\n[WINE:2]\nChâteau Imaginaire", False),
        ("[WINE:1]\nA fine wine\nBarolo Riserva", False),
        ("[WINE:1]\nRy", False),
        ("[WINE:1]\nBarolo Riservata", False),
        ("[WINE:1]", False),
    ],
)
def test_e8_t17_sections_are_about_the_catalogue(answer: str, holds: bool) -> None:
    check = check_grounded(answer, CATALOGUE)
    assert bool(check) is holds, check.reason
    assert not check.inconclusive
    assert holds or "none of the 4 names" in check.reason


def test_e8_ids_are_exact() -> None:
    assert check_grounded("[WINE:7]\nwhatever", CATALOGUE, ids=[7, 8])
    check = check_grounded("[WINE:7]\nx\n[WINE:9]\nBarolo Riserva", CATALOGUE, ids=[7, 8])
    assert "section 2 [9]" in check.reason
    assert "'Barolo Riserva'" in check.reason


@pytest.mark.parametrize(
    ("least", "found", "reason"),
    [
        (1, ["a"], ""),
        (0, [], ""),
        (2, "abc", ""),
        (1, {}, "red: expected at least 1 result, got 0. Query: 'red under 30'"),
        (3, ["a", "b"], "red: expected at least 3 results, got 2. Query: 'red under 30'"),
    ],
)
def test_e1_enough_results(least: int, found: Any, reason: str) -> None:
    check = check_results(golden(min_results=least), found)
    assert (bool(check), check.reason, check.name) == (not reason, reason, "results")


def test_e8_nothing_to_check_is_no_pass() -> None:
    check = check_grounded("I have nothing for you.", CATALOGUE)
    assert not check
    assert check.inconclusive
    assert check_grounded("[beer:1]\nBarolo Riserva", CATALOGUE, marker="beer")


@pytest.mark.parametrize(
    ("scores", "more", "reason"),
    [
        ([0.9, 0.26], {}, ""),
        ([0.9, 0.25], {}, "score 0.25 of result 2 is not above 0.25"),
        ([], {}, "expected at least 1 result, got 0"),
        ([0.9], {"min_results": 2}, "expected at least 2 results, got 1"),
        ([0.2], {"threshold": 0.15}, ""),
        ([float("nan")], {}, "score nan of result 1 is not above 0.25"),
    ],
)
def test_e9_relevance(scores: list[float], more: Any, reason: str) -> None:
    assert check_relevance(scores, **more).reason == reason


@given(st.lists(st.floats(allow_nan=False)))
def test_e10_ordering(scores: list[float]) -> None:
    assert check_ordering(sorted(scores, reverse=True))
    if sorted(scores, reverse=True) != scores:
        assert "comes after" in check_ordering(scores).reason


def test_e10_a_score_that_is_no_number_is_in_no_order() -> None:
    assert not check_ordering([0.5, float("nan"), 0.9])


@pytest.mark.parametrize(
    ("one", "other", "k", "holds"),
    [
        ([1, 2, 3, 4], [1, 2, 4, 3], 3, True),
        ([1, 2, 3], [3, 2, 1], 3, False),
        ([1, 2, 3, 4], [3, 2, 1, 5], 3, False),
        ([1, 2], [1, 2, 3], 3, True),
        ([1, 1, 2], [1, 2, 3], 3, True),
        ([], [], 3, False),
        (["a"], ["b"], 1, True),
    ],
)
def test_e11_differentiation(one: list[Any], other: list[Any], k: int, holds: bool) -> None:
    assert bool(check_differentiation(one, other, k)) is holds


def test_g10_a_schema_lists_all_that_does_not_fit() -> None:
    schema = {
        "type": "object",
        "required": ["sender", "type"],
        "properties": {"sender": {"type": "string"}, "step_id": {"type": ["integer", "null"]}},
    }
    assert check_schema({"sender": "planner", "type": "task", "step_id": None}, schema)
    check = check_schema({"sender": 1, "step_id": "x"}, schema)
    for part in ("sender", "step_id", "type is missing"):
        assert part in check.reason
    unchecked = check_schema(1, {"$ref": "http://example.invalid/schema"})
    assert not unchecked
    assert unchecked.inconclusive


@pytest.mark.parametrize(
    ("prompt", "left"),
    [
        ("Answer {question} with {steps[0].name}.", ["{question}", "{steps[0].name}"]),
        ('{"steps": [1], "a": {}}', []),
        ("{{literal}} and {1}", []),
        ("all filled", []),
    ],
)
def test_g14_placeholders_that_are_left(prompt: str, left: list[str]) -> None:
    check = check_filled(prompt)
    assert bool(check) is not bool(left)
    assert all(name in check.reason for name in left)


def test_a_failed_assert_shows_the_reason() -> None:
    assert repr(Check("tool", True)) == "<tool: passed>"
    assert repr(Check("tool", False, "why not")) == "<tool: why not>"
