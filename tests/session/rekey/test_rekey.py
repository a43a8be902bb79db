"""Re-key: the right file moves, nothing else changes, and it can be taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.core.fixture.rules.rule_cases import KEY
from tests.session.support import (
    LISTENING,
    answer_with,
    asked,
    chat,
    full_disk,
    open_session,
    store,
    take,
    undo,
    write,
)
from tests.strategies import fixtures, payloads
from workbench.cli.session_summary import closing_lines
from workbench.core.digest import digest
from workbench.core.fixture.document import FixtureDocument, new_document
from workbench.core.log.lines import served_line
from workbench.core.text.digests import short
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import FileMove
from workbench.session.misses.states import state_of
from workbench.session.rekey import carry_out as rekeying
from workbench.session.rekey.new_file import rekeyed
from workbench.session.rekey.pairing import rekey_of
from workbench.session.rekey.plan import (
    LeftOut,
    Rekey,
    RekeyPlan,
    RekeyRefusedError,
    without_secrets,
)
from workbench.session.rekey.stale import plan_all
from workbench.session.session import Session


def news(day: int, more: str = "") -> dict[str, Any]:
    return chat(f"What is new on 2026-11-{day}?{more}", temperature=day)


def files(session: Session) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in session.store.folder.iterdir()}


def plan(session: Session) -> RekeyPlan:
    session.stale.catch_up()
    return plan_all(session)


def moves(found: RekeyPlan) -> list[tuple[str, str, bool]]:
    return [(rekey.old, rekey.new, rekey.is_copy) for rekey in found.rekeys]


def carry_out(session: Session, rekeys: Iterable[Rekey]) -> tuple[list[Rekey], list[str]]:
    """Re-key; returns what was done, and why the rest could not be."""
    outcomes = list(rekeying.carry_out(session, rekeys))
    return [r for r, problem in outcomes if not problem], [p for _, p in outcomes if p]


# One file


def test_only_digest_and_request_change_and_every_other_byte_stays(session: Session) -> None:
    text = """{
    "_comment" : "by  hand",
    "request_digest": "OLD", "response": {"content": "12 °C", "tool_calls":null},

    "request": {"model":"gpt-4o","messages":[
        {"role":"user","content":"What is new on 2026-11-19?"}],"temperature":19},
    "workbench": {"source": "edited", "allow": []}, "more": [1.0, 2e3]
}"""
    old = digest(news(19))
    write(session, old, text.replace("OLD", old))
    (new,) = asked(session, news(20))
    [rekey] = plan(session).rekeys
    assert (rekey.old, rekey.new, rekey.is_copy) == (old, new, False)
    assert [(d.before, d.after) for d in rekey.differences] == [("2026-11-19", "2026-11-20")]
    assert carry_out(session, [rekey]) == ([rekey], [])
    expected = text.replace("OLD", new).replace("11-19", "11-20").replace("19}", "20}")
    assert files(session) == {new: expected.encode()}
    assert state_of(session, new).word == "saved"


def test_a_description_that_was_filled_in_is_that_of_the_new_request(session: Session) -> None:
    requests = {
        'test_a, turn 1: "What is new on 2026-11-19?"': news(19),
        "mine": news(19, " More!"),
    }
    for description, request in requests.items():
        name = digest(request)
        made = new_document(name, {"content": "x"}, description=description, request=request)
        write(session, name, made.text)
    first, second = asked(session, news(20), news(20, " More!"))
    carry_out(session, plan(session).rekeys)
    descriptions = [(session.store.current(name) or {})["description"] for name in (first, second)]
    assert descriptions == ['test_a, turn 1: "What is new on 2026-11-20?"', "mine"]


def test_a_file_keeps_its_mode_and_is_moved_back_byte_for_byte(session: Session) -> None:
    old = store(session, news(19))
    os.chmod(session.store.path(old), 0o640)
    before = files(session)
    (new,) = asked(session, news(20))
    carry_out(session, plan(session).rekeys)
    assert os.stat(session.store.path(new)).st_mode & 0o777 == 0o640
    assert undo(session) == (
        f"Undid the move of {short(new)}. Each file is as it was.",
        [new],
    )
    assert files(session) == before
    assert os.stat(session.store.path(old)).st_mode & 0o777 == 0o640
    assert session.decisions.rekeyed == {}


def test_the_draft_of_a_rekeyed_miss_is_the_file(session: Session) -> None:
    store(session, news(19), "yesterday's")
    (new,) = asked(session, news(20))
    assert session.drafting.open(new).document.response["content"] == ""
    carry_out(session, plan(session).rekeys)
    assert session.drafting.open(new).document.response["content"] == "yesterday's"
    undo(session)
    assert session.drafting.open(new).document.response["content"] == ""


@pytest.mark.parametrize("request_digest", [{}, {"request_digest": "old"}])
def test_what_a_file_says_of_its_request_is_what_is_changed(request_digest: Any) -> None:
    document = FixtureDocument(json.dumps({**request_digest, "response": {"content": "x"}}))
    value = rekeyed(document, "new", {"model": "m"}).value
    assert value.pop("request") == {"model": "m"}
    assert value.pop("request_digest", None) == ("new" if request_digest else None)
    assert value == {"response": {"content": "x"}}


@given(value=fixtures, request=payloads)
def test_whatever_a_fixture_holds_only_its_request_changes(
    value: dict[str, Any], request: dict[str, Any]
) -> None:
    document = FixtureDocument(json.dumps({**value, "request": {"model": "old"}}, indent=1))
    assert rekeyed(document, "new", request).value == {**value, "request": request}
    assert rekeyed(document, "new", None).value == value


def test_a_request_that_is_not_stored_leaves_no_other_ones_behind(tmp_path: Path) -> None:
    session = open_session(tmp_path, store_request=False)
    old = store(session, news(19))
    (new,) = asked(session, news(20))
    carry_out(session, [rekey_of(session, old, new)])
    assert "request" not in json.loads(files(session)[new])
    session.close()


@pytest.mark.parametrize("what", ["no such fixture", "has a fixture", "no dump"])
def test_what_cannot_be_done_is_refused(session: Session, what: str) -> None:
    old = store(session, news(19))
    (new,) = asked(session, news(20))
    if what == "no such fixture":
        old = "a" * 64
    elif what == "has a fixture":
        store(session, news(20))
    else:
        new = "b" * 64
        take(session, f"[mock-llm] unknown fixture hash {new}\n")
    before = files(session)
    with pytest.raises(RekeyRefusedError):
        rekey_of(session, old, new)
    assert files(session) == before


def test_a_file_that_came_meanwhile_is_never_overwritten(session: Session) -> None:
    store(session, news(19))
    (new,) = asked(session, news(20))
    found = plan(session)
    session.store.path(new).write_text("theirs")
    before = files(session)
    done, [reason] = carry_out(session, found.rekeys)
    assert done == []
    assert "another program" in reason
    assert files(session) == before


def test_a_file_that_is_broken_or_gone_meanwhile_stays_so(session: Session) -> None:
    old = store(session, news(19))
    (new,) = asked(session, news(20))
    found = plan(session)
    session.store.path(old).write_text("{broken")
    assert carry_out(session, found.rekeys)[0] == []
    session.store.path(old).unlink()
    assert carry_out(session, found.rekeys)[0] == []
    assert files(session) == {}
    assert session.store.stamp(new) is None


def test_a_file_that_changes_while_it_is_moved_stays_alone(session: Session) -> None:
    old = store(session, news(19))
    (new,) = asked(session, news(20))
    base = session.store.stamp(old)
    assert base is not None
    write(session, old, "theirs")
    with pytest.raises(FixtureChangedError):
        session.decisions.rekey(new, [FileMove(old, new, base, b"{}")], copy=False)
    assert files(session) == {old: b"theirs"}
    assert len(session.history) == 0


def test_on_a_full_disk_nothing_changes(session: Session) -> None:
    store(session, news(19))
    asked(session, news(20))
    found = plan(session)
    before = files(session)
    with full_disk():
        done, [reason] = carry_out(session, found.rekeys)
    assert (done, files(session)) == ([], before)
    assert reason.startswith("Cannot write to")


def test_the_closing_summary_names_it(session: Session) -> None:
    store(session, news(19), "nothing")
    (new,) = asked(session, news(20))
    carry_out(session, plan(session).rekeys)
    head, line, _ = closing_lines(session, "workbench")
    assert head.startswith("0 saved, 1 moved, 0 ignored, 0 skipped. 0 of 1 misses left")
    assert line.split() == ["moved", short(new), '"nothing"', str(session.store.folder)]
    undo(session)
    assert closing_lines(session, "workbench") == []


# Many files


def test_all_of_another_day_are_one_decision(session: Session) -> None:
    days = [store(session, news(19, f" ({n})"), f"answer {n}") for n in "abcd"]
    before = files(session)
    misses = asked(session, *(news(20, f" ({n})") for n in "abcd"), chat("another"))
    found = plan(session)
    assert moves(found) == [(old, new, False) for old, new in zip(days, misses, strict=False)]
    assert found.left_out == ()
    carry_out(session, found.rekeys)
    assert set(files(session)) == set(misses[:4])
    assert list(session.decisions.rekeyed) == misses[:4]
    sentence, digests = undo(session)
    assert sentence == "Undid the move of 4 fixtures. Each file is as it was."
    assert files(session) == before
    assert set(digests) == set(misses[:4])
    session.stale.catch_up()
    assert [state_of(session, miss).kind for miss in misses] == ["stale"] * 4 + ["missing"]


def test_undo_refuses_where_a_file_changed_since_and_the_next_goes_on(session: Session) -> None:
    for n in "ab":
        store(session, news(19, n))
    first, second = asked(session, news(20, "a"), news(20, "b"))
    carry_out(session, plan(session).rekeys)
    session.store.path(first).write_text("theirs")
    with pytest.raises(FixtureChangedError):
        undo(session)
    assert set(files(session)) == {first, second}
    assert undo(session)[1] == [second]
    assert set(files(session)) == {first, digest(news(19, "b"))}


def test_what_is_saved_between_two_of_many_is_a_decision_of_its_own(session: Session) -> None:
    olds = {store(session, news(19, n)) for n in "ab"}
    *_, joke = asked(session, news(20, "a"), news(20, "b"), chat("a joke"))
    for number, _ in enumerate(rekeying.carry_out(session, plan(session).rekeys)):
        if number == 0:
            answer_with(session, joke, "saved meanwhile")
            session.save(joke)
    assert len(undo(session)[1]) == 1
    assert joke not in files(session)
    assert undo(session)[0] == "Undid the move of 2 fixtures. Each file is as it was."
    assert set(files(session)) == olds


def test_an_undo_that_is_stopped_leaves_whole_files_and_can_go_on(session: Session) -> None:
    olds = {store(session, news(19, n)) for n in "abc"}
    misses = asked(session, *(news(20, n) for n in "abc"))
    carry_out(session, plan(session).rekeys)
    assert len(session.history) == 3
    first = next(session.undo())
    assert len(set(files(session)) & olds) == 1
    assert session.decisions.rekeyed.keys() == {*misses} - {first.digest}
    assert len(session.history) == 2
    assert undo(session)[0] == "Undid the move of 2 fixtures. Each file is as it was."
    assert set(files(session)) == olds


def test_a_file_that_changes_while_many_are_taken_back_is_not_there_twice(session: Session) -> None:
    olds = [store(session, news(19, n)) for n in "ab"]
    first, _ = asked(session, news(20, "a"), news(20, "b"))
    carry_out(session, plan(session).rekeys)
    steps = session.undo()
    next(steps)
    session.store.path(first).write_text("theirs")
    with pytest.raises(FixtureChangedError):
        next(steps)
    assert set(files(session)) == {first, olds[1]}
    assert files(session)[first] == b"theirs"


def test_undo_never_overwrites_a_file_that_came_in_the_old_place(session: Session) -> None:
    old = store(session, news(19))
    (new,) = asked(session, news(20))
    carry_out(session, plan(session).rekeys)
    session.store.path(old).write_text("theirs")
    before = files(session)
    with pytest.raises(FixtureChangedError):
        undo(session)
    assert files(session) == before
    assert new in before


def test_two_misses_of_one_run_leave_each_others_fixture_alone(session: Session) -> None:
    """Both could be the request of the fixture on another day."""
    store(session, news(18))
    first, second = asked(session, news(19), news(20))
    found = plan(session)
    assert moves(found) == []
    assert [one.new for one in found.left_out] == [first, second]
    assert short(second) in found.left_out[0].reason


def test_a_fixture_that_two_runs_want_is_copied(session: Session) -> None:
    old = store(session, news(18))
    (first,) = asked(session, news(19))
    take(session, LISTENING)
    (second,) = asked(session, news(20))
    found = plan(session)
    assert moves(found) == [(old, first, True), (old, second, True)]
    carry_out(session, found.rekeys)
    assert set(files(session)) == {old, first, second}
    undo(session)
    assert set(files(session)) == {old}


def test_a_fixture_whose_own_request_came_in_the_same_run_is_copied(session: Session) -> None:
    old = store(session, news(19))
    take(session, LISTENING, served_line(old))
    (new,) = asked(session, news(20))
    assert moves(plan(session)) == []
    rekey = rekey_of(session, old, new)
    assert rekey == Rekey(old, new, True, ((old, new),), rekey.differences)
    assert [d.after for d in rekey.differences] == ["2026-11-20"]
    carry_out(session, [rekey])
    assert set(files(session)) == {old, new}


def test_what_would_store_a_secret_is_left_out_unless_the_fixture_allows_it(
    session: Session,
) -> None:
    old = store(session, news(19, f" Use {KEY}."))
    (new,) = asked(session, news(20, f" Use {KEY}."))
    found = plan(session)
    assert moves(found) == [(old, new, False)]
    assert found.rekeys[0].secret == rekey_of(session, old, new).secret
    left = without_secrets(found, "Ask first.")
    warning = (
        "messages[0].content contains what looks like an API key (sk-…f3a). It would be stored."
    )
    assert left == RekeyPlan((), (LeftOut(new, f"{warning} Ask first."),))
    allowed = {"response": {"content": "x"}, "workbench": {"allow": ["secret"]}}
    write(session, old, json.dumps({**allowed, "request": news(19, f" Use {KEY}.")}))
    assert without_secrets(plan(session)).left_out == ()


def test_a_secret_that_the_new_file_does_not_store_is_no_reason(session: Session) -> None:
    session.drafting.store_request = False
    old = store(session, news(19))
    (new,) = asked(session, news(20, f" Use {KEY}."))
    assert rekey_of(session, old, new).secret == ""


def test_of_several_fixtures_with_different_answers_none_is_taken(session: Session) -> None:
    fixtures = [store(session, news(day), f"answer of {day}") for day in (17, 18)]
    (new,) = asked(session, news(20))
    found = plan(session)
    assert moves(found) == []
    assert found.left_out[0].new == new
    assert all(short(fixture) in found.left_out[0].reason for fixture in fixtures)


def test_of_several_fixtures_with_one_answer_one_is_taken(session: Session) -> None:
    fixtures = [store(session, news(day), "the same") for day in (17, 18)]
    (new,) = asked(session, news(20))
    found = plan(session)
    assert [(rekey.old in fixtures, rekey.new) for rekey in found.rekeys] == [(True, new)]


def test_nothing_of_another_day_is_an_empty_plan(session: Session) -> None:
    asked(session, news(20))
    assert plan(session) == RekeyPlan((), ())


def test_the_comparisons_of_many_misses_that_are_alike_do_not_explode(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a suite whose prompts hold an id of each session."""
    count, compared = 40, 0
    in_one_run = session.miss_index.in_one_run

    def counted(one: str, other: str) -> bool:
        nonlocal compared
        compared += 1
        return in_one_run(one, other)

    monkeypatch.setattr(session.miss_index, "in_one_run", counted)
    for number in range(count):
        store(session, chat(f"What is new on 2026-10-{10 + number % 20} at 10:{10 + number}?"))
    for number in range(count):
        take(session, LISTENING)
        asked(session, chat(f"What is new on 2026-11-{10 + number % 20} at 11:{10 + number}?"))
    assert len(plan(session).rekeys) == count
    assert compared < 10 * count**2
