"""One server for all mocks of a process, which leaves nothing behind when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import httpx2
import openai
import pytest
from openai import AsyncOpenAI

from tests.server.running import PATIENCE_SECONDS, wait_until
from tests.testing.support import ask, client_of, messages
from workbench.testing import MockLLM, Reply
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.server import MockServer

# Runs in another process, since the server of this one is kept for other tests.
LIFE = """
import threading, socket, urllib.request
from urllib.parse import urlsplit
from workbench.testing import MockLLM, Reply

def is_open(url):
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((parts.hostname, parts.port)) == 0

with MockLLM() as one:
    first = one.base_url
    with MockLLM() as two:
        assert urlsplit(first).port == urlsplit(two.base_url).port
    assert is_open(first)
    assert first.endswith("/v1")
assert not is_open(first), "the port is open"
assert threading.active_count() == 1, threading.enumerate()
with MockLLM() as again:
    assert is_open(again.base_url)
print("nothing left", threading.active_count())
"""


def is_open(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((str(parts.hostname), int(parts.port or 0))) == 0


def test_g8_the_server_ends_with_its_last_mock() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LIFE], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "nothing left 1\n"


def test_g8_mocks_know_nothing_of_each_other(mock: MockLLM) -> None:
    with MockLLM() as other, client_of(mock) as mine, client_of(other) as theirs:
        mock.script(Reply.text("mine"))
        other.script(Reply.text("theirs"))
        assert (ask(theirs), ask(mine)) == ("theirs", "mine")
        assert mock.base_url != other.base_url
        assert len(mock.calls()) == len(other.calls()) == 1


def test_g9_threads_that_ask_for_the_url_at_once_get_the_same() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads, MockLLM() as keeping:
            assert keeping.base_url
            for _ in range(20):
                with MockLLM() as mock:
                    asked = [threads.submit(mock.serve) for _ in range(4)]
                    assert {url.result() for url in asked} == {mock.base_url}
    finally:
        sys.setswitchinterval(interval)


def test_a_request_after_the_test_is_over_is_told_so() -> None:
    with MockLLM() as keeping, MockLLM() as mock:
        assert keeping.base_url
        base_url = mock.base_url
        mock.close()
        with httpx.Client() as http:
            reply = http.post(f"{base_url}/chat/completions", json={"messages": []})
    assert reply.status_code == 410
    assert "its test has ended" in reply.json()["error"]["message"]
    assert mock.calls() == []


def test_a_body_that_is_too_long_is_listed_as_unsupported(mock: MockLLM) -> None:
    parts = urlsplit(mock.base_url)
    connection = http.client.HTTPConnection(parts.netloc)
    with contextlib.closing(connection):
        connection.putrequest("POST", f"{parts.path}/chat/completions")
        connection.putheader("Content-Length", str(64 * 1024 * 1024 + 1))
        connection.endheaders()
        assert connection.getresponse().status == 413
    (asked,) = mock.unsupported
    assert "longer than 64 MiB" in asked.reason
    with pytest.raises(AssertionError, match="POST /v1/chat/completions: "):
        mock.assert_finished()


def test_who_waits_for_a_reply_that_never_comes_is_let_go(mock: MockLLM) -> None:
    mock.respond(Reply.timeout())
    with MockLLM() as keeping, client_of(mock) as client, ThreadPoolExecutor() as pool:
        assert keeping.base_url
        waiting = pool.submit(ask, client)
        wait_until("its call", mock.calls)
        mock.close()
        with pytest.raises(openai.APIConnectionError):
            waiting.result(PATIENCE_SECONDS)


NEVER = """
import threading, time, httpx
from workbench.testing import MockLLM

def never(call):
    threading.Event().wait()

def ask(url):
    try:
        message = {"role": "user", "content": "hi"}
        httpx.post(f"{url}/chat/completions", json={"messages": [message]})
    except httpx.RemoteProtocolError:
        print("let go")

mock = MockLLM()
mock.respond(never)
client = threading.Thread(target=ask, args=(mock.base_url,))
client.start()
while not mock.calls():
    time.sleep(0.01)
mock.close()
client.join()
"""


def test_a_function_that_never_returns_is_named_and_not_waited_for() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NEVER],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    made = "never (<string>:5), call 1 ('hi')"
    assert done.stderr == f"A mock was closed while a reply function was running: {made}\n"
    assert (done.stdout, done.returncode) == ("let go\n", 0)


def test_a_server_of_its_own_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    server = MockServer()
    url = server.mount(Engine(stored=None, strict=True, max_calls=None, profile="openai"))
    assert is_open(url)
    server.stop()
    assert not is_open(url)
    assert set(threading.enumerate()) <= before


# Surroundings.


def test_clients_ask_it_past_the_proxies(monkeypatch: pytest.MonkeyPatch, mock: MockLLM) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    mock.respond(Reply.text("past"))
    with client_of(mock) as client:
        assert ask(client) == "past"
    with httpx.Client() as http:
        assert http.get(f"{mock.base_url}/models").is_success


ENVIRONMENT = """
import os
from workbench.testing import MockLLM

os.environ |= {"ALL_PROXY": "http://127.0.0.1:1", "NO_PROXY": "intranet.example"}
os.environ.pop("no_proxy", None)
given = dict(os.environ)
with MockLLM() as one, MockLLM() as two:
    assert one.base_url != two.base_url
    print(os.environ["no_proxy"])
assert dict(os.environ) == given
"""


def test_the_environment_is_as_it_was_when_it_ends() -> None:
    assert said_by(ENVIRONMENT) == "intranet.example,127.0.0.1,localhost\n"


WITH_GEVENT = """
from gevent import monkey; monkey.patch_all()
import urllib.request
from workbench.testing import MockLLM

