"""Misses that would read the same say what tells them apart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.session.support import asked, chat, dump_line, hash_line, second_turn, take
from workbench.core.digest import digest
from workbench.core.text.digests import short
from workbench.session.session import Session

LONG = "Answer the question with what you find in the text below. "
ENDING = "…" + LONG[-25:]


def instructed(text: str) -> dict[str, Any]:
    return {**chat(), "messages": [{"role": "system", "content": text}, *chat()["messages"]]}


@pytest.mark.parametrize(
    ("payloads", "details"),
    [
        ([chat("one"), chat("other")], ["", ""]),
        ([chat(), {**chat(), "model": "gpt-5"}], ["", ""]),
        ([chat(LONG + "Rome?"), chat(LONG + "Bern?")], [ENDING + "Rome?", ENDING + "Bern?"]),
        (
            [instructed("Plan."), instructed("Judge."), chat()],
            ["system Plan.", "system Judge.", "no system text"],
        ),
        ([second_turn(answer=a) for a in ("red", "blue")], ["after red", "after blue"]),
        ([chat(), chat(tool_choice="required")], ["no tool_choice", "tool_choice required"]),
    ],
)
def test_the_first_thing_that_differs_is_told(
    session: Session, payloads: list[dict[str, Any]], details: list[str]
) -> None:
    digests = asked(session, *payloads)
    assert [session.alike.detail(found) for found in digests] == details


def test_at_last_the_digest_tells_apart(session: Session) -> None:
    one, other = chat(), chat()
    one["messages"][0]["name"], other["messages"][0]["name"] = "a", "b"
    digests = asked(session, one, other)
    assert [session.alike.detail(found) for found in digests] == list(map(short, digests))


def test_a_row_is_news_when_another_begins_to_read_as_it_does(session: Session) -> None:
    first = instructed("Plan.")
    asked(session, first, chat("other"))
    changed = take(session, hash_line(chat()))
    assert digest(first) not in changed
    changed = take(session, dump_line(chat()))
    assert changed == {digest(first), digest(chat())}
