"""Which fixture answers a request, and what the log says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.answering.lookup import (
    Answered,
    Missed,
    find_other,
    find_own,
)
from workbench.core.apis.table import view
from workbench.core.fixture.other_fixture import OtherFixture
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import RequestView
from workbench.core.written.request import as_written

REQUEST = view({"messages": [{"role": "user", "content": "hello"}]})
DIGEST = REQUEST.digest
FIXTURE = {"response": {"content": "Hi."}}
OTHER = "0" * 64


def nothing(_: str) -> None:
    return None


def other(_: RequestView) -> OtherFixture:
    return OtherFixture(OTHER, FIXTURE)


def another_day(_: RequestView) -> OtherFixture:
    return OtherFixture(OTHER, FIXTURE, ("date", "time"))


def miss() -> Missed:
    outcome = find_own(REQUEST, nothing)
    assert isinstance(outcome, Missed)
    return outcome


def test_its_own_fixture_answers() -> None:
    outcome = find_own(REQUEST, {DIGEST: FIXTURE}.get)
    assert isinstance(outcome, Answered)
    assert outcome.answer.reply.content == "Hi."
    assert outcome.lines(str) == f"[mock-llm] served fixture {DIGEST}\n"


def test_the_fixture_of_another_request_answers_a_miss() -> None:
    equivalent = find_other(miss(), [other])
    assert isinstance(equivalent, Answered)
    served = f"[mock-llm] served fixture {OTHER}"
    assert equivalent.lines(str) == f"{served} (equivalent to {DIGEST})\n"
    assert equivalent.answer.digest == DIGEST
    same = find_other(miss(), [another_day])
    assert isinstance(same, Answered)
    masked = f"[workbench] served fixture {OTHER} for {DIGEST} after masking date, time\n"
    assert same.lines(str) == f"{served}\n{masked}"


def test_the_first_that_has_an_answer_is_taken() -> None:
    outcome = find_other(miss(), [lambda _: None, another_day, other])
    assert isinstance(outcome, Answered)
    assert outcome.other == another_day(REQUEST)


def test_another_fixture_that_is_not_there_or_cannot_be_used_leaves_a_miss() -> None:
    missed = miss()
    assert find_other(missed, [lambda _: None]) is missed
    assert find_other(missed, [lambda _: OtherFixture(OTHER, {"response": 1})]) is missed


def test_where_its_own_fixture_is_broken_no_other_one_answers() -> None:
    def broken(_: str) -> Mapping[str, Any]:
        raise FixtureError("json", "the text ends")

    missed = find_own(REQUEST, broken)
    assert isinstance(missed, Missed)
    assert find_other(missed, [other]) is missed
    written = as_written(REQUEST.payload, [])
    lines = missed.lines(written, "tests/test_a.py::test_b", "failed to load\n").splitlines()
    assert lines[0] == "failed to load"
    assert lines[1].endswith(f"unknown fixture hash {DIGEST}")
    assert lines[3].endswith(f"asked by tests/test_a.py::test_b {DIGEST}")


def test_the_request_of_a_miss_that_repeats_a_credential_is_not_shown() -> None:
    written = as_written(REQUEST.payload, [("authorization", "Bearer hello")])
    lines = miss().lines(written._replace(is_secret=True), "", "")
    assert "hello" not in lines
    assert "is not shown" in lines


def test_what_a_directive_cannot_say_is_noted_without_credentials() -> None:
    text = "[[MOCK_LLM_EMIT:A]] [[MOCK_LLM_EMIT:aGk]]"
    outcome = find_own(view({"messages": [{"role": "user", "content": text}]}), nothing)
    assert isinstance(outcome, Answered)
    assert outcome.answer.reply.content == "hi"
    assert outcome.lines(lambda said: said.replace("'A'", "…")).startswith(
        "[mock-llm] bad MOCK_LLM_EMIT payload …"
    )
