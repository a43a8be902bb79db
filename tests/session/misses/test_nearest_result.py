"""What is shown of the nearest fixture."""

from __future__ import annotations

import os

from tests.session.support import asked, chat, take, write
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.session.misses.nearest_result import NearestResult, find_nearest
from workbench.session.session import Session


def test_the_nearest_is_read_from_its_file(session: Session) -> None:
    yesterday, today = chat("Today is 2026-11-19."), chat("Today is 2026-11-20.")
    response = {"content": "an answer", "finish_reason": "stop"}
    found = digest(yesterday)
    path = write(session, found, new_document(found, response, request=yesterday).text)
    os.utime(path, (1_000_000, 1_000_000))
    write(session, "a" * 64, '{"response": {}}')
    (asked_for,) = asked(session, today)
    sight = find_nearest(session, session.nearest, asked_for)
    assert sight.nearest is not None
    assert sight.nearest.name == found
    assert (sight.response, sight.modified) == (response, 1_000_000)
    assert (sight.fixtures, sight.without_request) == (2, 1)


def test_where_nothing_is_near_it_is_said_how_much_there_was(session: Session) -> None:
    write(session, "a" * 64, '{"response": "no object"}')
    (found,) = asked(session, chat("hello"))
    assert find_nearest(session, session.nearest, found) == NearestResult(
        found, None, {}, None, 1, 1
    )


def test_a_miss_without_its_request_has_no_nearest(session: Session) -> None:
    take(session, f"[mock-llm] unknown fixture hash {'b' * 64}\n")
    assert find_nearest(session, session.nearest, "b" * 64).nearest is None
