"""A strict server: a request without a fixture is an error that says so."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import openai
import pytest
from openai import OpenAI

from tests.server.running import RunningServer, wait_until
from workbench.core.answering.lookup import find_own
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.server.misses.strict import Strict


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("strict"), arguments=("--strict",)) as running:
        yield running


PAYLOAD = {"model": "gpt-4o", "messages": [{"role": "user", "content": "who has an answer?"}]}


@pytest.mark.parametrize("more", [{}, {"stream": True}, {"temperature": 0}])
@pytest.mark.parametrize("headers", [{}, {"X-Workbench-Verify": "1"}])
def test_a_miss_is_an_error(
    server: RunningServer, more: dict[str, object], headers: dict[str, str]
) -> None:
    before = server.log_size()
    reply = server.chat({**PAYLOAD, **more}, headers)
    assert (reply.status, reply.headers["content-type"]) == (404, "application/json")
    error = reply.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["type"]) == ("fixture_not_found", "invalid_request_error")
    assert digest(PAYLOAD)[:12] in error["message"]
    *miss, access, _ = server.log(before).split("\n")
    assert access.endswith('"POST /v1/chat/completions HTTP/1.1" 404 -')
    assert len(miss) == (0 if headers else 2)


def test_a_broken_fixture_is_an_error_that_says_why(server: RunningServer) -> None:
    payload = {**PAYLOAD, "model": "broken"}
    server.write_fixture(digest(payload), b'{"response": 5}')
    error = server.chat(payload).json()["error"]
    assert error["code"] == "fixture_not_found"
    assert "response is a number; expected an object" in error["message"]


def test_a_request_on_the_ignore_list_gets_the_fallback(server: RunningServer) -> None:
    payload = {**PAYLOAD, "model": "ignored"}
    server.fixtures.mkdir(exist_ok=True)
    listed = server.fixtures / "workbench-ignore.txt"
    listed.write_text(f"{digest(payload)} the test wants the fallback\n")
    before = server.log_size()
    try:
        assert server.chat(payload).status == 200
        assert server.chat({**payload, "stream": True}).status == 200
        assert f"unknown fixture hash {digest(payload)}" in server.log(before)
        server.write_fixture(digest(payload), b"broken")
        assert server.chat(payload).status == 404
    finally:
        listed.unlink()


def explained(server: RunningServer, payload: dict[str, object]) -> str:
    """The message of the error for a request, once the server has read the fixtures."""
    messages: list[str] = []

    def is_explained() -> bool:
        messages.append(server.chat(payload).json()["error"]["message"])
        return "are still being read" not in messages[-1]

    wait_until("explained", is_explained)
    return messages[-1]


def test_the_nearest_fixture_is_named_with_the_first_difference(server: RunningServer) -> None:
    def asks(city: str, day: str) -> dict[str, object]:
        system = {"role": "system", "content": f"You plan journeys. Today is {day}."}
        user = {"role": "user", "content": f"How do I get to {city} by train?"}
        return {"model": "gpt-4o", "messages": [system, user]}

    stored = asks("London", "2026-11-19")
    key = digest(stored)
    server.write_fixture(key, {"response": {"content": "by sea"}, "request": stored})
    message = explained(server, asks("London", "2026-11-20"))
    assert f"Fixture {key[:12]} is the same request but for a date: messages[0]" in message
    assert (
        "2026-11-19 -> 2026-11-20.\nMove the fixture, if its answer still fits: workbench rekey"
        in message
    )
    message = explained(server, asks("Lisbon", "2026-11-19"))
    assert f"The nearest fixture is {key[:12]} (" in message
    assert "London" in message
    assert "Lisbon" in message
    # What this suite asks for beside it is no other day's request.
    assert server.chat(stored).status == 200
    message = explained(server, asks("London", "2026-11-20"))
    assert "the same request" not in message


def test_an_error_shows_nothing_of_a_request_that_repeats_a_credential(
    server: RunningServer,
) -> None:
    key = "sk-live-4f9a0c7d2e61b853"
    near = {"model": "gpt-4o", "messages": [{"role": "user", "content": "is the key in use?"}]}
    server.write_fixture(digest(near), {"response": {"content": "yes"}, "request": near})
    asked = {"model": "gpt-4o", "messages": [{"role": "user", "content": f"is {key} in use?"}]}
    message = server.chat(asked, {"Authorization": f"Bearer {key}"}).json()["error"]["message"]
    assert "repeats a credential" in message
    assert key not in message
    assert "in use?" not in message


def test_a_fixture_answers(server: RunningServer) -> None:
    payload = {**PAYLOAD, "model": "answered"}
    server.write_fixture(digest(payload), {"response": {"content": "I have"}})
    assert server.chat(payload).content == "I have"


def test_the_official_client_raises_it(server: RunningServer) -> None:
    with (
        OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=2) as client,
        pytest.raises(openai.NotFoundError) as caught,
    ):
        client.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": "raise"}]
        )
    assert caught.value.code == "fixture_not_found"
    assert server.log().count('"content": "raise"') == 1  # it is not tried again


def test_a_request_that_is_too_long_to_compare_says_so(server: RunningServer) -> None:
    long = {"model": "m", "messages": [{"role": "user", "content": "2026-11-20 " * 100_000}]}
    message = server.chat(long).json()["error"]["message"]
    assert "was not looked for, because the request is longer than 1 MiB." in message


def test_an_error_does_not_wait_until_all_fixtures_are_read(tmp_path: Path) -> None:
    store = FixtureStore(tmp_path)
    stored = {**PAYLOAD, "temperature": 0}
    fixture = {"response": {"content": "a"}, "request": stored}
    (tmp_path / f"{digest(stored)}.json").write_text(json.dumps(fixture))
    strict = Strict(StoredFixtures(store), None)
    miss = find_own(view({**PAYLOAD, "model": "other"}), lambda _: None).answer

    async def errors() -> Iterator[str]:
        with store.turn:  # as if a long file was being read
            first = await strict.error(miss, 100)
        return map(attrgetter("message"), [first, await strict.error(miss, 100)])

    first, second = asyncio.run(errors())
    assert "not looked for, because the fixtures are still being read" in first
    assert f"The nearest fixture is {digest(stored)[:12]}" in second
