"""Which answer of a sequence comes next."""

from __future__ import annotations

import threading

import pytest

from workbench.core.replies.asker import Asker
from workbench.core.replies.response import (
    FixtureError,
    fixture_replies,
    fixture_reply,
    responses,
    with_place,
)

SEQUENCE = {"first": [{"content": "a"}, {"error": {"status": 503}}], "response": {"content": "z"}}


def test_answers_are_given_once_each_and_the_last_one_again_and_again() -> None:
    replies, asker, other = fixture_replies(SEQUENCE), Asker(), Asker()
    assert [reply.content for reply in replies] == ["a", "", "z"]
    assert [asker.take("x", replies) for _ in range(4)] == [*replies, replies[-1]]
    assert asker.take("y", replies) is other.take("x", replies) is replies[0]
    asker.begin_again()
    assert asker.take("x", replies) is replies[0]


def test_an_answer_that_was_put_back_comes_again() -> None:
    replies, asker = fixture_replies(SEQUENCE), Asker()
    assert asker.take("x", replies) is replies[0]
    asker.put_back("x")
    assert asker.take("x", replies) is replies[0]
    # Of a fixture with one answer none is taken.
    asker.take("y", replies[-1:])
    asker.put_back("y")
    assert asker.take("y", replies) is replies[0]


def test_no_two_threads_get_the_same_answer() -> None:
    first = [{"content": str(number)} for number in range(2_000)]
    replies, asker = fixture_replies({"first": first, "response": {"content": "z"}}), Asker()
    taken: list[str] = []

    def take() -> None:
        taken.extend(asker.take("x", replies).content for _ in range(500))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken, key=int) == [response["content"] for response in first]


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
    assert [*responses({"first": {}, "response": None})] == []


def test_the_place_of_a_message() -> None:
    assert with_place(("response", "content"), "content is null") == "content is null"
    assert with_place(("first",), "first is null") == "first is null"
    assert with_place(("first", 1), "content is missing") == "first[1]: content is missing"
    assert with_place(("first", 1, "content"), "content is null") == "first[1].content is null"
