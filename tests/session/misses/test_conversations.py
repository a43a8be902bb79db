"""Requests that continue one another: found by their messages, however many there are."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from tests.session.support import asked, chat, hash_line, open_session, second_turn, take
from tests.strategies import messages
from workbench.core.digest import digest
from workbench.session.session import Session

THIRD = {
    **second_turn(),
    "messages": [*second_turn()["messages"], {"role": "assistant", "content": "ok"}, 5],
}


def test_a_turn_continues_the_longest_one_before_it(session: Session) -> None:
    asked(session, chat("other"), chat(), second_turn(), THIRD)
    assert session.turns.turn_before(THIRD) == (digest(second_turn()), 3)
    assert session.turns.turn_before(second_turn()) == (digest(chat()), 1)
    assert session.turns.earlier(THIRD) == [
        (digest(chat()), 1),
        (digest(second_turn()), 3),
    ]


def test_a_first_turn_continues_nothing(session: Session) -> None:
    longer = chat()
    longer["messages"] = [*longer["messages"], {"role": "user", "content": "more"}]
    asked(session, chat(), longer)
    assert session.turns.turn_before(longer) is None
    assert session.turns.turn_before(chat()) is None
    assert session.turns.turn_before({}) is None
    assert session.turns.turn_before({"messages": "none"}) is None


def test_what_is_not_listed_or_not_dumped_is_not_continued(session: Session) -> None:
    take(session, hash_line(chat()))
    asked(session, second_turn("something else"), {}, {"messages": []})
    assert session.turns.turn_before(second_turn()) is None


def test_the_first_of_several_requests_with_the_same_messages_is_named(session: Session) -> None:
    other = {**chat(), "model": "gpt-4o-mini"}
    asked(session, chat(), other)
    assert session.turns.turn_before({**second_turn(), "model": "gpt-4o-mini"}) == (
        digest(chat()),
        1,
    )


@given(st.lists(messages, min_size=1, max_size=5), st.integers(1, 5))
def test_a_request_is_found_by_any_beginning_of_it(said: list[object], cut: int) -> None:
    with TemporaryDirectory() as folder, closing(open_session(Path(folder))) as session:
        asked(session, {"messages": said[:cut]}, {"messages": [*said[:-1], "something else"]})
        found = session.turns.earlier({"messages": said})
        assert found == [(digest({"messages": said[:cut]}), cut)] * (cut < len(said))
