"""How requests differ, place by place, and how much."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.strategies import payloads
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.differences import (
    ReadRequest,
    differences,
    likeness,
    text_likeness,
    volatile_kinds,
)


def request(*said: str, **more: object) -> dict[str, Any]:
    """A request of messages written as ``role: text``."""
    messages = [dict(zip(("role", "content"), one.split(": ", 1), strict=True)) for one in said]
    return {"model": "gpt-4o", "messages": messages, **more}


def places(before: dict[str, Any], after: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    found = differences(ReadRequest(view(before)), ReadRequest(view(after)))
    return [(d.where, d.before, d.after) for d in found]


def call(call_id: str, arguments: str) -> dict[str, Any]:
    made = {"id": call_id, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


TEXT_PARTS = [{"type": "text", "text": "at 10:05"}]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            request("system: Today is 2026-11-19.", "user: hello"),
            request("system: Today is 2026-11-20.", "user: hello"),
            [("messages[0].content", "2026-11-19", "2026-11-20")],
        ),
        (
            request("user: a", "user: b"),
            request("user: a", "assistant: new", "user: b"),
            [("messages[1]", None, "new")],
        ),
        (
            request("user: a", "assistant: old", "user: b"),
            request("user: a", "user: b"),
            [("messages[1]", "old", None)],
        ),
        (request("user: a"), request("user: a") | {"model": "o3"}, [("model", "gpt-4o", "o3")]),
        (
            request("user: a", tool_choice={"type": "function", "function": {"name": "f"}}),
            request("user: a", tool_choice="required"),
            [("tool_choice", '{"type": "function", "function": {"name": "f"}}', "required")],
        ),
        (
            {"messages": [call("D681PevKs", '{"city": "London"}')]},
            {"messages": ["no message", call("A12", '{"city": "Paris"}')]},
            [
                ("messages[1].tool_calls[0].id", "D681PevKs", "A12"),
                ("messages[1].tool_calls[0].function.arguments", "London", "Paris"),
            ],
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "text", "text": "at 10:00"}]}]},
            {"messages": [{"role": "user", "content": TEXT_PARTS}]},
            [("messages[0].content[0].text", "10:00", "10:05")],
        ),
        (
            request("user: at 10:00"),
            request() | {"messages": [{"role": "user", "content": TEXT_PARTS}]},
            [("messages[0].content", "10:00", "10:05")],
        ),
        (
            {"messages": [{"role": "user", "name": None}]},
            {"messages": [{"role": "user"}]},
            [("messages[0].name", "null", None)],
        ),
        ({"messages": [call("a", "{}")]}, {}, [("messages[0]", "calls f({})", None)]),
    ],
)
def test_a_difference_is_told_with_its_place(
    before: dict[str, Any], after: dict[str, Any], expected: list[tuple[str, Any, Any]]
) -> None:
    assert sorted(places(before, after)) == sorted(expected)


def test_a_span_has_its_role_kind_and_place() -> None:
    before = request("system: Today is 2026-11-19.", "user: x")
    after = request("system: Today is 2026-11-20.", "user: x")
    [found] = differences(ReadRequest(view(before)), ReadRequest(view(after)))
    assert (found.role, found.kind, found.before_start, found.after_start) == (
        "system",
        "date",
        9,
        9,
    )
    assert volatile_kinds([found]) == ("date",)
    assert (
        volatile_kinds(
            differences(ReadRequest(view(before)), ReadRequest(view(request("user: x"))))
        )
        is None
    )


@given(payloads, payloads)
def test_requests_differ_where_their_digests_do_or_else_in_what_they_offer(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    demands = [json.dumps(view(request).demands, sort_keys=True) for request in (before, after)]
    are_other = digest(before) != digest(after) or demands[0] != demands[1]
    assert bool(places(before, after)) == are_other


@given(payloads, payloads)
def test_likeness_is_the_same_both_ways_and_whole_only_of_the_same(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    one, other = ReadRequest(view(before)), ReadRequest(view(after))
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, other) == pytest.approx(likeness(other, one))
    assert likeness(one, one) == 1


def test_a_setting_differs_from_its_first_character_on() -> None:
    one, other = (ReadRequest(view({"model": name, "messages": []})) for name in "ab")
    (found,) = differences(one, other)
    assert (found.where, found.before_start, found.after_start) == ("model", 0, 0)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("ja ja ja nein", "ja nein", 2 * 6 / (10 + 6)),
        ("rain today", "today SNOW", 2 * 5 / (9 + 9)),
        ("rain", "snow", 0),
        ("", "", 0),
    ],
)
def test_texts_are_alike_by_the_characters_of_their_words(
    before: str, after: str, expected: float
) -> None:
    assert text_likeness(before, after) == pytest.approx(expected)


def test_the_depth_of_a_value_is_no_matter() -> None:
    deep: Any = "a"
    for _ in range(200):
        deep = [deep]
    before = {"messages": [{"role": "user", "content": deep}]}
    after = {"messages": [{"role": "user", "content": [deep]}]}
    [(where, _, _)] = places(before, after)
    assert where.startswith("messages[0].content[0][0]")
