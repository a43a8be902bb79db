"""The state "stale": a fixture's request with nothing but dates and the like changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.session.support import (
    LISTENING,
    asked,
    chat,
    delete,
    dump_line,
    hash_line,
    store,
    take,
)
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import served_line
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import state_of
from workbench.session.session import Session


def news(day: int) -> dict[str, Any]:
    return chat(f"What is new on 2026-11-{day}?")


def kind(session: Session, found: str) -> str:
    return state_of(session, found).kind


def test_a_miss_becomes_one_of_another_day_and_no_longer(session: Session) -> None:
    yesterday = store(session, news(19))
    (today,) = asked(session, news(20))
    assert kind(session, today) == "missing"  # nothing was read yet
    assert session.stale.catch_up() == {today}
    assert state_of(session, today).word == "stale"
    assert session.stale.fixtures(today) == [yesterday]
    delete(session, yesterday)
    assert session.stale.catch_up() == {today}
    assert kind(session, today) == "missing"


def test_misses_and_files_that_come_later_count(session: Session) -> None:
    (today, _) = asked(session, news(20), chat("another"))
    assert session.stale.catch_up() == set()
    store(session, news(19))
    assert session.stale.catch_up() == {today}
    (tomorrow,) = asked(session, news(21))
    session.stale.catch_up()
    assert kind(session, tomorrow) == "stale"


def test_a_file_that_comes_while_the_folder_is_read_counts(tmp_path: Path) -> None:
    class Busy(FixtureStore):
        """Another program writes a file when the folder was just listed."""

        def fixtures(self) -> set[str]:
            found = super().fixtures()
            if not found:
                store(session, news(19))
            return found

    session = Session(Busy(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    (today,) = asked(session, news(20))
    assert session.stale.catch_up() == {today}
    session.close()


def test_a_folder_that_cannot_be_read_is_read_when_it_can_be(tmp_path: Path) -> None:
    class Remote(FixtureStore):
        """A folder that is not there the first time."""

        is_lost = True

        def fixtures(self) -> set[str]:
            if self.is_lost:
                self.is_lost = False
                raise OSError("stale file handle")
            return super().fixtures()

    session = Session(Remote(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    store(session, news(19))
    (today,) = asked(session, news(20))
    with pytest.raises(OSError, match="stale"):
        session.stale.read()
    assert session.stale.catch_up() == {today}
    session.close()


def test_a_file_that_is_noted_while_others_are_read_counts(session: Session) -> None:
    (today,) = asked(session, news(20))
    session.stale.catch_up()
    yesterday = new_document(digest(news(19)), {"content": "nothing"}, request=news(19)).text
    path = session.store.path(digest(news(19)))
    path.parent.mkdir()
    path.write_text(yesterday)

    def names() -> Iterator[str]:
        session.stale.read()  # as in a thread
        yield path.name

    session.stale.note_files(names())
    assert session.stale.catch_up() == {today}


def test_a_dump_that_comes_late_counts(session: Session) -> None:
    store(session, news(19))
    take(session, hash_line(news(20)))
    session.stale.catch_up()
    today = digest(news(20))
    assert kind(session, today) == "unlogged"
    take(session, dump_line(news(20)))
    assert session.stale.catch_up() == {today}
    assert kind(session, today) == "stale"


def test_what_was_missed_in_the_same_run_is_no_other_day(session: Session) -> None:
    first, second = asked(session, news(19), news(20))
    store(session, news(19))
    session.stale.catch_up()
    assert kind(session, second) == "missing"
    # Nor is it in a run in which only the second comes.
    take(session, LISTENING)
    asked(session, news(20))
    assert kind(session, second) == "missing"
    assert kind(session, first) == "answered"


def test_what_was_served_in_the_same_run_is_no_other_day(session: Session) -> None:
    yesterday = store(session, news(19))
    take(session, LISTENING, served_line(yesterday))
    (today,) = asked(session, news(20))
    session.stale.catch_up()
    assert kind(session, today) == "missing"


def test_what_was_served_in_an_earlier_run_is_another_day(session: Session) -> None:
    yesterday = store(session, news(19))
    take(session, LISTENING, served_line(yesterday), LISTENING)
    (today,) = asked(session, news(20))
    session.stale.catch_up()
    assert kind(session, today) == "stale"


def test_the_nearest_of_a_miss_knows_what_came_beside_it(session: Session) -> None:
    first, second = asked(session, news(19), news(20))
    store(session, news(19))
    session.nearest.refresh()
    nearest = nearest_of(session, second)
    assert nearest is not None
    assert (nearest.name, nearest.same_but_volatile) == (first, False)
    take(session, hash_line(chat("no dump")))
    assert nearest_of(session, digest(chat("no dump"))) is None


def test_rivals_are_the_misses_that_are_the_same(session: Session) -> None:
    store(session, chat("yet another"))
    first, second, _ = asked(session, news(19), news(20), chat("another"))
    session.stale.catch_up()
    assert session.stale.rivals(first) == [second]
    assert session.stale.rivals("unknown") == []
