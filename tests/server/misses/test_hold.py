"""Requests that wait for their fixture, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.equivalent_requests import conversation
from tests.server import hurried
from tests.server.running import Response, RunningServer, wait_until
from tests.server.wire.test_delays import PACED_FRAMES
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import FixtureDocument
from workbench.core.fixture.names import variant_name
from workbench.core.fixture.other_fixture import OtherFixture
from workbench.core.replies.answer import find_answer
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.requests.equivalence import Forms, form_digests
from workbench.core.requests.view import RequestView
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.server.app import StubApp
from workbench.server.events import Events
from workbench.server.log import LogSink
from workbench.server.misses import hold
from workbench.server.wire.delays import Delays

CONTROL = "/__workbench/"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One that holds from its start."""
    with RunningServer(tmp_path_factory.mktemp("holding"), arguments=("--hold",)) as running:
        yield running


@pytest.fixture(scope="module")
def hurried_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("hurried")
    with RunningServer(folder, arguments=("--hold",), program=hurried.PROGRAM) as running:
        yield running


@pytest.fixture
def clients() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as pool:
        yield pool


Ask = Callable[..., Future[Response]]


@pytest.fixture
def ask(server: RunningServer, clients: ThreadPoolExecutor) -> Iterator[Ask]:
    """Asks a question in a thread of its own, and waits until it is held."""

    def asking(question: str, **more: Any) -> Future[Response]:
        before = len(held(server, question))
        reply = clients.submit(server.chat, payload_of(question, **more))
        wait_until("held", lambda: len(held(server, question)) > before or reply.done())
        return reply

    yield asking
    for record in get(server, "held"):
        post(server, f"held/{record['id']}/release")


