"""Fixtures of failures: errors, connections that are closed, and delays, over real HTTP."""

from __future__ import annotations

import http.client
import time
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.server.running import RunningServer
from workbench.core.digest import digest

RATE_LIMIT = {
    "status": 429,
    "message": "Slow down.",
    "type": "requests",
    "code": "rate_limit_exceeded",
    "retry_after": 20,
}
TEXT = "A stub walks into a bar."


def asking(text: str) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}


def answered_with(server: RunningServer, text: str, response: dict[str, Any]) -> dict[str, Any]:
    """A request whose fixture holds ``response``."""
    payload = asking(text)
    server.write_fixture(digest(payload), {"response": response})
    return payload


# Errors


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_comes_before_anything_else(server: RunningServer, stream: bool) -> None:
    payload = answered_with(server, f"error {stream}", {"error": RATE_LIMIT})
    before = server.log_size()
    reply = server.chat({**payload, "stream": stream})
    assert reply.status == 429
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["retry-after"] == "20"
    assert reply.json() == {
        "error": {
            "message": "Slow down.",
            "type": "requests",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }
    assert f"served fixture {digest(payload)}" in server.log(before)
    assert '" 429 -' in server.log(before)
    assert "unknown fixture" not in server.log(before)


def test_what_an_error_leaves_out(server: RunningServer) -> None:
    reply = server.chat(answered_with(server, "bare error", {"error": {}}))
    assert (reply.status, reply.json()["error"]) == (
        500,
        {"message": "Internal Server Error", "type": "server_error", "param": None, "code": None},
    )
    assert "retry-after" not in reply.headers
    reply = server.chat(
        answered_with(server, "bare 404", {"error": {"status": 404, "message": ""}})
    )
    assert (reply.status, reply.json()["error"]["type"]) == (404, "invalid_request_error")
    assert reply.json()["error"]["message"] == ""


@pytest.mark.parametrize("stream", [False, True])
def test_the_official_client_raises_the_error(
    server: RunningServer, client: OpenAI, stream: bool
) -> None:
    answered_with(server, f"rate limit {stream}", {"error": RATE_LIMIT})
    with pytest.raises(openai.RateLimitError, match=r"Slow down\.") as caught:
        client.chat.completions.create(**asking(f"rate limit {stream}"), stream=stream)
    error = caught.value
    assert (error.status_code, error.code, error.type) == (429, "rate_limit_exceeded", "requests")
    assert error.response.headers["retry-after"] == "20"


def test_the_official_client_tries_again_when_it_is_told_to(server: RunningServer) -> None:
    error = {"status": 503, "retry_after": 0.01}
    payload = answered_with(server, "twice", {"error": error})
    before = server.log_size()
    with (
        OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=2) as client,
        pytest.raises(openai.InternalServerError),
    ):
        client.chat.completions.create(**payload)
    assert server.log(before).count('" 503 -') == 3


# Connections that are closed


def test_nothing_is_sent(server: RunningServer, client: OpenAI) -> None:
    payload = answered_with(server, "nothing", {"disconnect_after": 0})
    for stream in (False, True):
        before = server.log_size()
        with pytest.raises(http.client.RemoteDisconnected):
            server.chat({**payload, "stream": stream})
        with pytest.raises(openai.APIConnectionError):
            client.chat.completions.create(**payload, stream=stream)
        assert server.log(before).count(": the connection is closed before anything is sent") == 2
        assert 'HTTP/1.1" 200' not in server.log(before)


@pytest.mark.parametrize("count", [1, 2, 3, 6, 7, 99])
def test_a_stream_breaks_off(server: RunningServer, count: int) -> None:
    payload = answered_with(server, f"cut {count}", {"content": TEXT, "disconnect_after": count})
    whole = server.chat({**answered_with(server, "whole", {"content": TEXT}), "stream": True}).body
    with pytest.raises(http.client.IncompleteRead) as caught:
        server.chat({**payload, "stream": True})
    came = caught.value.partial
    assert came.count(b"\n\n") == min(count, 7)
    assert came.count(b"data: ") == whole.count(b"data: ") - max(7 - count, 0)


