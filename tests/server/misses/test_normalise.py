"""Requests answered from the fixture of another day, where the project asks for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.replies.response import FALLBACK_TEXT


def news(day: int, time: str = "17:02") -> dict[str, Any]:
    said = [
        {"role": "system", "content": f"Today is 2026-11-{day}, it is {time}."},
        {"role": "user", "content": "What is new?"},
    ]
    return {"model": "gpt-4o", "messages": said}


def store(server: RunningServer, payload: dict[str, Any], answer: str = "Nothing.") -> str:
    found = digest(payload)
    response = {"content": answer, "finish_reason": "stop"}
    server.write_fixture(found, {"response": response, "request": payload})
    return found


@pytest.fixture(scope="module")
def masking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    environment = {"WORKBENCH_NORMALISE": "date, uuid"}
    with RunningServer(tmp_path_factory.mktemp("masking"), environment=environment) as running:
        yield running


@pytest.fixture
def server(masking: RunningServer) -> RunningServer:
    """One that masks, with an empty folder."""
    for path in masking.fixtures.glob("*.json"):
        path.unlink()
    return masking


@pytest.fixture
def log(server: RunningServer) -> Callable[[], str]:
    """Reads what the server logged since the test began."""
    return partial(server.log, server.log_size())


def test_the_fixture_of_another_day_answers_and_the_log_says_so(
    server: RunningServer, log: Callable[[], str]
) -> None:
    yesterday = store(server, news(19))
    reply = server.chat(news(20))
    assert reply.content == "Nothing."
    today = digest(news(20))
    assert reply.json()["id"] == f"chatcmpl-e2e-{today[:12]}"
    text = log()
    said = f"[workbench] served fixture {yesterday} for {today} after masking date\n"
    assert text.count(said) == 1
    assert f"[mock-llm] served fixture {yesterday}\n" in text  # it is in use
    assert "unknown fixture hash" not in text
    stream = server.chat({**news(20), "stream": True})
    assert b'"g."' in stream.body  # the last piece of five
    assert log().count(said) == 2


def test_its_own_fixture_comes_first_and_follows_the_files(server: RunningServer) -> None:
    yesterday = store(server, news(19))
    assert server.chat(news(20)).content == "Nothing."
    store(server, news(20), "News!")
    assert server.chat(news(20)).content == "News!"
    (server.fixtures / f"{digest(news(20))}.json").unlink()
    (server.fixtures / f"{yesterday}.json").unlink()
    assert server.chat(news(20)).content == FALLBACK_TEXT


def test_what_is_not_masked_is_a_miss(server: RunningServer, log: Callable[[], str]) -> None:
    store(server, news(19))
    assert server.chat(news(20, "09:41")).content == FALLBACK_TEXT
    assert f"unknown fixture hash {digest(news(20, '09:41'))}" in log()


def test_a_turn_that_echoes_its_call_otherwise_is_answered(server: RunningServer) -> None:
    """A recorded turn has content null and no index; the server's own reply has "" and one."""

    def turn(day: int, content: str | None, **call: object) -> dict[str, Any]:
        asked = news(day)
        calls = [{"id": "call_7", "type": "function", "function": {"name": "f"}, **call}]
        asked["messages"].append({"role": "assistant", "content": content, "tool_calls": calls})
        return asked

    store(server, turn(19, None))
    assert server.chat(turn(20, "", index=0)).content == "Nothing."


def test_where_two_fixtures_could_answer_none_does(server: RunningServer) -> None:
    store(server, news(18), "one")
    store(server, news(19), "two")
    assert server.chat(news(20)).content == FALLBACK_TEXT


def test_a_fixture_that_cannot_be_used_is_a_miss(
    server: RunningServer, log: Callable[[], str]
) -> None:
    found = store(server, news(19))
    server.write_fixture(found, {"response": "no object", "request": news(19)})
    assert server.chat(news(20)).content == FALLBACK_TEXT
    server.write_fixture(digest(news(20)), b"{broken")
    store(server, news(19))
    assert server.chat(news(20)).content == FALLBACK_TEXT
    assert "failed to load fixture" in log()


def test_a_verification_leaves_no_trace(server: RunningServer) -> None:
    store(server, news(19))
    since = server.log_size()
    assert server.chat(news(20), {"X-Workbench-Verify": "1"}).content == "Nothing."
    assert "[workbench]" not in server.log(since)


def test_it_is_off_by_default(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        store(server, news(19))
        assert server.chat(news(20)).content == FALLBACK_TEXT


def test_a_request_too_long_to_mask_gets_the_reply_of_a_miss_and_the_log_says_so(
    server: RunningServer, log: Callable[[], str]
) -> None:
    def long(day: int) -> dict[str, Any]:
        payload = news(day)
        payload["messages"][1]["content"] = "1" * (1024 * 1024)  # nothing else is as slow
        return payload

    store(server, long(19))
    assert server.chat(long(20)).content == FALLBACK_TEXT
    said = f"[mock-llm] the request of {digest(long(20))} is too long to mask, so "
    assert log().count(said) == 1
