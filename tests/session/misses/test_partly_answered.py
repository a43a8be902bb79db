"""Requests of one digest that offer different tools: an answer that calls one of them is not that
of the others.
"""

from __future__ import annotations

import json

import pytest

from tests.session.support import asked, chat, store, tool, undo, write
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.requests.view import Payload
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.session.misses.promotion import calls_response
from workbench.session.misses.variants import first_shown
from workbench.session.session import Session

WEATHER, TIME = chat(tools=[tool("weather")]), chat(tools=[tool("time")])
DIGEST = digest(WEATHER)
ROME = '{"city": "Rome"}'


def call(session: Session, name: str, request: Payload) -> Draft:
    """A draft that answers ``request`` with a call."""
    draft = session.drafting.choose(DIGEST, request)
    response = calls_response(DIGEST, [(name, ROME)], {})
    draft.set_answer(draft.answer.with_response(response))
    return draft


def state(session: Session) -> tuple[str, int]:
    """The state of the row, and how many rows need something more."""
    return session.state(DIGEST).word, len(session.misses())


@pytest.mark.parametrize("first", [0, 1])
def test_an_answer_is_checked_against_the_request_it_was_written_for(
    session: Session, first: int
) -> None:
    asked(session, WEATHER, TIME)
    requests, names = [WEATHER, TIME], ["weather", "time"]
    call(session, names[first], requests[first])
    assert session.drafting.checked(DIGEST).errors == []
    session.save(DIGEST)
    fixture = session.store.load(DIGEST) or {}
    assert (fixture["request"], "allow" in fixture["workbench"]) == (requests[first], False)
    assert state(session) == ("missing", 1)
    assert not session.is_answered(DIGEST)
    other = 1 - first
    assert first_shown(session, DIGEST, requests) == other

    # The other one gets an answer of its own, which nothing is left of unless it is written.
    draft = session.drafting.choose(DIGEST, requests[other])
    assert (editing.calls(draft.answer), draft.touched) == ([], False)
    assert session.drafting.choose(DIGEST, requests[first]).document.value == fixture
    call(session, names[other], requests[other])
    session.save(DIGEST)
    found = session.store.load(DIGEST) or {}
    assert (found["response"], len(found["variants"])) == (fixture["response"], 1)
    assert state(session) == ("saved", 0)
    undo(session)
    assert state(session) == ("draft", 1)


def test_a_call_of_a_tool_that_its_own_request_does_not_offer_is_an_error(
    session: Session,
) -> None:
    asked(session, WEATHER, TIME)
    call(session, "time", WEATHER)
    assert [found.rule for found in session.drafting.checked(DIGEST).errors] == ["tool-not-offered"]


def test_an_answer_that_fits_every_request_answers_all(session: Session) -> None:
    asked(session, WEATHER, TIME)
    store(session, WEATHER, "Rain.")
    assert state(session) == ("elsewhere", 0)
    # What is asked later is looked at, too.
    write(session, DIGEST, calling("weather"))
    assert state(session) == ("missing", 1)
    write(session, DIGEST, json.dumps({"response": {"content": 5}}))
    assert state(session) == ("broken", 1)


def test_another_request_that_comes_after_the_answer_is_open(session: Session) -> None:
    asked(session, WEATHER)
    write(session, DIGEST, calling("weather"))
    assert state(session) == ("elsewhere", 0)
    asked(session, TIME)
    assert state(session) == ("missing", 1)


def test_a_skeleton_is_that_of_the_chosen_request_until_something_is_typed(
    session: Session,
) -> None:
    choice = {"type": "function", "function": {"name": "time"}}
    wanted = chat(tools=[tool("weather")], tool_choice=choice)
    forced = chat(tools=[tool("time")], tool_choice=choice)
    found = digest(forced)
    asked(session, wanted, forced)
    draft = session.drafting.choose(found, forced)
    assert [made.name for made in editing.calls(draft.document)] == ["time"]
    assert (draft.document.request, draft.touched) == (forced, False)
    draft.set_answer(editing.with_content(draft.answer, "typed"))
    session.drafting.choose(found, wanted)
    assert (draft.document.request, draft.touched) == (wanted, True)
    assert editing.content(draft.document) == "typed"
    assert first_shown(session, found, [forced, wanted]) == 1


def calling(name: str) -> str:
    response = calls_response(DIGEST, [(name, ROME)], {})
    return new_document(DIGEST, response, request=WEATHER).text
