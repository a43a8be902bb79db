"""Replies that came over HTTP as fixtures, without what should not be written down."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.session.support import chat
from workbench.core import delivery
from workbench.core.collapse import NotAReplyError
from workbench.core.digest import digest
from workbench.core.fixtures import FixtureDocument
from workbench.core.recorded import SecretError, error_response, fixture_of

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


def test_what_no_fixture_holds_is_told() -> None:
    message = {"content": "rain", **{f"key_{number}": "x" for number in range(8)}}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    options: dict[str, Any] = {"source": "recorded", "store_request": True}
    _, said = fixture_of(PAYLOAD, digest(PAYLOAD), "application/json", body, **options)
    assert said == (
        "without key_0, key_1, key_2, key_3, key_4, key_5 and 2 more of the reply, which no "
        "fixture holds"
    )


def test_a_reply_with_a_secret_is_no_fixture() -> None:
    with pytest.raises(SecretError) as caught:
        recorded(KEY)
    assert str(caught.value) == "the reply holds an OpenAI API key, sk-proj-…yC4"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_secret_is_seen_at_any_depth_of_json(depth: int) -> None:
    text = "\\u0073\\u006b" + KEY[2:]
    for _ in range(depth):
        text = json.dumps({"a": text})
    # The escapes stay escapes in the outermost string, as models write them in arguments.
    with pytest.raises(SecretError, match=r"^the reply holds an OpenAI API key, sk-proj-…yC4$"):
        recorded(text.replace("\\\\", "\\"))


def test_what_cannot_be_searched_is_not_written_down() -> None:
    with pytest.raises(SecretError, match="layers of escapes"):
        recorded("\\u005c" + "u005c" * 50)


def test_a_request_that_no_file_can_hold_is_left_out() -> None:
    document, said = recorded("rain", {**PAYLOAD, "seed": float("nan")})
    assert (document.request, said) == (None, "")


def test_what_is_no_reply_is_no_fixture() -> None:
    with pytest.raises(NotAReplyError):
        fixture_of(
            PAYLOAD, digest(PAYLOAD), "text/html", b"", source="recorded", store_request=True
        )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"message": "no", "type": "t", "code": 429, "param": null}}',
         {"message": "no", "type": "t", "code": "429"}),
        (b'{"error": "no such model"}', {"message": "no such model"}),
        (b'{"detail": "Not Found"}', {"message": "Not Found"}),
        (b'{"detail": [{"loc": []}]}', {}),
        (b"<h1>Bad Gateway</h1>\n", {"message": "<h1>Bad Gateway</h1>"}),
        (b"[" * 100_000, {"message": "[" * 2_000}),
        (b"\xff", {"message": "\ufffd"}),
        (b"null", {}),
        (b"", {}),
    ],
)  # fmt: skip
def test_an_error_is_kept_whatever_its_shape(body: bytes, expected: dict[str, Any]) -> None:
    response = error_response(503, body)
    assert response == {"error": {"status": 503, **expected}}
    assert list(delivery.problems(response)) == []


def test_an_error_with_a_secret_is_no_fixture() -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with pytest.raises(SecretError):
        fixture_of(PAYLOAD, digest(PAYLOAD), "application/json", body, source="imported",
                   store_request=True, status=401)  # fmt: skip


@pytest.mark.parametrize(("header", "seconds"), [("20", 20), ("", None), ("Wed, 21 Oct", None)])
def test_seconds_to_wait_are_kept(header: str, seconds: int | None) -> None:
    assert error_response(429, b"", header)["error"].get("retry_after") == seconds
