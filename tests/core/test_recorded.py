"""Replies that came over HTTP as fixtures, without what should not be written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.session.support import chat
from workbench.core.collapse import NotAReplyError
from workbench.core.digest import digest
from workbench.core.fixtures import FixtureDocument
from workbench.core.recorded import SecretError, fixture_of

KEY = "sk-proj-Zk3vQ9xT1mB7nL5pR8sW2yC4"
PAYLOAD = chat("weather?")


def recorded(text: str, payload: Any = PAYLOAD, **options: Any) -> tuple[FixtureDocument, str]:
    choice = {"index": 0, "message": {"content": text}, "finish_reason": "stop"}
    body = json.dumps({"choices": [choice]}).encode()
    return fixture_of(
        payload,
        digest(payload),
        "application/json",
        body,
        **{"source": "recorded", "store_request": True, **options},
    )


def test_a_reply_is_a_fixture_with_its_request() -> None:
    document, said = recorded("rain")
    assert said == ""
    assert document.value == {
        "request_digest": digest(PAYLOAD),
        "response": {"content": "rain", "finish_reason": "stop"},
        "request": PAYLOAD,
        "workbench": {"source": "recorded"},
    }
    assert recorded("rain", store_request=False)[0].request is None


def test_a_request_with_a_secret_is_left_out_and_told() -> None:
    document, said = recorded("rain", chat(f"my key is {KEY}"))
    assert document.request is None
    assert said == "without its request, which holds an OpenAI API key, sk-proj-…yC4"
    assert KEY not in document.text


def test_a_reply_with_a_secret_is_no_fixture() -> None:
    with pytest.raises(SecretError) as caught:
        recorded(KEY)
    assert str(caught.value) == "the reply holds an OpenAI API key, sk-proj-…yC4"


def test_a_request_that_no_file_can_hold_is_left_out() -> None:
    document, said = recorded("rain", {**PAYLOAD, "seed": float("nan")})
    assert (document.request, said) == (None, "")


def test_what_is_no_reply_is_no_fixture() -> None:
    with pytest.raises(NotAReplyError):
        fixture_of(
            PAYLOAD, digest(PAYLOAD), "text/html", b"", source="recorded", store_request=True
        )