def test_the_official_client_has_what_came_before_the_end(
    server: RunningServer, client: OpenAI
) -> None:
    payload = answered_with(server, "three pieces", {"content": TEXT, "disconnect_after": 4})
    came: list[str | None] = []
    with client.chat.completions.create(**payload, stream=True) as stream:
        pieces = (chunk.choices[0].delta.content for chunk in stream)
        with pytest.raises(openai.APIConnectionError):
            came.extend(pieces)
    assert "".join(text or "" for text in came) == TEXT[:15]


def test_a_plain_reply_breaks_off_before_its_body(server: RunningServer, client: OpenAI) -> None:
    payload = answered_with(server, "plain", {"content": TEXT, "disconnect_after": 2})
    with pytest.raises(http.client.IncompleteRead) as caught:
        server.chat(payload)
    assert caught.value.partial == b""
    with pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(**payload)


def test_others_are_answered_and_nothing_is_an_error_of_ours(server: RunningServer) -> None:
    payload = answered_with(server, "again", {"content": TEXT, "disconnect_after": 1})
    for stream in (True, False) * 5:
        with pytest.raises(http.client.IncompleteRead):
            server.chat({**payload, "stream": stream})
    assert server.request("GET", "/healthz").status == 200
    for word in ("Traceback", "ASGI", "internal_error"):
        assert word not in server.log()


# Delays


def seconds_of(server: RunningServer, payload: object) -> float:
    start = time.monotonic()
    server.chat(payload)
    return time.monotonic() - start


def test_a_delay_comes_before_the_reply(server: RunningServer) -> None:
    payload = answered_with(server, "late", {"content": TEXT, "delay_ms": 150})
    assert seconds_of(server, payload) >= 0.15
    error = answered_with(server, "late error", {"error": {}, "delay_ms": 150})
    assert seconds_of(server, error) >= 0.15


def test_a_stream_is_paced(server: RunningServer) -> None:
    payload = answered_with(server, "paced", {"content": TEXT, "chunk_delay_ms": 40})
    assert seconds_of(server, {**payload, "stream": True}) >= 5 * 0.04


def test_what_is_no_stream_is_not_paced(server: RunningServer) -> None:
    payload = answered_with(server, "not paced", {"content": TEXT, "chunk_delay_ms": 600_000})
    assert server.chat(payload).content == TEXT


def test_frames_before_the_end_are_paced_too(server: RunningServer) -> None:
    response = {"content": TEXT, "chunk_delay_ms": 60, "disconnect_after": 3}
    payload = answered_with(server, "paced and cut", response)
    start = time.monotonic()
    with pytest.raises(http.client.IncompleteRead) as caught:
        server.chat({**payload, "stream": True})
    assert time.monotonic() - start >= 2 * 0.06
    assert caught.value.partial.count(b"\n\n") == 3


def test_a_header_wins(server: RunningServer) -> None:
    payload = answered_with(server, "header", {"content": TEXT, "delay_ms": 600_000})
    assert server.chat(payload, {"X-Mock-LLM-Total-Delay-Ms": "1"}).content == TEXT


# What is not what it must be


@pytest.mark.parametrize(
    ("response", "why"),
    [
        ({"content": TEXT, "error": {"status": 200}}, "error.status is 200"),
        ({"content": TEXT, "disconnect_after": "2"}, "disconnect_after is a string"),
        ({"error": "no"}, "error is a string; expected an object"),
    ],
)
def test_a_fixture_that_asks_for_nonsense_is_broken(
    server: RunningServer, response: dict[str, Any], why: str
) -> None:
    payload = answered_with(server, why, response)
    before = server.log_size()
    assert server.chat(payload).status == 200
    assert "failed to load fixture" in server.log(before)
    assert why in server.log(before)
    assert "unknown fixture hash" in server.log(before)
