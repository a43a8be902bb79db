"""Edits of how a reply is delivered: the wanted change, and not a byte more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from workbench.core.fixture.document import FixtureDocument
from workbench.core.json.form import misfits
from workbench.core.json.values import dumps
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import Delivery, ErrorReply, read_delivery
from workbench.session.drafts import editing, text_fields

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, -3, 12, 429, 0.5, 1e30, "12", "", [], {}, {"a": 1}]
)
responses = st.fixed_dictionaries(
    {"content": strategies.texts},
    optional={
        "error": ODD
        | st.dictionaries(
            st.sampled_from(["status", "message", "type", "code", "retry_after", "_note"]),
            ODD | strategies.texts,
        ),
        "disconnect_after": ODD,
        "delay_ms": ODD,
        "chunk_delay_ms": ODD,
        "_more": ODD,
    },
)
names = st.sampled_from(sorted(text_fields.PATHS))


def document(response: dict[str, Any], indent: int | None = 2) -> FixtureDocument:
    return FixtureDocument(dumps({"response": response, "_end": 1}, indent=indent) + "\n")


def test_fields_show_what_is_written() -> None:
    response = {"error": {"status": 429, "retry_after": 0.5, "code": None}, "delay_ms": 200}
    shown = {name: text for name, text in values(response).items() if text}
    assert shown == {"status": "429", "retry_after": "0.5", "delay_ms": "200"}


def values(response: dict[str, Any]) -> dict[str, str]:
    return text_fields.values(document(response))


def test_what_is_typed_is_what_is_delivered() -> None:
    typed = {"status": "429", "message": "slow down", "retry_after": "1.5", "delay_ms": "20"}
    edited = text_fields.with_values(document({"content": "hi"}), typed)
    error = ErrorReply(429, "slow down", retry_after=1.5)
    assert read_delivery(edited.response) == Delivery(error=error, delay_ms=20)
    assert list(edited.response) == ["content", "error", "delay_ms"]
    assert list(edited.response["error"]) == ["status", "message", "retry_after"]


def test_an_edit_touches_no_other_byte() -> None:
    text = '{ "response" : {"delay_ms":5 , "error": {"status":429,  "code":"a"},\n"content":"x"} }'
    edited = text_fields.with_values(FixtureDocument(text), {"status": "503", "code": "a"})
    assert edited.text == text.replace("429", "503")


def test_the_last_field_that_is_emptied_takes_the_error_out() -> None:
    given = document({"content": "x", "error": {"status": 429}, "disconnect_after": 2})
    edited = text_fields.with_values(given, {"status": "", "disconnect_after": ""})
    assert edited.response == {"content": "x"}


@pytest.mark.parametrize("text", ["42x", "1e3", "0429", "٣", "9" * 19, "--1", "1.", "NaN"])
def test_what_is_no_number_is_kept_for_validation_to_name(text: str) -> None:
    edited = text_fields.with_values(document({"content": ""}), {"delay_ms": text})
    assert edited.response["delay_ms"] == text
    misfit, *_ = misfits(edited.value, FIXTURE_FORM)
    assert text_fields.at(misfit.path) == "delay_ms"


def test_a_text_may_be_a_number() -> None:
    edited = text_fields.with_values(document({"content": ""}), {"code": "429"})
    assert edited.response["error"] == {"code": "429"}


def test_every_problem_has_a_field() -> None:
    wrong = {"status": 1, "message": 1, "type": 1, "code": 1, "retry_after": -1}
    response = {"error": wrong, "disconnect_after": -1, "delay_ms": -1, "chunk_delay_ms": -1}
    places = [misfit.path for misfit in misfits({"response": response}, FIXTURE_FORM)]
    assert {text_fields.at(path) for path in places} == text_fields.DELIVERY
    assert text_fields.at(("response", "error")) == "status"
    assert text_fields.at(("response", "content")) is None
    assert text_fields.at(("error", "status")) is None


@given(responses, st.sampled_from([None, 2, 4]))
def test_what_is_shown_typed_again_changes_nothing(
    response: dict[str, Any], indent: int | None
) -> None:
    given = document(response, indent)
    assert text_fields.with_values(given, text_fields.values(given)) is given


@given(responses, names, strategies.texts)
def test_a_field_shows_what_was_typed_and_the_others_what_they_did(
    response: dict[str, Any], name: str, text: str
) -> None:
    before = values(response)
    after = text_fields.values(text_fields.with_values(document(response), {name: text}))
    assert after == {**before, name: text}


@given(responses, names, st.integers(-9, 10**17) | st.floats(0, 1e6).map(lambda x: round(x, 3)))
def test_a_number_that_is_typed_is_one(response: dict[str, Any], name: str, number: float) -> None:
    edited = text_fields.with_values(document(response), {name: str(number)})
    assert float(text_fields.values(edited)[name]) == float(number)


@given(responses, strategies.texts)
def test_other_edits_leave_the_delivery_alone(response: dict[str, Any], text: str) -> None:
    given = document(response)
    edited = editing.with_content(given, text)
    assert text_fields.values(edited) == text_fields.values(given)
    for key in ("error", "disconnect_after", "delay_ms", "chunk_delay_ms"):
        assert edited.response.get(key) == response.get(key)
