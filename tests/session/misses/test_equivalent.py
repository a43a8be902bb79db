"""The state "equivalent": the fixture of a request that says the same answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.equivalent_requests import conversation
from tests.session.support import asked, delete, store, write
from workbench.core.fixture.document import new_document
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import is_answered, state_of
from workbench.session.session import Session

STUB, OPENAI = conversation("stub"), conversation("openai")
WITHOUT_IDS = conversation("stub", ids=("call_0",))


@pytest.mark.parametrize("stored", [STUB, WITHOUT_IDS])
def test_a_miss_is_answered_while_there_is_a_fixture_of_an_equivalent_request(
    session: Session, stored: dict[str, Any]
) -> None:
    (miss,) = asked(session, OPENAI)
    assert session.stale.catch_up() == set()
    assert state_of(session, miss).kind == "missing"
    fixture = store(session, stored)
    assert session.stale.catch_up() == {miss}
    state = state_of(session, miss)
    assert (state.word, state.is_done, is_answered(session, miss)) == ("equivalent", True, True)
    nearest = nearest_of(session, miss)
    assert nearest is not None
    assert (nearest.name, nearest.is_equivalent, nearest.score) == (fixture, True, 1.0)
    delete(session, fixture)
    assert session.stale.catch_up() == {miss}
    assert state_of(session, miss).kind == "missing"


def test_one_that_cannot_be_used_does_not_count(session: Session) -> None:
    fixture = store(session, STUB)
    (miss,) = asked(session, OPENAI)
    session.stale.catch_up()
    write(session, fixture, new_document(fixture, {"content": 1}, request=STUB).text)
    assert session.stale.catch_up() == {miss}
    assert not is_answered(session, miss)


def test_its_own_fixture_comes_first(session: Session) -> None:
    store(session, STUB)
    (miss,) = asked(session, OPENAI)
    session.stale.catch_up()
    write(session, miss, "{")
    assert state_of(session, miss).kind == "broken"
    store(session, OPENAI)
    assert state_of(session, miss).kind == "answered"


def test_the_save_of_an_answer_concerns_the_other_misses_alone(session: Session) -> None:
    _, other = asked(session, STUB, OPENAI)
    session.stale.catch_up()
    store(session, STUB)
    assert session.stale.catch_up() == {other}
