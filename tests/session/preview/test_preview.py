"""The preview: what the server sends, and whether it holds together."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import reference, strategies
from tests.cases import each_case
from tests.server.running import RunningServer
from tests.session.support import asked, chat, missed, take, tool
from workbench.core.apis.paths import received
from workbench.core.digest import digest
from workbench.core.fixture.document import FixtureDocument, new_document
from workbench.core.replies.response import AT_ONCE, FALLBACK_TEXT
from workbench.core.replies.serving import Serving
from workbench.core.request_body import RequestError
from workbench.session.preview.preview import Preview, assess, payload_of, preview
from workbench.session.session import Session

EXCHANGES = reference.exchanges()
ANSWERED = [e for e in EXCHANGES if e["fixture"] is not None]
in_one_session = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
FALLBACK = preview(FixtureDocument("{"), digest(chat()), chat())


def document_of(fixture: object) -> FixtureDocument:
    return FixtureDocument(json.dumps(fixture))


def body(shown: Preview, payload: dict[str, Any]) -> str:
    """What is sent to ``payload``, with its time as the reference data has it."""
    data = shown.stream if payload.get("stream") else shown.envelope
    return re.sub(rb'(?<!\\)"created": 0', b'"created":0', data).decode()


@pytest.mark.parametrize(
    ("response", "is_empty"),
    [
        ({"content": ""}, True),
        ({"content": "", "tool_calls": []}, True),
        ({"content": " "}, False),
        ({"content": "", "tool_calls": [CALL]}, False),
        ({"content": "", "error": {"status": 429, "message": "slow down"}}, False),
        ({"content": "", "disconnect_after": 0}, False),
    ],
)
def test_what_says_nothing(response: dict[str, Any], is_empty: bool) -> None:
    payload = chat()
    document = document_of({"response": response})
    assert preview(document, digest(payload), payload).is_empty == is_empty


def test_every_reference_body() -> None:
    for number, exchange in enumerate(ANSWERED):
        payload = exchange["payload"]
        shown = preview(document_of(exchange["fixture"]), exchange["digest"], payload)
        assert (number, body(shown, payload)) == (number, exchange["body"])
        assert shown.unusable is None
        by_assessing = assess(json.dumps(exchange["fixture"]), exchange["digest"], [payload])
        assert by_assessing.preview == shown


def test_reference_bodies_without_a_fixture_are_those_of_no_document() -> None:
    others = [e for e in EXCHANGES if e["fixture"] is None]
    assert len(others) + len(ANSWERED) == 240
    for exchange in others:
        shown = preview(FixtureDocument(""), exchange["digest"], exchange["payload"])
        assert body(shown, exchange["payload"]) == exchange["body"]


def test_both_shapes_hold_the_same() -> None:
    text = new_document(digest(chat()), {"content": "A stub walks into a bar."}).text
    shown = assess(text, digest(chat()), [chat()], revision=3)
    assert shown.revision == 3
    assert shown.errors == []
    assert shown.preview.proof is not None
    assert shown.preview.proof.holds
    assert shown.preview.proof.received["content"] == "A stub walks into a bar."
    envelope = json.loads(shown.preview.envelope)
    assert envelope["choices"][0]["message"]["content"] == "A stub walks into a bar."
    assert shown.preview.stream == b"".join(frame.data for frame in shown.preview.frames)
    assert shown.preview.stream.endswith(b"data: [DONE]\n\n")


def test_the_time_is_as_asked() -> None:
    shown = preview(document_of({"response": {"content": "x"}}), digest(chat()), chat(), created=7)
    assert json.loads(shown.envelope)["created"] == 7
    assert shown.stream.count(b'"created": 7') == len(shown.frames) - 1


def test_the_envelope_parsed_is_the_envelope() -> None:
    shown = preview(document_of({"response": {"content": "x"}}), digest(chat()), chat())
    assert shown.value == json.loads(shown.envelope)


@pytest.mark.parametrize(("written", "expected"), [("0", 0), ("200", 200), ("null", 0)])
def test_the_pace_a_document_asks_for(written: str, expected: int) -> None:
    text = f'{{"response": {{"content": "x", "chunk_delay_ms": {written}}}}}'
    shown = preview(FixtureDocument(text), digest(chat()), chat())
    assert shown.delivery.chunk_delay_ms == expected
    unusable = text.replace('"x"', "5")
    assert preview(FixtureDocument(unusable), digest(chat()), chat()).delivery == AT_ONCE


UNUSABLE = {
    "": "the text ends where a value is expected",
    "{": "the text ends inside an object",
    "[]": "a fixture is an object; this is a list",
    "\ufeff{}": "expected a value",
    '{"response": 5}': "response is a number; expected an object",
    '{"response": {"content": 5}}': "content is a number; expected a string",
    '{"response": {"content": {"a": 1}}}': "content is an object; expected a string",
    '{"response": {"usage": [1]}}': "usage is a list; expected an object",
    '{"response": {"usage": {"prompt_tokens": "x"}}}': "usage.prompt_tokens is a string",
    '{"response": {"usage": {"completion_tokens": 1e999}}}': "usage.completion_tokens",
    '{"response": {"content": "x", "delay_ms": -1}}': "delay_ms is -1; expected whole",
    '{"response": {"error": 500}}': "error is a number; expected an object",
    '{"response": {"error": {"status": 200}}}': "error.status is 200; expected 400 to 599",
    "[" * 100_000: "nested more than 300 deep",
    '{"response": {"content": "' + "\ud83d" + '"}': "the text ends inside an object",
}


@each_case("text, why", UNUSABLE.items())
def test_a_document_the_server_cannot_use_shows_the_fallback_and_says_why(
    text: str, why: str
) -> None:
    shown = assess(text, digest(chat()), [chat()])
    assert shown.preview.unusable is not None
    assert why in shown.preview.unusable
    assert "\n" not in shown.preview.unusable
    assert (shown.preview.envelope, shown.preview.frames) == (FALLBACK.envelope, FALLBACK.frames)
    assert FALLBACK_TEXT.encode() in shown.preview.envelope
    assert shown.errors


def test_a_document_a_strict_server_cannot_use_shows_its_error(tmp_path: Path) -> None:
    text = '{"response": {"content": 5}}'
    with RunningServer(tmp_path, arguments=("--strict",)) as server:
        server.write_fixture(digest(chat()), json.loads(text))
        sent = server.post("/v1/chat/completions", chat())
    shown = assess(text, digest(chat()), [chat()], serving=Serving(misses_fail=True)).preview
    assert shown.unusable == "content is a number; expected a string"
    assert (shown.whole.status, shown.envelope) == (sent.status, sent.body)
    assert (shown.streamed.status, shown.frames) == (404, ())


def test_errors_are_what_blocks() -> None:
    text = '{"response": {"content": "x", "tool_calls": 7, "finish_reason": "odd"}, "zz": 1}'
    shown = assess(text, digest(chat()), [chat()])
    assert {f.rule for f in shown.errors} == {"tool-calls-shape"}
    assert {f.severity for f in shown.findings} == {"error", "warning"}


# It never fails, whatever is typed

typed = (
    st.text()
    | st.text(alphabet='{}[]",:0123456789.eE-+ntruefalsNI \\u\n\t' + strategies.TRICKY)
    | st.builds(json.dumps, strategies.json_values)
    | st.builds(json.dumps, strategies.fixtures)
)


@st.composite
def cut_fixtures(draw: st.DrawFn) -> str:
    """A fixture with something typed into it, or taken out."""
    text = json.dumps(draw(strategies.fixtures), indent=draw(st.sampled_from([None, 2])))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 10)))
    return text[:start] + draw(st.text(max_size=3)) + text[end:]


@given(typed | cut_fixtures(), st.lists(strategies.payloads, max_size=2))
def test_assessing_never_fails(text: str, payloads: list[dict[str, Any]]) -> None:
    shown = assess(text, "a" * 64, payloads)
    assert json.loads(shown.preview.envelope)["object"] == "chat.completion"
    assert shown.preview.frames[-1].kind == "done"
    if shown.preview.unusable is not None:
        assert shown.errors or "workbench" in text


@in_one_session
@given(strategies.payloads, strategies.fixtures)
def test_the_session_assesses_as_the_preview_shows(
    session: Session, payload: dict[str, Any], fixture: dict[str, Any]
) -> None:
    try:
        (found,) = asked(session, payload)
    except RequestError:
        return
    session.drafting.open(found).set_text(json.dumps(fixture))
    shown = session.drafting.assess(found)
    assert session.drafting.assessments[found] is shown
    assert shown.revision == session.drafting.open(found).revision
    payloads = session.miss_index.payloads(found)
    assert shown.preview == preview(session.drafting.open(found).document, found, payloads[0])
    session.drafts.remove(found)


# Which request it is made for


def test_it_is_made_for_the_request_that_is_shown() -> None:
    requests = [chat(tools=[tool()]), chat("longer")]
    text = '{"response": {"content": "x"}}'
    shown = [assess(text, digest(chat()), requests, shown=request) for request in requests]
    tokens = [json.loads(s.preview.envelope)["usage"]["prompt_tokens"] for s in shown]
    assert tokens == [len("hello") // 4, len("longer") // 4]


def test_the_tokens_are_told_whichever_api_asks() -> None:
    asking = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hello"}]}
    payload = received("/v1/messages", "", asking)
    assert payload is not None
    document = document_of({"response": {"content": "I say hello"}})
    shown = preview(document, digest(payload), payload)
    assert shown.value["usage"]["input_tokens"] == shown.tokens[0] == len("hello") // 4
    assert shown.value["usage"]["output_tokens"] == shown.tokens[1] == len("I say hello") // 4


def test_rules_look_at_every_request(session: Session) -> None:
    payloads = [chat(), chat(tools=[tool()])]
    take(session, missed(*payloads))
    found = digest(chat())
    call = {"index": 0, "id": "c", "type": "function"}
    call["function"] = {"name": "get_weather", "arguments": '{"city": 5}'}
    response = {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    session.drafting.open(found).set_text(json.dumps({"response": response}))
    # One offers the tool and wants another type, the other offers none.
    rules = {finding.rule for finding in session.drafting.assess(found).errors}
    assert rules == {"arguments-schema", "tool-not-offered"}


def test_a_response_for_one_request_is_checked_for_that_alone() -> None:
    plain, offering = chat(), chat(tools=[tool()])
    call = {"index": 0, "id": "c", "type": "function"}
    call["function"] = {"name": "get_weather", "arguments": '{"city": "Rome"}'}
    called = {"content": "", "tool_calls": [call], "finish_reason": "tool_calls"}
    text = new_document(digest(plain), called, request=plain).text
    check = partial(assess, text, digest(plain), [offering])
    assert [finding.rule for finding in check().errors] == ["tool-not-offered"]
    assert check(is_for_these=True).errors == []


def test_without_a_log_it_is_the_stored_request() -> None:
    document = new_document(digest(chat()), {"content": "x"}, request=chat())
    assert payload_of(document, []) == chat()
    assert payload_of(document, [chat("seen")]) == chat("seen")
    shown = assess(document.text, digest(chat()), [])
    assert json.loads(shown.preview.envelope)["model"] == "gpt-4o"


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"request": 5}', '{"request": null}'])
def test_without_any_request_it_is_an_empty_one(text: str) -> None:
    assert payload_of(FixtureDocument(text), []) == {}