def payload_of(question: str, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": question}], **more}


def fixture(text: str, **more: Any) -> dict[str, Any]:
    return {"response": {"content": text, **more}}


def get(server: RunningServer, path: str) -> Any:
    return server.request("GET", CONTROL + path).json()


def post(server: RunningServer, path: str, value: Any = None) -> Response:
    if value is None:
        return server.request("POST", CONTROL + path)
    return server.post(CONTROL + path, value)


def held(server: RunningServer, question: str) -> list[Any]:
    """As many entries as clients wait for an answer to ``question``."""
    key = digest(payload_of(question))
    return [r for r in get(server, "held") if r["digest"] == key for _ in range(r["clients"])]


def entry(server: RunningServer, question: str) -> dict[str, Any]:
    key = digest(payload_of(question))
    (found,) = [record for record in get(server, "held") if record["digest"] == key]
    return dict(found)


def save(server: RunningServer, question: str, value: object) -> None:
    server.write_fixture(digest(payload_of(question)), value)


@pytest.mark.parametrize("stream", [False, True])
def test_a_saved_fixture_answers(server: RunningServer, ask: Ask, stream: bool) -> None:
    question = f"saved, stream {stream}"
    before = server.log_size()
    reply = ask(question, stream=stream)
    key = digest(payload_of(question))
    # The miss is in the log while it waits; its access line comes with the reply.
    assert server.log(before).count("\n") == 2
    assert server.log(before).startswith(f"[mock-llm] unknown fixture hash {key}\n")
    save(server, question, fixture("at last"))
    answer = reply.result(60)
    assert answer.status == 200
    if stream:
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert answer.body.startswith(b'data: {"id": "chatcmpl-e2e-')
    else:
        assert answer.headers["content-length"] == str(len(answer.body))
        assert answer.content == "at last"
    served, access, end = server.log(before).split("\n")[2:]
    assert (served, end) == (f"[mock-llm] served fixture {key}", "")
    assert access.endswith('"POST /v1/chat/completions HTTP/1.1" 200 -')
    assert held(server, question) == []


def test_a_fixture_saved_for_an_equivalent_request_answers(server: RunningServer, ask: Ask) -> None:
    before = server.log_size()
    reply = ask("equivalent")
    stored = payload_of("equivalent")
    stored["messages"][-1]["content"] = [{"type": "text", "text": "equivalent"}]
    server.write_fixture(digest(stored), {**fixture("at last"), "request": stored})
    assert reply.result(60).content == "at last"
    key = digest(payload_of("equivalent"))
    assert f"served fixture {digest(stored)} (equivalent to {key})\n" in server.log(before)


def test_a_fixture_without_ids_of_calls_answers_a_request_that_has_them(
    server: RunningServer,
) -> None:
    stored, request = conversation("stub", ids=("call_0",)), conversation("openai")
    before = server.log_size()
    with ThreadPoolExecutor() as threads:
        reply = threads.submit(server.chat, request)
        wait_until("it is held", lambda: digest(request) in server.log(before))
        server.write_fixture(digest(stored), {**fixture("at last"), "request": stored})
        assert reply.result(60).content == "at last"


def test_who_is_held_is_listed(server: RunningServer, ask: Ask) -> None:
    ask("listed", stream=True)
    record = entry(server, "listed")
    assert record["id"].startswith(digest(payload_of("listed"))[:12])
    assert (record["stream"], record["clients"]) == (True, 1)
    assert 0 <= record["age_s"] < 20
    assert record["age_s"] + record["gives_up_in_s"] == pytest.approx(300, abs=5)


def test_the_same_request_joins(server: RunningServer, ask: Ask) -> None:
    replies = [ask("together", stream=stream) for stream in (False, True, False)]
    assert entry(server, "together")["clients"] == 3
    save(server, "together", fixture("to all"))
    plain, stream, other = [reply.result(60) for reply in replies]
    assert plain.content == other.content == "to all"
    assert b"to" in stream.body
    assert server.log().count(f"unknown fixture hash {digest(payload_of('together'))}") == 3


WEATHER, TIME = (
    [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]
    for name in ("weather", "time")
)


def calling(name: str) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": "{}"}}


@pytest.mark.parametrize("first", [0, 1])
def test_a_file_answers_those_whose_it_is(server: RunningServer, ask: Ask, first: int) -> None:
    question = f"same prompt, other tools {first}"
    requests = [payload_of(question, tools=tools) for tools in (WEATHER, TIME)]
    replies = [ask(question, tools=tools) for tools in (WEATHER, TIME)]
    records = [record for record in get(server, "held") if record["digest"] == digest(requests[0])]
    assert [r["variant"] for r in records] == [view(request).variant for request in requests]
    name = variant_name(digest(requests[first]), view(requests[first]))
    server.write_fixture(name, {"request": requests[first], **fixture("its own")})
    assert replies[first].result(60).content == "its own"
    # The other goes on waiting for its own file, or for one that answers every request.
    time.sleep(3 * hold.LOOK_SECONDS)
    assert len(held(server, question)) == 1
    save(server, question, fixture("for all"))
    assert replies[1 - first].result(60).content == "for all"


def test_the_call_of_a_tool_answers_only_those_who_offer_it(
    server: RunningServer, ask: Ask
) -> None:
    question = "a call for one of two"
    weather, clock = (ask(question, tools=tools) for tools in (WEATHER, TIME))
    request = payload_of(question, tools=TIME)
    response = {"tool_calls": [calling("time")], "finish_reason": "tool_calls"}
    save(server, question, {"request": request, "response": response})
    assert clock.result(60).json()["choices"][0]["finish_reason"] == "tool_calls"
    time.sleep(3 * hold.LOOK_SECONDS)
    assert len(held(server, question)) == 1
    request = payload_of(question, tools=WEATHER)
    server.write_fixture(variant_name(digest(request), view(request)), fixture("Rain."))
    assert weather.result(60).content == "Rain."


def test_an_answer_once_writes_no_file(server: RunningServer, ask: Ask) -> None:
    reply = ask("once")
    before = server.log_size()
    posted = post(server, f"held/{entry(server, 'once')['id']}/answer", {"content": "this once"})
    assert (posted.status, posted.body) == (204, b"")
    assert reply.result(60).content == "this once"
    key = digest(payload_of("once"))
    assert not (server.fixtures / f"{key}.json").exists()
    assert f"[mock-llm] answered {key} once, held for" in server.log(before)
    again = ask("once")
    assert not again.done()


def test_what_is_no_response_does_not_answer(server: RunningServer, ask: Ask) -> None:
    reply = ask("nonsense")
    path = f"held/{entry(server, 'nonsense')['id']}/answer"
    refused = post(server, path, {"content": 5})
    assert refused.status == 400
    assert refused.json()["error"]["code"] == "content-not-string"
    assert server.request("POST", CONTROL + path, b"[]").json()["error"]["code"] == "not_an_object"
    for body in ({}, {"response": {"content": "of a whole fixture"}}):
        assert post(server, path, body).json()["error"]["code"] == "content-missing"
    assert held(server, "nonsense")
    assert not reply.done()


def test_a_release_gives_the_fallback(server: RunningServer, ask: Ask) -> None:
    reply, other = ask("released"), ask("not released")
    path = f"held/{entry(server, 'released')['id']}/release"
    wait_until("another", lambda: len(get(server, "held")) == 2)
    assert post(server, path).status == 204
    assert reply.result(60).content == FALLBACK_TEXT
    assert post(server, path).json()["error"]["code"] == "not_held"
    assert not other.done()


def test_a_request_on_the_ignore_list_does_not_wait(server: RunningServer, ask: Ask) -> None:
    waiting = ask("not ignored yet")
    listed = server.fixtures / "workbench-ignore.txt"
    listed.parent.mkdir(exist_ok=True)
    ignored = map(payload_of, ("not ignored yet", "ignored"))
    listed.write_text("".join(f"{digest(payload)} wanted\n" for payload in ignored))
    try:
        for question in ("not ignored yet", "ignored"):
            assert server.chat(payload_of(question)).content == FALLBACK_TEXT
    finally:
        listed.unlink()
    assert not waiting.done()  # it is a person's to release
    assert len(held(server, "not ignored yet")) == 1


def test_who_is_nobody(server: RunningServer) -> None:
    for action in ("answer", "release", "extend"):
        reply = post(server, f"held/none/{action}", {})
        assert (reply.status, reply.json()["error"]["code"]) == (404, "not_held")


def test_more_time(server: RunningServer, ask: Ask) -> None:
    ask("more time")
    path = f"held/{entry(server, 'more time')['id']}/extend"
    assert post(server, path).json()["gives_up_in_s"] > 500
    assert post(server, path, {"seconds": 1000}).json()["gives_up_in_s"] > 1500
    assert entry(server, "more time")["gives_up_in_s"] > 1500
    for wrong in (0, -1, "5", True, 1e9):
        assert post(server, path, {"seconds": wrong}).status == 400


def test_a_broken_file_is_noted_once_and_waited_on(server: RunningServer, ask: Ask) -> None:
    reply = ask("broken")
    before = server.log_size()
    save(server, "broken", b'{"response": {"content": "a" "b"}}')
    wait_until("a note", lambda: "failed to load fixture" in server.log(before))
    time.sleep(0.3)
    assert server.log(before).count("failed to load fixture") == 1
    assert not reply.done()
    save(server, "broken", fixture("mended"))
    assert reply.result(60).content == "mended"


def test_one_that_is_broken_already_is_held_too(server: RunningServer, ask: Ask) -> None:
    save(server, "broken before", b"{")
    before = server.log_size()
    reply = ask("broken before")
    wait_until("a note", lambda: "failed to load fixture" in server.log(before))
    time.sleep(0.3)
    assert server.log(before).count("failed to load fixture") == 1
    save(server, "broken before", fixture("mended"))
    assert reply.result(60).content == "mended"


def test_a_verification_is_never_held(server: RunningServer) -> None:
    reply = server.chat(payload_of("verify"), {"X-Workbench-Verify": "1"})
    assert reply.content == FALLBACK_TEXT


def test_directives_and_fixtures_are_not_held(server: RunningServer) -> None:
    assert server.chat(payload_of("[[MOCK_LLM_EMIT:aGVsbG8]]")).content == "hello"
    save(server, "there already", fixture("here"))
    assert server.chat(payload_of("there already")).content == "here"


def test_turned_off_it_releases_nobody(server: RunningServer, ask: Ask) -> None:
    reply = ask("before off")
    off = server.request("PUT", CONTROL + "hold", b'{"enabled": false}')
    assert off.json() == {
        "enabled": False,
        "timeout_s": 300.0,
        "possible": True,
    }
    assert server.chat(payload_of("after off")).content == FALLBACK_TEXT
    again = ask("before off")  # a retry of the one that waits
    assert entry(server, "before off")["clients"] == 2
    on = server.request("PUT", CONTROL + "hold", b'{"enabled": true}')
    assert (
        on.json() == get(server, "hold") == {"enabled": True, "timeout_s": 300.0, "possible": True}
    )
    save(server, "before off", fixture("kept"))
    assert reply.result(60).content == again.result(60).content == "kept"


@pytest.mark.parametrize(
    "value",
    [
        *({"enabled": 1}, {"timeout_s": 0}, {"timeout_s": "5"}, {"timeout_s": True}),
        *({"timeout_s": -3}, {"timeout_s": 1e6}, {"timeout_s": 10**400}, {"on": True}),
    ],
)
def test_what_hold_cannot_be(server: RunningServer, value: Any) -> None:
    reply = server.request("PUT", CONTROL + "hold", json.dumps(value).encode())
    assert reply.status == 400
    assert next(iter(value)) in reply.json()["error"]["message"]
    assert get(server, "hold") == {
        "enabled": True,
        "timeout_s": 300.0,
        "possible": True,
    }


# Clients that go, and clients that are kept


class Client:
    """A socket that asks; what it hears is read as it comes."""

    def __init__(
        self, server: RunningServer, question: str, *, http: str = "1.1", **more: Any
    ) -> None:
        body = json.dumps(payload_of(question, **more)).encode()
        head = f"POST /v1/chat/completions HTTP/{http}\r\nHost: x\r\nConnection: close\r\n"
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.asked = time.monotonic()
        self.socket.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def hear(self) -> tuple[float, bytes]:
        """The next that comes, and how many seconds after the question."""
        data = self.socket.recv(65536)
        return time.monotonic() - self.asked, data

    def rest(self) -> bytes:
        with self.socket, self.socket.makefile("rb") as file:
            return file.read()


def test_one_that_hangs_up_leaves(server: RunningServer) -> None:
    client, other = Client(server, "leaving"), Client(server, "leaving")
    wait_until("two", lambda: len(held(server, "leaving")) == 2)
    key = entry(server, "leaving")["id"]
    client.socket.close()
    wait_until("one", lambda: len(held(server, "leaving")) == 1)
    other.socket.close()
    wait_until("none", lambda: not held(server, "leaving"))
    assert post(server, f"held/{key}/release").status == 404
    # It asks again, as clients do: the same wait goes on.
    third = Client(server, "leaving")
    wait_until("one", lambda: held(server, "leaving"))
    assert entry(server, "leaving")["id"] == key
    save(server, "leaving", fixture("you are back"))
    assert b"you are back" in third.rest()
    assert "Traceback" not in server.log()


def test_one_that_takes_its_time_to_ask_again_goes_on_waiting(
    server: RunningServer, ask: Ask
) -> None:
    client = Client(server, "back soon")
    wait_until("one", lambda: held(server, "back soon"))
    key = entry(server, "back soon")["id"]
    client.socket.close()
    wait_until("none", lambda: not held(server, "back soon"))
    # Files are looked at meanwhile, which is when those that nobody waits for are forgotten.
    for question in ("meanwhile", "and again"):
        reply = ask(question)
        save(server, question, fixture("seen"))
        assert reply.result(60).content == "seen"
    ask("back soon")
    assert entry(server, "back soon")["id"] == key


def hold_of(fixtures: StoredFixtures) -> hold.Hold:
    log = LogSink(fixtures.store.folder / "log")
    return hold.Hold(fixtures, log, Events(), is_possible=True)


def test_one_that_does_not_ask_again_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "RETRY_SECONDS", 0.2)
    payload = payload_of("gone for good")
    miss = find_answer(view(payload), digest(payload), lambda _: None)
    store = FixtureStore(tmp_path)

    async def until_forgotten() -> float:
        held = hold_of(StoredFixtures(store))
        with held.join(miss, form_digests(miss.request)):
            assert held.holds(miss.digest)
            left = time.monotonic()
        while held.holds(miss.digest):
            await asyncio.sleep(0.01)
        return time.monotonic() - left

    assert asyncio.run(asyncio.wait_for(until_forgotten(), 60)) >= 0.2


