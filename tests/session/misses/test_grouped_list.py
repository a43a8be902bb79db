"""The list of misses by conversation: turns stand together, and fold into one row."""

from __future__ import annotations

import pytest

from tests.session.support import asked, chat, dump_line, hash_line, second_turn, take
from workbench.core.digest import digest
from workbench.core.misses.miss import Miss
from workbench.session.lists.list_query import ListQuery
from workbench.session.misses.miss_query import miss_query
from workbench.session.session import Session

THIRD = {
    **second_turn("rome"),
    "messages": [
        *second_turn("rome")["messages"],
        {"role": "assistant", "content": "Rain."},
        {"role": "user", "content": "thanks"},
    ],
}
ROME, PARIS = chat("rome"), chat("paris")
ROME_2, PARIS_2 = second_turn("rome"), second_turn("paris")
ROMES = [digest(ROME), digest(ROME_2), digest(THIRD)]
PARISES = [digest(PARIS), digest(PARIS_2)]


@pytest.fixture
def query(session: Session) -> ListQuery[Miss]:
    """Two conversations whose turns were asked in turns."""
    query = miss_query(session)
    asked(session, ROME, PARIS, ROME_2, PARIS_2, THIRD)
    query.update()
    return query


def test_a_new_turn_stands_beside_its_conversation_and_the_selection_stays(
    session: Session,
) -> None:
    query = miss_query(session)
    asked(session, ROME, PARIS)
    query.update()
    query.select(PARISES[0])
    for turns, expected in (
        ((PARIS_2,), [ROMES[0], *PARISES]),
        ((THIRD,), [ROMES[0], ROMES[2], *PARISES]),
        ((ROME_2,), [*ROMES, *PARISES]),
    ):
        query.update(asked(session, *turns))
        assert query.keys == expected
        assert query.selected == PARISES[0]
    assert [query.begins_group(key) for key in query.keys] == [True, False, False, True, False]
    assert query.members(ROMES[1]) == ROMES


def test_a_turn_goes_to_its_conversation_when_its_request_is_known(session: Session) -> None:
    query = miss_query(session)
    query.update(take(session, hash_line(ROME_2)))
    query.update(asked(session, ROME, PARIS))
    assert query.keys == [ROMES[1], ROMES[0], PARISES[0]]
    query.select(ROMES[1])
    query.update(take(session, dump_line(ROME_2)))
    assert query.keys == [ROMES[0], ROMES[1], PARISES[0]]
    assert query.selected_place == 1


def test_every_order_and_filter_keeps_turns_together(
    session: Session, query: ListQuery[Miss]
) -> None:
    take(session, hash_line(PARIS_2) * 3)
    for order in query.orders:
        query.set_order(order.name)
        by_count = order.name in ("count", "last seen")
        assert query.keys == ([*PARISES, *ROMES] if by_count else [*ROMES, *PARISES]), order.name
    query.set_filter_text("turn:>1")
    assert query.keys == [*ROMES[1:], PARISES[1]]
    assert query.begins_group(ROMES[1])


def test_a_folded_conversation_is_its_first_row(query: ListQuery[Miss]) -> None:
    query.select(ROMES[2])
    assert query.fold(ROMES[2])
    assert (query.keys, query.selected) == ([ROMES[0], *PARISES], ROMES[0])
    assert query.is_folded(ROMES[0])
    assert query.filtered_count == 0
    query.set_order("count")
    assert query.keys == [ROMES[0], *PARISES], "still folded"
    query.set_filter_text("turn:>1")
    assert (query.keys, query.filtered_count) == ([ROMES[1], PARISES[1]], 2)
    query.set_filter_text("")
    assert query.unfold(ROMES[0])
    assert query.keys == [*ROMES, *PARISES]
    assert not query.unfold(ROMES[0])


def test_a_folded_turn_is_shown_while_it_is_selected(query: ListQuery[Miss]) -> None:
    query.fold(ROMES[0])
    query.select(ROMES[2])
    assert query.keys == [ROMES[0], ROMES[2], *PARISES]
    query.select(PARISES[0])
    assert query.keys == [ROMES[0], *PARISES]


def test_a_new_turn_of_a_folded_conversation_stays_folded(session: Session) -> None:
    query = miss_query(session)
    asked(session, ROME, ROME_2, PARIS)
    query.update()
    query.fold(ROMES[0])
    query.update(asked(session, THIRD))
    assert query.keys == [ROMES[0], PARISES[0]]


def test_when_the_first_row_is_done_the_next_stands_for_the_conversation(
    session: Session, query: ListQuery[Miss]
) -> None:
    query.fold(ROMES[0])
    for number in (0, 1):
        session.decisions.skip(ROMES[number])
        query.update([ROMES[number]])
        assert query.keys == [ROMES[number + 1], *PARISES]
        assert query.selected == ROMES[number + 1]
    assert not query.is_folded(ROMES[2])
    session.decisions.skip(ROMES[2])
    query.update([ROMES[2]])
    assert query.keys == PARISES


def test_one_turn_alone_cannot_be_folded(session: Session) -> None:
    query = miss_query(session)
    asked(session, ROME, PARIS)
    query.update()
    assert not query.fold(ROMES[0])
    assert query.keys == [ROMES[0], PARISES[0]]
