"""Requests of one digest that offer different tools: an answer that calls one of them is not that
of the others, which get a file of their own.
"""

from __future__ import annotations

import json

import pytest

from tests.session.support import asked, chat, store, tool, undo, write
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.core.requests.view import Payload
from workbench.session.answers.promotion import calls_response
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.session.misses.states import is_answered, open_misses, state_of
from workbench.session.session import Session

WEATHER, TIME = chat(tools=[tool("weather")]), chat(tools=[tool("time")])
DIGEST = digest(WEATHER)
ROME = '{"city": "Rome"}'


def call(session: Session, name: str, request: Payload) -> Draft:
    """A draft that answers ``request`` with a call."""
    draft = session.drafting.choose(DIGEST, request)
    response = calls_response(DIGEST, [(name, ROME)], {})
    draft.set_document(draft.document.with_response(response))
    return draft


def state(session: Session) -> tuple[str, int]:
    """The state of the row, and how many rows need something more."""
    return state_of(session, DIGEST).word, len(open_misses(session))


@pytest.mark.parametrize("first", [0, 1])
def test_each_request_gets_a_file_of_its_own(session: Session, first: int) -> None:
    asked(session, WEATHER, TIME)
    requests, names = [WEATHER, TIME], ["weather", "time"]
    draft = call(session, names[first], requests[first])
    assert session.drafting.checked(draft.name).errors == []
    session.save(draft.name)
    fixture = session.store.load(DIGEST) or {}
    assert (fixture["request"], "allow" in fixture["workbench"]) == (requests[first], False)
    assert state(session) == ("missing", 1)
    assert not is_answered(session, DIGEST)
    other = 1 - first
    assert session.miss_fixtures.first_open(DIGEST) == other

    # The other one gets an answer of its own, which nothing is left of unless it is written.
    draft = session.drafting.choose(DIGEST, requests[other])
    variant = variant_name(DIGEST, view(requests[other]))
    assert (draft.name, editing.calls(draft.document), draft.touched) == (variant, [], False)
    assert session.drafting.choose(DIGEST, requests[first]).document.value == fixture
    session.save(call(session, names[other], requests[other]).name)
    assert session.store.load(DIGEST) == fixture
    saved = session.store.load(variant) or {}
    assert (saved["request"], saved["request_digest"]) == (requests[other], DIGEST)
    assert state(session) == ("saved", 0)
    undo(session)
    assert state(session) == ("draft", 1)
    assert session.store.fixtures() == {DIGEST}


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


def test_a_variant_of_another_program_is_looked_at(session: Session) -> None:
    asked(session, WEATHER, TIME)
    write(session, DIGEST, calling("weather"))
    assert state(session) == ("missing", 1)
    variant = variant_name(DIGEST, view(TIME))
    write(session, variant, "{")
    assert state(session) == ("broken", 1)
    assert f"{variant}.json:1:2: " in session.miss_fixtures.fault(DIGEST)
    write(session, variant, new_document(DIGEST, {"content": "Now."}, request=TIME).text)
    assert state(session) == ("elsewhere", 0)


def test_another_request_that_comes_after_the_answer_is_open(session: Session) -> None:
    asked(session, WEATHER)
    write(session, DIGEST, calling("weather"))
    assert state(session) == ("elsewhere", 0)
    asked(session, TIME)
    assert state(session) == ("missing", 1)


def test_the_answer_of_another_request_can_be_kept(session: Session) -> None:
    asked(session, WEATHER, TIME)
    store(session, WEATHER, "Rain.")
    draft = session.drafting.choose(DIGEST, TIME)
    assert (draft.name, session.drafting.replaces_another(draft, TIME)) == (DIGEST, False)
    draft.set_document(draft.document.with_first({"content": "Wait."}))
    assert session.drafting.replaces_another(draft, TIME)
    draft.set_document(draft.document.without_first(("first", 0)))
    assert not session.drafting.replaces_another(draft, TIME)
    draft.set_document(editing.with_content(draft.document, "Noon."))
    assert session.drafting.replaces_another(draft, TIME)
    assert not session.drafting.replaces_another(draft, WEATHER)
    variant = session.drafting.keep_both(draft, TIME)
    assert not session.drafting.is_written(DIGEST)
    session.save(variant.name)
    contents = [
        (session.store.load(session.store.name_for(DIGEST, view(request))) or {})["response"]
        for request in (WEATHER, TIME)
    ]
    assert [response["content"] for response in contents] == ["Rain.", "Noon."]


def test_a_draft_of_a_variant_is_kept(session: Session) -> None:
    asked(session, WEATHER, TIME)
    write(session, DIGEST, calling("weather"))
    draft = call(session, "time", TIME)
    session.drafts.store(draft.name)
    session.drafts.drafts.clear()
    assert session.drafts.recover() == []
    assert session.drafting.choose(DIGEST, TIME).text == draft.text
    assert [saved for _, saved in session.save_many([DIGEST])] == [True]
    assert state(session) == ("saved", 0)


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
    draft.set_document(editing.with_content(draft.document, "typed"))
    session.drafting.choose(found, wanted)
    assert (draft.document.request, draft.touched) == (wanted, True)
    assert editing.content(draft.document) == "typed"


def calling(name: str) -> str:
    response = calls_response(DIGEST, [(name, ROME)], {})
    return new_document(DIGEST, response, request=WEATHER).text