def test_others_are_served_while_a_changed_folder_is_read(tmp_path: Path) -> None:
    """As after a checkout of another branch, which changes thousands of files."""
    is_reading, is_served = threading.Event(), threading.Event()

    class ManyFiles(EquivalentFixtures):
        def of_forms(self, forms: Forms, request: RequestView | None = None) -> OtherFixture | None:
            is_reading.set()
            assert is_served.wait(10), "the event loop waits for the files"
            return super().of_forms(forms, request)

    payload = payload_of("patient")
    miss = find_answer(view(payload), digest(payload), lambda _: None)
    store = FixtureStore(tmp_path)
    fixtures = StoredFixtures(store)
    fixtures.equivalents = ManyFiles(store)

    async def until_answered() -> hold.Verdict:
        holding = hold_of(fixtures)
        with holding.join(miss, form_digests(miss.request)) as held:
            while not is_reading.is_set():
                await asyncio.sleep(0.01)
            is_served.set()
            store.save(miss.digest, json.dumps(fixture("saved")).encode(), expected=None)
            return await held.verdict

    verdict = asyncio.run(asyncio.wait_for(until_answered(), 60))
    assert verdict.how == "saved"


@pytest.mark.parametrize("hold_seconds", [60, None])
def test_a_miss_waits_while_the_folder_is_read_for_the_first_time(
    tmp_path: Path, hold_seconds: float | None
) -> None:
    """Which takes long where there are thousands of fixtures; then an equivalent one answers. It is
    listed meanwhile by a server that holds.
    """
    is_reading, is_asked = threading.Event(), threading.Event()

    class ManyFiles(FixtureStore):
        def document(self, digest: str) -> FixtureDocument:
            is_reading.set()
            assert is_asked.wait(10), "the miss waits for the files"
            return super().document(digest)

    stored, asked = conversation("stub"), conversation("openai")
    store = ManyFiles(tmp_path)
    value = {**fixture("It rains."), "request": stored}
    store.save(digest(stored), json.dumps(value).encode(), expected=None)
    app = StubApp(store, "stub", Delays(), LogSink(tmp_path / "log"), hold=hold_seconds)

    async def until_answered() -> Any:
        reading = asyncio.ensure_future(asyncio.to_thread(app.warm_up))
        await asyncio.to_thread(is_reading.wait)
        transport: Any = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            reply = asyncio.ensure_future(client.post("/v1/chat/completions", json=asked))
            while hold_seconds and not (await client.get(f"{CONTROL}held")).json():
                await asyncio.sleep(0.01)
            await asyncio.wait((reply,), timeout=0.1)
            assert not reply.done()
            is_asked.set()
            await reading
            return (await reply).json()

    reply = asyncio.run(asyncio.wait_for(until_answered(), 60))
    assert reply["choices"][0]["message"]["content"] == "It rains."


