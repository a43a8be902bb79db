"""Fixtures that begin with answers that are given once each."""

from __future__ import annotations

import pytest

from workbench.core.replies.response import (
    FixtureError,
    fixture_replies,
    fixture_reply,
    responses,
    with_place,
)


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ("x", "first is a string; expected a list of responses"),
        ({"content": "x"}, "first is an object; expected a list of responses"),
        ([None], "first[0]: a response is null; expected an object"),
        ([{"content": 1}], "first[0].content is a number; expected a string"),
        ([{}, {"error": {"status": 99}}], "first[1].error.status is 99; expected 400 to 599"),
        ([{"usage": {"prompt_tokens": "x"}}], "first[0].usage.prompt_tokens is a string; expected"),
    ],
)
def test_a_sequence_with_a_wrong_value_cannot_be_used(first: object, message: str) -> None:
    with pytest.raises(FixtureError) as caught:
        fixture_reply({"first": first, "response": {"content": "z"}})
    assert str(caught.value).startswith(message)
    assert caught.value.path[0] == "first"


@pytest.mark.parametrize("first", [None, []])
def test_nothing_before_the_response(first: object) -> None:
    (only,) = fixture_replies({"first": first, "response": {"content": "z"}})
    assert only.content == "z"


def test_responses_are_those_that_are_objects() -> None:
    fixture = {"first": [{"content": "a"}, 1], "response": {"content": "z"}}
    assert [*responses(fixture)] == [
        (("first", 0), {"content": "a"}),
        (("response",), {"content": "z"}),
    ]
    assert [*responses({"first": {}, "response": None})] == [(("response",), {})]
    assert [*responses({"response": 5})] == []


def test_the_place_of_a_message() -> None:
    assert with_place(("response", "content"), "content is null") == "content is null"
    assert with_place(("first",), "first is null") == "first is null"
    assert with_place(("first", 1), "content is missing") == "first[1]: content is missing"
    assert with_place(("first", 1, "content"), "content is null") == "first[1].content is null"
