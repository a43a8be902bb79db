"""Outdated turns: they quote an answer that an earlier turn no longer has."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from tests.session.support import (
    answer_with,
    asked,
    chat,
    delete,
    second_turn,
    undo,
    write,
)
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.session.misses.states import outdated_count, state_of
from workbench.session.session import Session


def answer(session: Session, digest: str, content: str) -> None:
    write(session, digest, json.dumps({"response": {"content": content}}))


def words_of(session: Session, digests: Iterable[str]) -> list[str]:
    """What the list shows; "outdated" for a blocked turn that will not come again."""
    states = [state_of(session, digest) for digest in digests]
    assert all(state.kind == "blocked" and state.is_done for state in states if state.is_outdated)
    return ["outdated" if state.is_outdated else state.word for state in states]


def called(name: str, arguments: str) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    messages = [
        *chat()["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12C"},
    ]
    return {"model": "gpt-4o", "messages": messages}


def test_a_turn_that_quotes_the_fallback_goes_when_the_earlier_one_is_answered(
    session: Session,
) -> None:
    first, second = asked(session, chat(), second_turn(answer=FALLBACK_TEXT))
    assert words_of(session, [first, second]) == ["missing", "blocked"]
    session.store.path(first).parent.mkdir(exist_ok=True)
    session.store.path(first).write_text('{"response": {"content": "Rain."}}')
    assert session.take_files([session.store.path(first).name]) == {first, second}
    assert words_of(session, [first, second]) == ["elsewhere", "outdated"]
    assert outdated_count(session) == 1
    delete(session, first)
    assert words_of(session, [first, second]) == ["missing", "blocked"]


def test_the_answer_decides_whether_a_turn_is_outdated(session: Session) -> None:
    first, second = asked(session, chat(), second_turn(answer="It is  raining.\n"))
    assert words_of(session, [second]) == ["missing"], "nothing is known about its earlier turn"
    for content, kind in (("It is raining.", "missing"), ("The sun shines.", "outdated")):
        answer(session, first, content)
        assert words_of(session, [second]) == [kind], content


def test_a_log_read_later_tells_the_same(session: Session) -> None:
    (first,) = asked(session, chat())
    answer(session, first, "Rain.")
    digests = asked(session, second_turn(answer="Rain."), second_turn(answer="Snow."))
    assert words_of(session, digests) == ["missing", "outdated"]


def test_an_undone_answer_makes_the_later_turns_outdated_until_it_is_given_again(
    session: Session,
) -> None:
    (first,) = asked(session, chat())
    answer_with(session, first, "Rain.")
    session.save(first)
    (second,) = asked(session, second_turn(answer="Rain."))
    assert words_of(session, [second]) == ["missing"]
    undo(session)
    assert words_of(session, [first, second]) == ["draft", "outdated"]
    session.save(first)
    assert words_of(session, [second]) == ["missing"]


def test_a_turn_that_quotes_another_answer_comes_back_when_a_save_is_undone(
    session: Session,
) -> None:
    first, second = asked(session, chat(), second_turn(answer="It is raining."))
    answer_with(session, first, "Snow.")
    session.save(first)
    assert words_of(session, [second]) == ["outdated"]
    undo(session)
    assert words_of(session, [first, second]) == ["draft", "missing"]


def test_a_turn_may_quote_any_answer_of_a_sequence(session: Session) -> None:
    first, *later = asked(
        session, chat(), *(second_turn(answer=text) for text in ("Rain.", "Snow.", "Sun."))
    )
    responses = {"first": [{"content": "Rain."}], "response": {"content": "Snow."}}
    write(session, first, json.dumps(responses))
    assert words_of(session, later) == ["missing", "missing", "outdated"]


def test_a_turn_that_quotes_the_fallback_comes_again_when_the_answer_is_undone(
    session: Session,
) -> None:
    first, second = asked(session, chat(), second_turn(answer=FALLBACK_TEXT))
    answer_with(session, first, "Rain.")
    session.save(first)
    assert words_of(session, [second]) == ["outdated"]
    undo(session)
    assert words_of(session, [second]) == ["blocked"]


def test_a_turn_two_answers_later_is_outdated_too(session: Session) -> None:
    third = second_turn(answer="Rain.")
    more = [{"role": "assistant", "content": "Bye."}, {"role": "user", "content": "wait"}]
    third["messages"] = [*third["messages"], *more]
    first, second, last = asked(session, chat(), second_turn(answer="Rain."), third)
    answer(session, second, "Bye.")
    answer(session, first, "Snow.")
    assert words_of(session, [second, last]) == ["elsewhere", "outdated"]


@pytest.mark.parametrize(
    ("arguments", "kind"), [('{ "city":"Rome" }', "missing"), ('{"city": "Bern"}', "outdated")]
)
def test_calls_are_compared_by_their_values(session: Session, arguments: str, kind: str) -> None:
    first, second = asked(session, chat(), called("get_weather", arguments))
    function = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    write(session, first, json.dumps({"response": {"content": "", "tool_calls": calls}}))
    assert words_of(session, [second]) == [kind]


def test_one_of_several_misses_with_the_same_messages_is_enough(session: Session) -> None:
    one, other, second = asked(
        session, chat(), chat(tool_choice="none"), second_turn(answer="Rain.")
    )
    answer(session, one, "Snow.")
    assert words_of(session, [second]) == ["outdated"]
    answer(session, other, "Rain.")
    assert words_of(session, [second]) == ["missing"]


def test_another_model_has_its_own_conversation(session: Session) -> None:
    first, second = asked(session, chat(), {**second_turn(answer="Rain."), "model": "gpt-5"})
    answer(session, first, "Snow.")
    assert words_of(session, [second]) == ["missing"]


def test_a_broken_answer_is_not_compared(session: Session) -> None:
    first, second = asked(session, chat(), second_turn(answer="Rain."))
    write(session, first, "{")
    assert words_of(session, [first, second]) == ["broken", "missing"]