def test_a_fixture_for_one_that_left_answers_its_retry(server: RunningServer) -> None:
    client = Client(server, "left")
    wait_until("one", lambda: held(server, "left"))
    client.socket.close()
    wait_until("none", lambda: not held(server, "left"))
    save(server, "left", fixture("too late, and in time"))
    assert server.chat(payload_of("left")).content == "too late, and in time"


def chunks(data: bytes) -> list[bytes]:
    """The chunks of a chunked body."""
    found = []
    while data and not data.startswith(b"0\r\n"):
        size, _, data = data.partition(b"\r\n")
        found.append(data[: int(size, 16)])
        data = data[int(size, 16) + 2 :]
    return found


SIGNS = {False: b" ", True: b": no fixture yet, held\n\n"}


def test_clients_hear_something(hurried_server: RunningServer) -> None:
    """Nothing for a while, then their status and a sign again and again; then the answer."""
    server = hurried_server
    clients = {stream: Client(server, f"patience {stream}", stream=stream) for stream in SIGNS}
    heard = {stream: [client.hear()] for stream, client in clients.items()}
    for stream, client in clients.items():
        while len(chunks(joined(heard[stream]))) < 2:
            heard[stream].append(client.hear())
        save(server, f"patience {stream}", fixture("patient"))
        heard[stream].append((0, client.rest()))
    for stream, sign in SIGNS.items():
        assert heard[stream][0][1].startswith(b"HTTP/1.1 200 OK\r\n")
        assert hurried.QUIET_SECONDS - 0.1 < heard[stream][0][0] < 10
        assert hurried.QUIET_SECONDS + hurried.SIGN_SECONDS - 0.1 < heard[stream][-2][0] < 15
        first, second, *rest = chunks(joined(heard[stream]))
        assert first == second == sign
        text = b"".join(chunk for chunk in rest if chunk != sign)
        if stream:
            assert text.startswith(b"data: {")
            assert text.endswith(b"data: [DONE]\n\n")
        else:
            reply = json.loads(first + second + text)
            assert reply["choices"][0]["message"]["content"] == "patient"


