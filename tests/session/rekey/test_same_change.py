"""One change, many files: what was changed by the same words is re-keyed together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.core.fixture.rules.rule_cases import KEY
from tests.session.support import (
    LISTENING,
    answer_with,
    asked,
    open_session,
    store,
    take,
    tool,
    undo,
    write,
)
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import variant_name
from workbench.core.log.lines import served_line
from workbench.core.requests.request_change import ChangedWords, RequestChange
from workbench.core.text.digests import short
from workbench.core.user_error import NotFoundError, UserError
from workbench.session.rekey.carry_out import carry_out
from workbench.session.rekey.changes import RekeyedChange
from workbench.session.rekey.pairing import plan_one, rekey_of
from workbench.session.rekey.plan import NO_BEGINNING, RekeyPlan, without_secrets
from workbench.session.rekey.same_change import (
    find_change,
    plan_offered,
    plan_same,
    plan_with_others,
)
from workbench.session.rekey.stale import plan_all
from workbench.session.session import Session

PROMPT = "You are an assistant.\nBe brief. Use the tools."
NEW_PROMPT = PROMPT.replace("brief", "short and polite")


def conversation(number: int, prompt: str = PROMPT, turns: int = 1, **more: Any) -> dict[str, Any]:
    """The request of a turn; later ones contain the earlier ones."""
    said = [{"role": "system", "content": prompt}]
    for turn in range(turns):
        said += [
            {"role": "user", "content": f"question {number}, {turn}"},
            {"role": "assistant", "content": f"answer {number}, {turn}"},
        ]
    return {"model": "gpt-4o", "messages": said[:-1], **more}


def files(session: Session) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in session.store.folder.iterdir()}


def rekeyed(session: Session, old: str, new: str) -> RequestChange:
    """Move a fixture; returns the change of its request."""
    [(rekey, problem)] = carry_out(session, [rekey_of(session, old, new)])
    assert problem == ""
    return RequestChange.of(rekey.differences)


def moves(plan: RekeyPlan) -> list[tuple[str, str]]:
    assert plan.left_out == ()
    return [(rekey.old, rekey.new) for rekey in plan.rekeys]


def changed(
    session: Session, pairs: Sequence[tuple[dict[str, Any], dict[str, Any]]]
) -> tuple[list[str], list[str]]:
    """Store the first request of each pair, and let a session see the second ones missed; returns
    the digests of both.
    """
    olds = [store(session, old, f"answer to {n}") for n, (old, _) in enumerate(pairs)]
    return olds, asked(session, *(new for _, new in pairs))


def test_one_prompt_of_a_suite_of_sixty(session: Session) -> None:
    """Twenty conversations of three turns; ten others whose prompt was changed otherwise."""
    turns = [(number, turn) for number in range(20) for turn in (1, 2, 3)]
    olds, news = changed(
        session,
        [(conversation(n, PROMPT, t), conversation(n, NEW_PROMPT, t)) for n, t in turns],
    )
    others, _ = changed(
        session,
        [
            (conversation(n), conversation(n, NEW_PROMPT.replace("assistant", "robot")))
            for n in range(100, 110)
        ],
    )
    before = files(session)
    change = rekeyed(session, olds[4], news[4])
    plan = plan_same(session, change)
    pairs = list(zip(olds, news, strict=True))
    assert moves(plan) == pairs[:4] + pairs[5:]
    assert [(d.before, d.after) for d in plan.changes] == [("brief", "short and polite")]
    assert [problem for _, problem in carry_out(session, plan.rekeys)] == [""] * 59
    assert set(files(session)) == {*news, *others}
    for old, new in pairs:
        answer = json.loads(before[old])["response"]
        assert json.loads(files(session)[new])["response"] == answer
    assert plan_same(session, change) == RekeyPlan((), ())
    # One undo for all others, one more for the first.
    assert undo(session)[0] == "Undid the move of 59 fixtures. Each file is as it was."
    assert set(files(session)) == {*olds, news[4], *others} - {olds[4]}
    undo(session)
    assert files(session) == before


def between(session: Session, old: str, new: dict[str, Any]) -> RequestChange:
    """The change of the request of a fixture to another."""
    return RequestChange.of(session.nearest.differences(old, view(new)))


def test_later_turns_move_with_their_beginning(session: Session) -> None:
    """The suite stops at the first request of each conversation, and sends no others."""
    turns = [(number, turn) for number in (1, 2) for turn in (1, 2, 3)]
    olds = [store(session, conversation(n, PROMPT, t), f"answer {n} {t}") for n, t in turns]
    news = [digest(conversation(n, NEW_PROMPT, t)) for n, t in turns]
    others = [store(session, conversation(n, "Other.", t)) for n, t in turns]
    asked(session, *(conversation(n, NEW_PROMPT) for n in (1, 2)))
    before = files(session)
    plan = plan_same(session, between(session, olds[0], conversation(1, NEW_PROMPT)))
    assert sorted(moves(plan)) == sorted(zip(olds, news, strict=True))
    assert [problem for _, problem in carry_out(session, plan.rekeys)] == [""] * 6
    assert set(files(session)) == {*news, *others}
    for (number, turn), new in zip(turns, news, strict=True):
        fixture = json.loads(files(session)[new])
        assert fixture["request"] == conversation(number, NEW_PROMPT, turn)
        assert fixture["response"]["content"] == f"answer {number} {turn}"
        assert fixture["request_digest"] == new
    undo(session)
    assert files(session) == before


def test_a_plan_for_one_has_its_later_turns_and_names_what_else_has_its_change(
    session: Session,
) -> None:
    turns = [(number, turn) for number in (1, 2) for turn in (1, 2)]
    olds = [store(session, conversation(n, PROMPT, t)) for n, t in turns]
    news = [digest(conversation(n, NEW_PROMPT, t)) for n, t in turns]
    asked(session, *(conversation(n, NEW_PROMPT) for n in (1, 2)))
    plan, others = plan_with_others(session, rekey_of(session, olds[0], news[0]))
    pairs = list(zip(olds, news, strict=True))
    assert moves(plan) == pairs[:2]
    assert [(rekey.old, rekey.new) for rekey in others] == pairs[2:]


def test_a_change_is_offered_until_its_re_key_is_undone(session: Session) -> None:
    olds, news = changed(session, [(conversation(n), conversation(n, NEW_PROMPT)) for n in (1, 2)])
    assert plan_offered(session) == RekeyPlan((), ())
    change = rekeyed(session, olds[0], news[0])
    session.rekeyed_changes.offered = RekeyedChange(olds[0], news[0], change)
    assert moves(plan_offered(session)) == [(olds[1], news[1])]
    undo(session)
    assert plan_offered(session) == RekeyPlan((), ())


def test_later_turns_of_a_stale_beginning_move_too(session: Session) -> None:
    prompts = [f"{PROMPT} Today is 2026-11-{day}." for day in (18, 20)]
    olds, news = (
        [digest(conversation(1, prompt, turn)) for turn in (1, 2, 3)] for prompt in prompts
    )
    for turn in (1, 2, 3):
        store(session, conversation(1, prompts[0], turn))
    asked(session, conversation(1, prompts[1]))
    session.stale.catch_up()
    assert moves(plan_all(session)) == list(zip(olds, news, strict=True))
    # One that has a file already stays, and is named.
    store(session, conversation(1, prompts[1], 3))
    plan = plan_all(session)
    assert [rekey.old for rekey in plan.rekeys] == olds[:2]
    [left_out] = plan.left_out
    assert left_out.new == news[2]
    assert left_out.reason.startswith("it has a fixture already, so the later turn")


def test_later_turns_stay_where_their_beginning_does(session: Session) -> None:
    olds = [store(session, conversation(1, PROMPT, turn)) for turn in (1, 2, 3)]
    new = conversation(1, NEW_PROMPT)
    asked(session, new)
    plan = plan_one(session, olds[0], digest(new))
    assert len(plan.rekeys) == 3
    first, *_ = plan.rekeys
    left_out = without_secrets(plan._replace(rekeys=(first._replace(secret="!"), *plan.rekeys[1:])))
    assert left_out.rekeys == ()
    assert [each.reason for each in left_out.left_out] == ["!", NO_BEGINNING, NO_BEGINNING]
    write(session, digest(new), "{}")  # another program is faster
    problems = [problem for _, problem in carry_out(session, plan.rekeys)]
    assert problems[0]
    assert problems[1:] == [NO_BEGINNING, NO_BEGINNING]
    assert set(files(session)) == {*olds, digest(new)}


def test_later_turns_that_are_still_asked_are_copied(session: Session) -> None:
    first, second = (conversation(1, PROMPT, turn) for turn in (1, 2))
    for request in (first, second):
        store(session, request)
    take(session, LISTENING, served_line(digest(second)))
    asked(session, conversation(1, NEW_PROMPT))
    plan = plan_same(session, between(session, digest(first), conversation(1, NEW_PROMPT)))
    assert [rekey.is_copy for rekey in plan.rekeys] == [False, True]


def tool_turns(name: str, number: int, turns: int, **more: Any) -> dict[str, Any]:
    """A conversation in which a tool was called so many times."""
    asked = conversation(number, f"Ask {name} first.", **more)
    for turn in range(turns):
        call = {"name": name, "arguments": f'{{"day": {number}{turn}}}'}
        made = {"id": f"call_{turn}", "type": "function", "function": call}
        asked["messages"] += [
            {"role": "assistant", "content": None, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": "12 °C"},
        ]
    return asked


def test_a_renamed_tool_in_as_many_places_as_there_are_calls(session: Session) -> None:
    turns = [(number, turn) for number in range(3) for turn in range(3)]
    olds, news = changed(
        session,
        [(tool_turns("get_weather", *t), tool_turns("fetch_weather", *t)) for t in turns],
    )
    change = rekeyed(session, olds[0], news[0])
    assert moves(plan_same(session, change)) == list(zip(olds[1:], news[1:], strict=True))


def test_the_name_of_the_model(session: Session) -> None:
    olds, news = changed(
        session,
        [(conversation(n), conversation(n, model="gpt-4o-2026-08-06")) for n in range(3)],
    )
    changed(session, [(conversation(n), conversation(n, model="gpt-5")) for n in (7, 8)])
    change = rekeyed(session, olds[0], news[0])
    assert moves(plan_same(session, change)) == list(zip(olds[1:], news[1:], strict=True))


def test_a_change_in_two_places_is_not_one_in_one_of_them(session: Session) -> None:
    def both(n: int) -> tuple[dict[str, Any], dict[str, Any]]:
        return conversation(n), conversation(n, NEW_PROMPT.replace("tools", "tool"))

    olds, news = changed(session, [both(n) for n in range(5)])
    others = [(conversation(n), conversation(n, NEW_PROMPT)) for n in (7, 8)]
    changed(session, others)
    change = rekeyed(session, olds[0], news[0])
    plan = plan_same(session, change)
    assert moves(plan) == list(zip(olds[1:], news[1:], strict=True))
    assert len(plan.changes) == 2
    other = RequestChange.of(session.nearest.differences(digest(others[0][0]), view(others[0][1])))
    assert len(moves(plan_same(session, other))) == 2


def test_dates_may_differ_beside_and_the_same_date_goes_first(session: Session) -> None:
    def on(n: int, day: int, prompt: str) -> dict[str, Any]:
        return conversation(n, f"{prompt} Today is 2026-11-{day}.")

    olds, news = changed(session, [(on(n, 18, PROMPT), on(n, 20, NEW_PROMPT)) for n in range(3)])
    # Two tests that differ in a date alone.
    same, now = changed(session, [(on(9, d, PROMPT), on(9, d, NEW_PROMPT)) for d in (4, 5)])
    change = rekeyed(session, olds[0], news[0])
    pairs = zip([*olds[1:], *same], [*news[1:], *now], strict=True)
    assert moves(plan_same(session, change)) == list(pairs)


def test_where_several_could_be_meant_none_is_taken(session: Session) -> None:
    def on(day: int, prompt: str = PROMPT) -> dict[str, Any]:
        return conversation(1, f"{prompt} Today is 2026-11-{day}.")

    [old], [new] = changed(session, [(conversation(5), conversation(5, NEW_PROMPT))])
    change = rekeyed(session, old, new)
    first = store(session, on(10), "one")
    (miss,) = asked(session, on(13, NEW_PROMPT))
    assert moves(plan_same(session, change)) == [(first, miss)]
    # Two misses of one run, one fixture.
    (rival,) = asked(session, on(14, NEW_PROMPT))
    assert [each.new for each in plan_same(session, change).left_out] == [miss, rival]
    # Of two runs: copies.
    take(session, LISTENING)
    (other,) = asked(session, conversation(6, NEW_PROMPT))
    store(session, conversation(6))
    assert other in [rekey.new for rekey in plan_same(session, change).rekeys]
    # Two fixtures, two answers.
    store(session, on(11), "two")
    (third,) = asked(session, on(15, NEW_PROMPT))
    [reason] = [each.reason for each in plan_same(session, change).left_out if each.new == third]
    assert reason.startswith("2 fixtures are possible: ")


def test_one_that_two_runs_need_is_copied_and_so_is_one_that_is_still_asked(
    session: Session,
) -> None:
    def on(day: int, prompt: str = PROMPT) -> dict[str, Any]:
        return conversation(1, f"{prompt} Today is 2026-11-{day}.")

    [old, still], [new, now] = changed(
        session, [(conversation(n), conversation(n, NEW_PROMPT)) for n in (5, 6)]
    )
    take(session, served_line(still))
    store(session, on(10))
    asked(session, on(13, NEW_PROMPT))
    take(session, LISTENING)
    asked(session, on(14, NEW_PROMPT))
    change = rekeyed(session, old, new)
    plan = plan_same(session, change)
    assert [(rekey.new == now, rekey.is_copy) for rekey in plan.rekeys] == [
        (True, True),
        (False, True),
        (False, True),
    ]


def test_variants_and_sequences_move_along(session: Session) -> None:
    weather, time = [tool("weather")], [tool("time")]
    [old], [new] = changed(session, [(conversation(1), conversation(1, NEW_PROMPT))])
    base = store(session, conversation(2, tools=weather))
    variant = variant_name(base, view(conversation(2, tools=time)))
    made = new_document(base, {"content": "later"}, request=conversation(2, tools=time))
    write(session, variant, made.with_first({"error": {"status": 500}}).text)
    moved, _ = asked(
        session, conversation(2, NEW_PROMPT, tools=weather), conversation(2, NEW_PROMPT, tools=time)
    )
    change = rekeyed(session, old, new)
    [rekey] = plan_same(session, change).rekeys
    assert rekey.files == ((base, moved), (variant, f"{moved}.{variant[65:]}"))
    assert [problem for _, problem in carry_out(session, [rekey])] == [""]
    value = json.loads(files(session)[rekey.files[1][1]])
    assert value["first"] == [{"error": {"status": 500}}]
    assert value["request"] == conversation(2, NEW_PROMPT, tools=time)


def test_what_somebody_answers_and_what_has_a_file_stays(session: Session) -> None:
    olds, news = changed(
        session, [(conversation(n), conversation(n, NEW_PROMPT)) for n in range(5)]
    )
    change = rekeyed(session, olds[0], news[0])
    answer_with(session, news[1], "mine")
    write(session, news[2], "{broken")
    session.decisions.skip(news[3])
    plan = plan_same(session, change)
    assert [rekey.new for rekey in plan.rekeys] == [news[4]]
    assert [(each.new, each.reason) for each in plan.left_out] == [
        (news[1], "an answer to it is being written."),
        (news[2], f"The request {short(news[2])} has a fixture already."),
    ]


# Which change is meant


def test_the_change_is_that_of_the_pair_before_and_after_its_re_key(tmp_path: Path) -> None:
    with_pairs = [(conversation(n), conversation(n, NEW_PROMPT)) for n in range(3)]
    session = open_session(tmp_path)
    olds, news = changed(session, with_pairs)
    session.stale.catch_up()
    changes = [find_change(session, each) for each in (news[1], olds[1][:8])]
    changes.append(rekeyed(session, olds[1], news[1]))
    session.close()
    # Another process has the log and the files.
    session = open_session(tmp_path)
    asked(session, *(new for _, new in with_pairs))
    session.stale.catch_up()
    changes += [find_change(session, each) for each in (news[1], olds[1], olds[1][:8])]
    assert {change.words for change in changes} == {(("brief", "short and polite"),)}
    assert len(plan_same(session, changes[-1]).rekeys) == 2
    session.close()


def test_the_change_is_there_for_the_next_turns_when_hundreds_followed(session: Session) -> None:
    change = RequestChange((ChangedWords("brief", "polite"),))
    first = RekeyedChange("a" * 64, store(session, conversation(1)), change)
    session.rekeyed_changes.add([first])
    session.rekeyed_changes.add([RekeyedChange(f"{n:064}", f"{n:064}", change) for n in range(900)])
    assert find_change(session, first.old) == find_change(session, first.new) == change
    assert session.state_folder.rekeyed.read_text().count("polite") == 1


def test_what_has_no_change_is_refused(session: Session) -> None:
    [old], [new] = changed(
        session, [(conversation(1, "It is 2026-11-19."), conversation(1, "It is 2026-11-20."))]
    )
    session.stale.catch_up()
    with pytest.raises(UserError, match="only dates and ids differ"):
        find_change(session, new)
    unused = store(session, conversation(70, "Something else entirely, for nobody at all."))
    with pytest.raises(NotFoundError, match=f"is similar to the request of {short(unused)}"):
        find_change(session, unused)
    (strange,) = asked(session, {"model": "x", "messages": [{"role": "user", "content": "?"}]})
    with pytest.raises(NotFoundError, match="no fixture is similar to the request"):
        find_change(session, strange)
    with pytest.raises(NotFoundError):
        find_change(session, "0" * 64)
    assert old in files(session)


def test_words_with_a_secret_are_in_no_other_file(session: Session) -> None:
    secret = PROMPT.replace("brief", KEY)
    [first, _], [new, _] = changed(
        session, [(conversation(n, secret), conversation(n, NEW_PROMPT)) for n in (1, 2)]
    )
    change = rekeyed(session, first, new)
    assert len(plan_same(session, change).rekeys) == 1
    assert session.rekeyed_changes.read() == []
    assert not session.state_folder.rekeyed.exists()


@pytest.mark.parametrize(
    "text", ["", "{", "[1, {}]", '[{"words": [{"before": 2}], "digests": [{}]}]']
)
def test_a_broken_file_of_changes_is_none(session: Session, text: str) -> None:
    session.state_folder.ensure()
    session.state_folder.rekeyed.write_text(text)
    assert session.rekeyed_changes.read() == []
    [old], [new] = changed(session, [(conversation(1), conversation(1, NEW_PROMPT))])
    rekeyed(session, old, new)
    assert [each.new for each in session.rekeyed_changes.read()] == [new]
