"""How replies go out: late, cut off, or an error in their place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from workbench.core.apis.chat.write import WRITERS
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.apis.table import view
from workbench.core.json.form import misfits
from workbench.core.replies.answer import find_answer
from workbench.core.replies.fixture_form import WORKBENCH_ONLY_FORM
from workbench.core.replies.http_reply import ENVELOPE_TYPE, HTTPReply
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName
from workbench.core.replies.response import (
    AT_ONCE,
    Delivery,
    ErrorReply,
    FixtureError,
    read_delivery,
    requests_of,
)

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"


def sent(response: dict[str, Any], *, stream: bool, profile: ProfileName = "stub") -> HTTPReply:
    found = find_answer(view({}), DIGEST, lambda _digest: {"response": response})
    return WRITERS[profile].reply(found, 0, stream=stream)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({}, AT_ONCE),
        ({"content": "x", "error": None, "delay_ms": None}, AT_ONCE),
        ({"delay_ms": 5, "chunk_delay_ms": 600_000}, Delivery(None, None, 5, 600_000)),
        ({"disconnect_after": 0}, Delivery(None, 0)),
        (
            {"error": {}},
            Delivery(ErrorReply(500, "Internal Server Error")),
        ),
        (
            {"error": {"status": 418, "code": "teapot", "retry_after": 0}},
            Delivery(ErrorReply(418, "I'm a Teapot", code="teapot", retry_after=0)),
        ),
        (
            {"error": {"status": 599, "message": "", "type": ""}},
            Delivery(ErrorReply(599, "", "")),
        ),
        ({"error": {"status": 499}}, Delivery(ErrorReply(499, "error"))),
    ],
)
def test_what_a_response_asks_for(response: dict[str, Any], expected: Delivery) -> None:
    assert read_delivery(response) == expected


@pytest.mark.parametrize(
    ("response", "path", "message"),
    [
        (
            {"error": {"status": 399}},
            ("error", "status"),
            "error.status is 399; expected 400 to 599",
        ),
        (
            {"error": {"status": 10**30}},
            ("error", "status"),
            "error.status is 1000000000000000000000000000000; expected 400 to 599",
        ),
        (
            {"error": {"retry_after": "1"}},
            ("error", "retry_after"),
            "error.retry_after is a string; expected seconds, 0 or more",
        ),
        (
            {"delay_ms": True},
            ("delay_ms",),
            "delay_ms is true; expected whole milliseconds, 0 to 600,000",
        ),
        (
            {"disconnect_after": 1.0},
            ("disconnect_after",),
            "disconnect_after is 1.0; expected a number of frames, 0 or more",
        ),
        (
            {"error": {}, "disconnect_after": 1},
            ("disconnect_after",),
            "disconnect_after and error are both given; expected one of them",
        ),
    ],
)
def test_what_is_wrong_and_where(
    response: dict[str, Any], path: tuple[str, ...], message: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        read_delivery(response)
    assert (caught.value.rule, str(caught.value)) == ("reply-shape", message)
    assert caught.value.path == ("response", *path)


odd = st.dictionaries(
    st.sampled_from(["error", "disconnect_after", "delay_ms", "chunk_delay_ms", "content"]),
    strategies.json_values
    | st.dictionaries(
        st.sampled_from(["status", "message", "type", "code", "retry_after"]),
        strategies.json_values | st.integers(400, 599),
    )
    | st.integers(0, 9),
)


@given(odd)
def test_any_response_is_read_or_refused_with_a_reason(response: dict[str, Any]) -> None:
    error = response.get("error")
    if list(misfits(response, WORKBENCH_ONLY_FORM)):
        with pytest.raises(FixtureError, match=r"(is|are) "):
            read_delivery(response)
    else:
        found = read_delivery(response)
        assert (found.error is None) == (error is None)
        assert found.error is None or 400 <= found.error.status <= 599


# On the wire


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_is_the_same_whatever_is_asked_for(stream: bool) -> None:
    error = {"status": 429, "message": "m", "type": "t", "code": "c", "retry_after": 1.5}
    found = sent({"error": error, "content": "x"}, stream=stream)
    assert (found.status, found.content_type) == (429, ENVELOPE_TYPE)
    assert found.headers == (("Retry-After", "1.5"),)
    assert found.body == b'{"error":{"code":"c","message":"m","param":null,"type":"t"}}\n'
    assert (found.head, found.end) == ("429 application/json   Retry-After: 1.5", "")
    real = sent({"error": error}, stream=stream, profile="openai")
    assert real.body.decode() == (
        '{\n    "error": {\n        "message": "m",\n        "type": "t",\n'
        '        "param": null,\n        "code": "c"\n    }\n}\n'
    )


@pytest.mark.parametrize(
    ("count", "end"),
    [
        (1, "then the connection is closed after 1 frame"),
        (2, "then the connection is closed after 2 frames"),
        (99, "then the connection is closed after 7 frames"),
    ],
)
def test_a_stream_that_breaks_off(count: int, end: str) -> None:
    whole = sent({"content": "abcde"}, stream=True)
    found = sent({"content": "abcde", "disconnect_after": count}, stream=True)
    assert found.frames == whole.frames[:count]
    assert (found.status, found.content_type, found.is_cut) == (200, CONTENT_TYPE, True)
    assert (found.head, found.end) == ("200 text/event-stream", end)
    assert (whole.is_cut, whole.end) == (False, "")


def test_a_plain_reply_that_breaks_off() -> None:
    found = sent({"content": "abcde", "disconnect_after": 3}, stream=False)
    assert (found.status, found.body, found.is_cut) == (200, b"", True)
    assert found.end == "then the connection is closed before the body"


@pytest.mark.parametrize("stream", [False, True])
def test_nothing_at_all(stream: bool) -> None:
    found = sent({"disconnect_after": 0}, stream=stream)
    assert (found.status, found.body, found.is_cut) == (0, b"", True)
    assert found.head == "no reply"
    assert found.end == "the connection is closed before anything is sent"


def test_delays_change_no_byte() -> None:
    for stream in (False, True):
        slow = sent({"content": "x", "delay_ms": 5, "chunk_delay_ms": 5}, stream=stream)
        assert slow == sent({"content": "x"}, stream=stream)


def test_an_error_after_the_status_of_a_stream_is_an_event() -> None:
    error = ErrorReply(429, "é", "rate_limit_error")
    found = find_answer(view({}), "0" * 64, lambda _: {"response": {"content": "x"}})
    for name in PROFILE_NAMES:
        profile = WRITERS[name]
        late = profile.late_reply(error, found)
        assert late.is_stream
        assert late.body.startswith(b'data: {"error":{')
        assert late.body.count(b"\n") == 2


def test_which_requests_get_a_response() -> None:
    assert [requests_of(("first", number)) for number in (0, 1)] == ["1st request", "2nd request"]
    assert requests_of(("response",)) == "every later one"