def test_a_late_reply_has_its_delays(
    hurried_server: RunningServer, clients: ThreadPoolExecutor
) -> None:
    headers = {"X-Mock-LLM-Total-Delay-Ms": "100", "X-Mock-LLM-Stream-Chunk-Delay-Ms": "50"}
    payload = payload_of("late and slow", stream=True)
    reply = clients.submit(hurried_server.chat, payload, headers)
    wait_until("held", lambda: held(hurried_server, "late and slow"))
    time.sleep(hurried.QUIET_SECONDS + 0.1)
    begun = time.monotonic()
    post(hurried_server, f"held/{entry(hurried_server, 'late and slow')['id']}/release")
    assert reply.result(60).body.startswith(SIGNS[True])
    assert time.monotonic() - begun >= 0.1 + PACED_FRAMES * 0.05


@pytest.mark.parametrize("stream", [False, True])
def test_clients_of_http_1_0_hear_nothing_before_their_reply(
    hurried_server: RunningServer, stream: bool
) -> None:
    """Theirs is sent with its length, which is known when all of it is."""
    client = Client(hurried_server, f"old {stream}", http="1.0", stream=stream)
    client.socket.settimeout(hurried.QUIET_SECONDS + 0.5)
    with pytest.raises(TimeoutError):
        client.hear()
    client.socket.settimeout(None)
    save(hurried_server, f"old {stream}", fixture("patient"))
    head, _, body = client.rest().partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head
    assert b"content-length: %d\r\n" % len(body) in head
    if stream:
        assert body.startswith(b"data: {")
        assert body.endswith(b"data: [DONE]\n\n")
    else:
        assert json.loads(body)["choices"][0]["message"]["content"] == "patient"