with MockLLM() as mock:
    print(urllib.request.urlopen(mock.base_url + "/models").status)
"""


def test_threads_may_take_turns() -> None:
    pytest.importorskip("gevent")
    assert said_by(WITH_GEVENT) == "200\n"


def said_by(program: str) -> str:
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.stdout


# Concurrency.


def test_g9_sequences_are_atomic_under_threads(mock: MockLLM) -> None:
    count = 100
    mock.script(*(Reply.text(str(n)) for n in range(count)))
    with client_of(mock) as client, ThreadPoolExecutor(16) as pool:
        said = list(pool.map(lambda n: ask(client, f"q{n}"), range(count)))
    assert sorted(said, key=int) == [str(n) for n in range(count)]
    assert [call.number for call in mock.calls()] == list(range(1, count + 1))
    assert {call.user for call in mock.calls()} == {f"q{n}" for n in range(count)}
    by_digest = {e.digest: e.outcome.body for e in mock.exchanges}  # type: ignore[union-attr]
    assert len(mock.exchanges) == len(by_digest) == count
    mock.assert_finished()


@pytest.mark.parametrize("kind", ["http", "httpx2", "httpx"])
def test_g9_sequences_are_atomic_under_tasks(mock: MockLLM, kind: str) -> None:
    count = 60
    mock.script(*(Reply.text(str(n)).after(0.001) for n in range(count)))

    async def run() -> list[str | None]:
        clients = {"httpx": httpx.AsyncClient, "httpx2": httpx2.AsyncClient}
        http = clients[kind](transport=mock.transport()) if kind in clients else None
        base_url = "http://stub/v1" if kind in clients else mock.base_url
        async with AsyncOpenAI(base_url=base_url, api_key="none", http_client=http) as client:
            asked = (
                client.chat.completions.create(model="m", messages=messages(f"q{n}"))
                for n in range(count)
            )
            return [r.choices[0].message.content for r in await asyncio.gather(*asked)]

    assert sorted(map(int, map(str, asyncio.run(run())))) == list(range(count))
    mock.assert_finished()


@pytest.mark.parametrize("kind", ["httpx2", "httpx"])
def test_async_streams_and_trouble_without_a_socket(mock: MockLLM, kind: str) -> None:
    mock.script(
        Reply.text("abcde").chunks_after(0.001),
        Reply.disconnect(),
        Reply.timeout(),
        Reply.error(503),
    )

    async def run() -> list[str]:
        clients = {"httpx": httpx.AsyncClient, "httpx2": httpx2.AsyncClient}
        http = clients[kind](transport=mock.transport())
        seen = []
        async with AsyncOpenAI(
            base_url="http://stub/v1", api_key="none", max_retries=0, http_client=http
        ) as client:
            stream = await client.chat.completions.create(
                model="m", messages=messages("x"), stream=True
            )
            said = [c.choices[0].delta.content or "" async for c in stream if c.choices]
            seen.append("".join(said))
            for _ in range(3):
                try:
                    await client.chat.completions.create(model="m", messages=messages("x"))
                except openai.OpenAIError as error:
                    seen.append(type(error).__name__)
        return seen

    assert asyncio.run(run()) == [
        "abcde",
        "APIConnectionError",
        "APITimeoutError",
        "InternalServerError",
    ]


def test_g8_a_hundred_tests_at_once_in_one_process() -> None:
    """Each with a mock and a script of its own."""
    threads = threading.active_count()
    with MockLLM() as keeping:
        assert keeping.base_url

        def test(number: int) -> None:
            with MockLLM() as mock:
                client = client_of(mock, http_client=http)
                mock.role("planner", system="You are the planner")
                mock.script(
                    Reply.json({"n": number}), Reply.error(503), Reply.text("z"), role="planner"
                )
                assert (
                    ask(client, f"{number}", system="You are the planner") == f'{{"n": {number}}}'
                )
                with pytest.raises(openai.InternalServerError):
                    ask(client, "again", system="You are the planner")
                assert ask(client, "more", system="You are the planner") == "z"
                mock.assert_calls(["planner"] * 3)
                mock.assert_finished()
                assert [call.user for call in mock.calls()] == [str(number), "again", "more"]

        with httpx2.Client() as http, ThreadPoolExecutor(20) as pool:
            list(pool.map(test, range(100)))
    # The server's own threads are kept for the next test.
    named = [t for t in threading.enumerate() if not t.name.startswith("workbench-mock")]
    assert len(named) <= threads


def test_a_web_page_and_a_head_request_get_what_a_server_sends(mock: MockLLM) -> None:
    root = mock.base_url.removesuffix("/v1")
    asked = httpx.options(f"{mock.base_url}/chat/completions", headers={"origin": "http://a.test"})
    assert (asked.status_code, asked.content) == (204, b"")
    assert asked.headers["access-control-allow-origin"] == "*"
    assert httpx.head(f"{root}/healthz").status_code == 200
    with httpx.Client(transport=mock.transport()) as http:
        head = http.head("http://stub/v1/models")
        assert (head.status_code, head.content) == (200, b"")
        assert http.options("http://stub/v1/models").status_code == 204
        wrong = http.put("http://stub/v1/models", json={})
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")


def test_a_request_that_is_not_json_is_refused_as_a_server_does(mock: MockLLM) -> None:
    with httpx.Client(transport=mock.transport()) as http:
        reply = http.post("http://stub/v1/chat/completions", data={"messages": "[]"})
    assert (reply.status_code, reply.json()["error"]["code"]) == (415, "unsupported_media_type")
    (asked,) = mock.unsupported
    assert "application/x-www-form-urlencoded" in asked.reason
