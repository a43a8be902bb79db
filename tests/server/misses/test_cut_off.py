"""Errors that are decided when the status 200 of a plain reply was sent already: the connection is
closed, and the client gets the error when it asks again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from http.client import IncompleteRead
from pathlib import Path
from typing import Any, Final

import anthropic
import httpx2
import openai
import pytest
from google import genai
from google.genai import types

from tests.server import hurried
from tests.server.misses.test_hold import entry, get, held, payload_of, post, save
from tests.server.running import Response, RunningServer, wait_until
from workbench.core.replies.response import FALLBACK_TEXT

ERROR: Final = {"error": {"status": 422, "message": "by hand"}}

Ask = Callable[[str, str], object]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("cut off")
    with RunningServer(folder, arguments=("--hold",), program=hurried.PROGRAM) as running:
        yield running


@pytest.fixture
def clients() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


def chat(retries: int, timeout: float = 60) -> Ask:
    def ask(url: str, question: str) -> object:
        with openai.OpenAI(
            base_url=url + "/v1", api_key="none", max_retries=retries, timeout=timeout
        ) as client:
            asked: Any = payload_of(question)
            return client.chat.completions.create(**asked)

    return ask


def responses(retries: int, timeout: float = 60) -> Ask:
    def ask(url: str, question: str) -> object:
        with openai.OpenAI(
            base_url=url + "/v1", api_key="none", max_retries=retries, timeout=timeout
        ) as client:
            return client.responses.create(model="gpt-4o", input=question)

    return ask


def messages(retries: int, timeout: float = 60) -> Ask:
    def ask(url: str, question: str) -> object:
        with anthropic.Anthropic(
            base_url=url, api_key="none", max_retries=retries, timeout=timeout
        ) as client:
            return client.messages.create(
                model="gpt-4o", max_tokens=9, messages=[{"role": "user", "content": question}]
            )

    return ask


def generate_content(url: str, question: str) -> object:
    options = types.HttpOptions(base_url=url)
    with genai.Client(api_key="none", http_options=options) as client:
        return client.models.generate_content(model="gpt-4o", contents=question)


def waiting(server: RunningServer, question: str, *, clients: int = 1) -> dict[str, Any]:
    """The held request, when the responses of so many clients have begun."""
    wait_until(
        "begun",
        lambda: held(server, question) and entry(server, question)["begun"] == clients,
    )
    return entry(server, question)


@pytest.mark.parametrize("is_saved", [False, True], ids=["once", "saved"])
@pytest.mark.parametrize(
    ("ask", "retries"), [(chat, 0), (chat, 2), (responses, 2), (messages, 0), (messages, 2)]
)
def test_official_clients_get_the_error_when_they_ask_again(
    server: RunningServer,
    clients: ThreadPoolExecutor,
    ask: Callable[[int, float], Ask],
    retries: int,
    is_saved: bool,
) -> None:
    question = f"{ask.__name__} {retries} {is_saved}"
    before = server.log_size()
    reply = clients.submit(ask(retries, 1), server.url, question)
    record = waiting(server, question)
    if is_saved:
        save(server, question, {"response": ERROR})
    else:
        post(server, f"held/{record['id']}/answer", ERROR)
    error = reply.exception(60)
    if retries:
        assert isinstance(
            error, openai.UnprocessableEntityError | anthropic.UnprocessableEntityError
        )
        assert "by hand" in str(error)
    else:
        assert isinstance(error, openai.APIConnectionError | anthropic.APIConnectionError)
    assert not held(server, question)
    log = server.log(before)
    assert log.count("closed the connection, because status 200 was sent") == 1
    assert ("gets the error 422" in log, log.count('" 422 -')) == (True, min(retries, 1))


def by_fetch(url: str, question: str) -> object:
    return httpx2.post(
        url + "/v1/chat/completions",
        json=payload_of(question),
        headers={"sec-fetch-mode": "cors"},
        timeout=60,
    ).raise_for_status()


@pytest.mark.parametrize("ask", [chat(0), messages(0), generate_content, by_fetch])
def test_a_client_that_waits_long_gets_the_status_itself(
    server: RunningServer, clients: ThreadPoolExecutor, ask: Ask
) -> None:
    question = f"patient {ask}"
    reply = clients.submit(ask, server.url, question)
    wait_until(
        "late",
        lambda: held(server, question) and entry(server, question)["age_s"] > hurried.QUIET_SECONDS,
    )
    post(server, f"held/{entry(server, question)['id']}/answer", ERROR)
    error: Any = reply.exception(60)
    shown = (
        getattr(error, "status_code", getattr(error, "code", None)) or error.response.status_code
    )
    assert shown == 422


def test_one_that_says_when_it_gives_up_is_not_left_without_a_sign(
    server: RunningServer, clients: ThreadPoolExecutor
) -> None:
    headers = {"sec-fetch-mode": "cors", "x-stainless-timeout": "1"}
    reply = clients.submit(server.chat, payload_of("impatient"), headers)
    begun = time.monotonic()
    record = waiting(server, "impatient")
    assert 0.7 < time.monotonic() - begun < 20
    post(server, f"held/{record['id']}/answer", {"content": "in time"})
    assert reply.result(60).content == "in time"


# Without a client that asks again by itself.


@pytest.fixture
def ask(server: RunningServer, clients: ThreadPoolExecutor) -> Callable[..., Future[Response]]:
    """Asks in a thread of its own, as the client ``name``."""

    def asking(question: str, name: str = "one", **more: Any) -> Future[Response]:
        headers = {"User-Agent": name}
        return clients.submit(server.chat, payload_of(question, **more), headers)

    return asking


def test_each_of_several_clients_gets_it_once(
    server: RunningServer, ask: Callable[..., Future[Response]]
) -> None:
    replies = [ask("joined"), ask("joined"), ask("joined", "another")]
    streamed = ask("joined", "streaming", stream=True)
    record = waiting(server, "joined", clients=4)
    post(server, f"held/{record['id']}/answer", ERROR)
    assert all(isinstance(reply.exception(60), IncompleteRead) for reply in replies)
    assert b'data: {"error":' in streamed.result(60).body
    again = [ask("joined", name).result(60) for name in ("another", "one", "one")]
    assert [reply.status for reply in again] == [422] * 3
    # Who was not cut off is held, and who was, the next time.
    third, other = ask("joined"), ask("joined", "streaming")
    wait_until("held", lambda: len(held(server, "joined")) == 2)
    post(server, f"held/{entry(server, 'joined')['id']}/release")
    assert third.result(60).content == other.result(60).content == FALLBACK_TEXT


def test_one_that_gave_up_before_the_answer_is_held_again(
    server: RunningServer, ask: Callable[..., Future[Response]]
) -> None:
    connection = server.connect()
    connection.request("POST", "/v1/chat/completions", _body("gave up"), {"User-Agent": "one"})
    stays = ask("gave up", "another")
    waiting(server, "gave up", clients=2)
    connection.close()
    record = waiting(server, "gave up")
    post(server, f"held/{record['id']}/answer", ERROR)
    assert isinstance(stays.exception(60), IncompleteRead)
    again = ask("gave up")
    wait_until("held", lambda: held(server, "gave up"))
    post(server, f"held/{entry(server, 'gave up')['id']}/answer", {"content": "new"})
    assert again.result(60).content == "new"
    assert ask("gave up", "another").result(60).status == 422


def _body(question: str) -> bytes:
    return json.dumps(payload_of(question)).encode()


@pytest.mark.parametrize("query", ["?alt=sse", ""], ids=["events", "array"])
def test_a_stream_of_gemini_breaks_off_after_the_error(
    server: RunningServer, clients: ThreadPoolExecutor, query: str
) -> None:
    # The AI SDK takes an error in a stream that ends for an empty reply.
    question = f"streamed by Gemini {query}"
    path = f"/v1beta/models/gpt-4o:streamGenerateContent{query}"
    asked = {"contents": [{"role": "user", "parts": [{"text": question}]}]}
    before = server.log_size()
    reply = clients.submit(server.post, path, asked)
    record = waiting(server, question)
    post(server, f"held/{record['id']}/answer", ERROR)
    broken = reply.exception(60)
    assert isinstance(broken, IncompleteRead)
    assert b'"message":"by hand"' in broken.partial
    assert "as its fixture asks" not in server.log(before)


def test_a_reply_that_its_answer_cuts_off_is_no_error(
    server: RunningServer, ask: Callable[..., Future[Response]]
) -> None:
    reply = ask("disconnected")
    record = waiting(server, "disconnected")
    post(server, f"held/{record['id']}/answer", {"content": "x", "disconnect_after": 0})
    assert isinstance(reply.exception(60), IncompleteRead)
    again = ask("disconnected")
    wait_until("held", lambda: held(server, "disconnected"))
    post(server, f"held/{entry(server, 'disconnected')['id']}/release")
    assert again.result(60).content == FALLBACK_TEXT


@pytest.mark.parametrize("is_released", [True, False], ids=["released", "timed out"])
def test_the_error_of_strict_mode(tmp_path: Path, is_released: bool) -> None:
    # After the first sign.
    arguments = ("--hold", str(hurried.QUIET_SECONDS + (60 if is_released else 0.6)), "--strict")
    with (
        RunningServer(tmp_path, arguments=arguments, program=hurried.PROGRAM) as server,
        ThreadPoolExecutor(1) as clients,
    ):
        reply = clients.submit(server.chat, payload_of("nobody comes"))
        if is_released:
            waiting(server, "nobody comes")
            post(server, f"held/{get(server, 'held')[0]['id']}/release")
        with suppress(IncompleteRead):
            pytest.fail(f"a success: {reply.result(60).body!r}")
        again = server.chat(payload_of("nobody comes"))
        assert again.status == 404
        message = again.json()["error"]["message"]
        assert ("held for 1 s, and no answer was saved in time" in message) == (not is_released)
        assert len(get(server, "misses")) == 1
        assert get(server, "misses")[0]["count"] == 1