def joined(heard: list[tuple[float, bytes]]) -> bytes:
    """The body in what was heard."""
    return b"".join(data for _, data in heard).partition(b"\r\n\r\n")[2]


ERROR = {"response": {"error": {"status": 429, "message": "slow down", "code": "rate_limit"}}}


def test_an_error_in_time_has_its_status(server: RunningServer, ask: Ask) -> None:
    reply = ask("error in time", stream=True)
    save(server, "error in time", ERROR)
    assert reply.result(60).status == 429


def test_an_error_behind_the_status_of_a_stream_is_an_event(hurried_server: RunningServer) -> None:
    server = hurried_server
    client = Client(server, "late error", stream=True)
    heard = client.hear()
    save(server, "late error", ERROR)
    body = b"".join(chunks(joined([heard, (0, client.rest())])))
    error = json.loads(body.partition(b"data: ")[2])["error"]
    assert (error["message"], error["code"]) == ("slow down", "rate_limit")


# Time-outs


@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        ((), 200, "have enough information"),
        (("--strict",), 404, " s, and no answer was saved in time."),
    ],
)
def test_a_wait_ends(tmp_path: Path, arguments: tuple[str, ...], status: int, word: str) -> None:
    with RunningServer(tmp_path, arguments=("--hold", "0.5", *arguments)) as server:
        begun = time.monotonic()
        reply = server.chat(payload_of("nobody comes"))
        assert 0.4 < time.monotonic() - begun < 20
        assert (reply.status, word in reply.body.decode()) == (status, True)
        assert f"timed out {digest(payload_of('nobody comes'))}" in server.log()


def test_a_strict_error_behind_a_status(tmp_path: Path) -> None:
    # After the first sign.
    arguments = ("--hold", str(hurried.QUIET_SECONDS + 1), "--strict")
    with RunningServer(tmp_path, arguments=arguments, program=hurried.PROGRAM) as server:
        reply = server.chat(payload_of("nobody comes", stream=True))
    assert reply.status == 200
    sign, *more, event, end = reply.body.split(b"\n\n")
    assert sign.startswith(b":")
    assert set(more) <= {sign}
    assert json.loads(event.removeprefix(b"data: "))["error"]["code"] == "fixture_not_found"
    assert end == b""


def test_the_end_of_the_server_releases(tmp_path: Path) -> None:
    with (
        RunningServer(tmp_path, arguments=("--hold",)) as server,
        ThreadPoolExecutor(2) as clients,
    ):
        replies = [clients.submit(server.chat, payload_of(f"end {n}")) for n in range(2)]
        wait_until("two held", lambda: len(get(server, "held")) == 2)
        server.process.send_signal(signal.SIGTERM)
        assert [reply.result(60).content for reply in replies] == [FALLBACK_TEXT] * 2
        assert server.process.wait(60) == 0


def test_hold_can_be_turned_on_later(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server, ThreadPoolExecutor(1) as clients:
        assert get(server, "hold") == {
            "enabled": False,
            "timeout_s": 300.0,
            "possible": True,
        }
        assert server.chat(payload_of("early")).content == FALLBACK_TEXT
        server.request("PUT", CONTROL + "hold", b'{"enabled": true, "timeout_s": 60}')
        reply = clients.submit(server.chat, payload_of("late"))
        wait_until("held", lambda: held(server, "late"))
        assert entry(server, "late")["gives_up_in_s"] < 60
        save(server, "late", fixture("just in time"))
        assert reply.result(60).content == "just in time"
