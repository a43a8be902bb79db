"""Sequences: the first requests of an asker get the answers of ``first``, all later ones that of
``response``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from openai import OpenAI

from tests.server.running import Response, RunningServer, wait_until
from workbench.core.digest import digest

CONTROL = "/__workbench"
VERIFY = {"X-Workbench-Verify": "1"}


@pytest.fixture
def payload(request: pytest.FixtureRequest) -> dict[str, Any]:
    """A request that no other test sends to the server of the module."""
    return {"model": "m", "messages": [{"role": "user", "content": request.node.name}]}


def text(content: str) -> dict[str, Any]:
    return {"content": content}


def error(status: int) -> dict[str, Any]:
    return {"error": {"status": status, "retry_after": 0}}


def said(reply: Response) -> str:
    """The text of a reply, or the status of an error."""
    if reply.status != 200:
        return str(reply.status)
    return str(json.loads(reply.body)["choices"][0]["message"]["content"])


def write(server: RunningServer, payload: object, *first: object, last: str = "z") -> str:
    """A fixture that answers with ``last`` after ``first``; returns its digest."""
    assert isinstance(payload, dict)
    name = digest(payload)
    fixture = {"first": [*first], "response": text(last), "request": payload}
    server.write_fixture(name, fixture)
    return name


def ask(server: RunningServer, payload: object, name: str = "") -> str:
    prefix = f"/as/{name}" if name else ""
    return said(server.post(f"{prefix}/v1/chat/completions", payload))


def report(server: RunningServer, name: str, test: str | None) -> None:
    body = json.dumps({"name": name, "test": test}).encode()
    headers = {"Content-Type": "application/json"}
    assert server.request("PUT", f"{CONTROL}/running", body, headers).status == 204


def test_each_asker_gets_the_sequence_from_the_start(
    server: RunningServer, payload: dict[str, Any]
) -> None:
    write(server, payload, text("a"), error(429))
    for name in ("", "one", "two"):
        assert [ask(server, payload, name) for _ in range(4)] == ["a", "429", "z", "z"]
    # With each test, and with each session of tests, it begins again.
    for test in ("test_a", "test_b", None):
        report(server, "one", test)
        assert [ask(server, payload, "one") for _ in range(3)] == ["a", "429", "z"]
    assert ask(server, payload, "two") == "z"
    report(server, "", None)
    assert ask(server, payload) == "a"
    assert server.request("POST", f"{CONTROL}/reset").status == 204
    assert [ask(server, payload, name) for name in ("", "one", "two")] == ["a", "a", "a"]


def test_requests_at_the_same_time_get_different_answers(
    server: RunningServer, payload: dict[str, Any]
) -> None:
    first = [str(number) for number in range(40)]
    write(server, payload, *map(text, first))
    with ThreadPoolExecutor(16) as pool:
        replies = [*pool.map(lambda _: ask(server, payload), range(50))]
    assert sorted(replies) == sorted([*first, *["z"] * 10])


def test_an_equivalent_request_takes_from_the_same_sequence(
    server: RunningServer, payload: dict[str, Any]
) -> None:
    parts = [{"type": "text", "text": payload["messages"][0]["content"]}]
    equivalent = {**payload, "messages": [{"role": "user", "content": parts}]}
    write(server, payload, text("a"), text("b"), text("c"))
    asked = (payload, equivalent, payload, equivalent)
    assert [ask(server, each) for each in asked] == ["a", "b", "c", "z"]


def test_a_verification_takes_nothing(server: RunningServer, payload: dict[str, Any]) -> None:
    write(server, payload, text("a"))
    assert said(server.chat(payload, VERIFY)) == "z"
    assert [ask(server, payload), ask(server, payload)] == ["a", "z"]


def test_a_directive_takes_nothing(server: RunningServer, payload: dict[str, Any]) -> None:
    payload["messages"][0]["content"] += " [[MOCK_LLM_EMIT:aGk=]]"
    write(server, payload, text("a"))
    assert ask(server, payload) == "hi"


def test_a_broken_sequence_is_a_miss_that_the_log_explains(
    server: RunningServer, payload: dict[str, Any]
) -> None:
    before = server.log_size()
    name = write(server, payload, text("a"), {"error": {"status": 99}})
    assert ask(server, payload).startswith("I don't have enough information")
    wait_until("the line", lambda: name in server.log(before))
    assert f"{name}.json: line 1, column" in server.log(before)
    assert "first[1].error.status is 99; expected 400 to 599" in server.log(before)


@pytest.fixture
def holding(tmp_path: Path) -> Iterator[RunningServer]:
    with RunningServer(tmp_path, arguments=("--hold", "60")) as server:
        yield server


def test_a_held_request_takes_the_first_answer_of_what_is_saved(
    holding: RunningServer, payload: dict[str, Any]
) -> None:
    with ThreadPoolExecutor() as pool:
        asking = pool.submit(ask, holding, payload)
        wait_until("held", lambda: holding.request("GET", f"{CONTROL}/held").body != b"[]")
        write(holding, payload, text("a"), text("b"))
        assert asking.result() == "a"
    assert [ask(holding, payload), ask(holding, payload)] == ["b", "z"]


def test_a_held_request_whose_reply_had_begun_gets_the_error_when_it_asks_again(
    holding: RunningServer, payload: dict[str, Any]
) -> None:
    """The first attempt is cut off: its status, 200, was sent."""
    # It waits longer than it states: the status may be late where the machine is busy.
    stated = {"x-stainless-read-timeout": "1", "x-stainless-timeout": "1"}
    client = OpenAI(base_url=holding.url + "/v1", api_key="none", default_headers=stated)

    def content() -> str:
        return str(client.chat.completions.create(**payload).choices[0].message.content)

    def has_begun() -> bool:
        held = json.loads(holding.request("GET", f"{CONTROL}/held").body)
        return bool(held and held[0]["begun"])

    with client, ThreadPoolExecutor() as pool:
        asking = pool.submit(content)
        wait_until("begun", has_begun)
        write(holding, payload, error(429))
        assert asking.result() == "z"
    exchanges = json.loads(holding.request("GET", f"{CONTROL}/exchanges").body)
    assert [exchange["status"] for exchange in exchanges] == [200, 429, 200]


def test_clients_that_try_again_get_the_answer_after_the_errors(
    server: RunningServer, payload: dict[str, Any]
) -> None:
    write(server, payload, error(503), error(503))
    openai = OpenAI(base_url=f"{server.url}/as/openai/v1", api_key="none")
    anthropic = Anthropic(base_url=f"{server.url}/as/anthropic", api_key="none")
    with openai, anthropic:
        completion = openai.chat.completions.create(**payload)
        message = anthropic.messages.create(max_tokens=9, **payload)
        with openai.chat.completions.create(stream=True, **payload) as stream:
            streamed = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert completion.choices[0].message.content == "z"
    assert [block.text for block in message.content if block.type == "text"] == ["z"]
    assert streamed == "z"
