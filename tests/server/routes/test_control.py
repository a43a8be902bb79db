"""The control API over real HTTP: what it tells, and whom it refuses."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

import workbench
from tests.cases import each_case
from tests.server.running import Response, RunningServer, wait_until
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.misses.miss import request_facts
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.requests.conversations import conversation_id
from workbench.core.written.credentials import NONE
from workbench.io.fixture.store import FixtureStore
from workbench.io.network.control_client import ControlClient
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.traffic import (
    MAX_BODY,
    MAX_DUMP,
    MAX_DUMPS,
    MAX_EXCHANGES,
    MAX_MISSES,
    MAX_VARIANTS,
    ServedExchange,
    Traffic,
)
from workbench.server.wire.delays import Delays
from workbench.server.wire.guard import host_name

CONTROL = "/__workbench/"


def payload_of(question: str, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": question}], **more}


def keep_miss(traffic: Traffic, payload: dict[str, Any], body: bytes) -> None:
    request = view(payload)
    traffic.miss(request, request_facts(request), body, "")


def get(server: RunningServer, path: str) -> Any:
    return server.request("GET", CONTROL + path).json()


def ask_control(
    server: RunningServer, headers: Mapping[str, str], method: str = "GET", path: str = "held"
) -> Response:
    return server.request(method, CONTROL + path, b"{}", headers)


# Who may ask


@each_case(
    "host",
    [
        *("127.0.0.1", "localhost", "LOCALHOST:7899", "127.0.0.1:1", "127.1.2.3", "[::1]:7899"),
        *("[::1]", "localhost.", "workbench.test", "Workbench.TEST:80"),
    ],
)
def test_names_of_this_machine_may_ask(allowing: RunningServer, host: str) -> None:
    assert ask_control(allowing, {"Host": host}).status == 200


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One that is known under another name, too."""
    arguments = ("--allow-host", "Workbench.test:7899")
    with RunningServer(tmp_path_factory.mktemp("allowing"), arguments=arguments) as running:
        yield running


@each_case(
    "host",
    [
        *("evil.example", "evil.example:7899", "127.0.0.1.evil.example", "localhost.evil.example"),
        *("", "10.0.0.7", "[::2]", "[", "0.0.0.0", "workbench.test.", "127.0.0.1@evil.example"),
        *("2130706433", "x-127.0.0.1", "::1", "evil.example, localhost", "localhost localhost"),
    ],
)
def test_other_names_may_not(server: RunningServer, host: str) -> None:
    """A page of evil.example, whose name resolves to this machine, sends its own name."""
    for path in ("held", "misses", "exchanges", "events", "hold", "nowhere"):
        reply = ask_control(server, {"Host": host}, path=path)
        code = reply.json()["error"]["code"]
        assert (path, reply.status, code) == (path, 403, "host_not_allowed")
        assert not any(name.startswith("access-control") for name in reply.headers)


@pytest.mark.parametrize(
    ("host", "bound", "status"),
    [
        (b"192.168.1.5:7899", ("192.168.1.5", 7899), 200),
        (b"[fd00::2]:7899", ("fd00::2", 7899), 200),
        (b"192.168.1.6:7899", ("192.168.1.5", 7899), 403),
        (b"localhost", None, 200),
        (b"192.168.1.5", None, 403),
    ],
)
def test_the_address_it_was_reached_at_is_its_own(
    tmp_path: Path, host: bytes, bound: tuple[str, int] | None, status: int
) -> None:
    """Bound to every address, as in a container, it is asked under the one it was found at."""
    app = StubApp(FixtureStore(tmp_path), "stub", Delays(), LogSink(tmp_path / "server.log"))
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/__workbench/held",
        "raw_path": b"/__workbench/held",
        "query_string": b"",
        "http_version": "1.1",
        "client": ("192.168.1.9", 5),
        "server": bound,
        "headers": [(b"host", host)],
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    assert sent[0]["status"] == status


@pytest.mark.parametrize("count", [0, 2])
def test_one_name_and_no_other(server: RunningServer, count: int) -> None:
    connection = server.connect()
    connection.putrequest("GET", CONTROL + "held", skip_host=True)
    for _ in range(count):
        connection.putheader("Host", "localhost")
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


@each_case("origin", ["http://evil.example", "null", "http://localhost:7899", ""])
@each_case("method, path", [("GET", "held"), ("PUT", "hold"), ("POST", "held/x/release")])
def test_web_pages_may_not(server: RunningServer, origin: str, method: str, path: str) -> None:
    reply = ask_control(server, {"Origin": origin}, method, path)
    assert (reply.status, reply.json()["error"]["code"]) == (403, "origin_not_allowed")
    assert get(server, "hold")["enabled"] is False


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 403), ("none", 200)],
)
def test_what_a_web_page_embeds_is_refused(server: RunningServer, site: str, status: int) -> None:
    """A browser asks for it without an origin, and says so in another way."""
    assert ask_control(server, {"Sec-Fetch-Site": site}, "GET", "misses").status == status


def test_a_preflight_is_refused(server: RunningServer) -> None:
    headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "PUT"}
    reply = ask_control(server, headers, "OPTIONS", "hold")
    assert reply.status == 403
    assert not any(name.startswith("access-control") for name in reply.headers)
    assert ask_control(server, {}, "OPTIONS", "hold").status == 405


def test_web_pages_may_ask_under_v1_still(server: RunningServer) -> None:
    headers = {"Origin": "http://app.example", "Host": "app.example"}
    reply = server.chat(payload_of("from a page"), headers)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")


@each_case(
    "host, name",
    [
        *(("localhost", "localhost"), (" A.b:80 ", "a.b"), ("[::1]:80", "::1")),
        *(("[::1", ""), ("", ""), ("a.b.", "a.b"), ("\xff", "\xff"), ("a..", "a.")),
        *(("[::1]a", ""), ("[::1%lo]", ""), ("::1", ""), ("a@b", ""), ("a, b", "")),
        *(("a b", ""), ("a:b", ""), ("a:", "a"), ("a/b", ""), ("LOCALHOST.:1", "localhost")),
    ],
)
def test_the_name_in_a_host_header(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        *(("GET", "", 404, None), ("GET", "none", 404, None), ("GET", "held/x/none", 404, None)),
        *(("POST", "held", 405, "GET, HEAD"), ("DELETE", "hold", 405, "GET, HEAD, PUT")),
        *(("GET", "held/x/answer", 405, "POST"), ("GET", "misses/", 404, None)),
    ],
)
def test_other_paths_and_methods(
    server: RunningServer, method: str, path: str, status: int, allowed: str | None
) -> None:
    reply = ask_control(server, {}, method, path)
    assert (reply.status, reply.headers.get("allow")) == (status, allowed)


def test_what_is_asked_here_is_not_in_the_log(server: RunningServer) -> None:
    before = server.log_size()
    get(server, "held")
    assert server.log(before) == ""
    ask_control(server, {"Host": "evil.example"})
    assert server.log(before).startswith("[mock-llm] refused GET /__workbench/held HTTP/1.1: ")


# What it tells


def test_misses(server: RunningServer) -> None:
    tools = [{"type": "function", "function": {"name": "search"}}]
    payload = payload_of("miss me é", temperature=0)
    for more in ({}, {"stream": True}, {"tools": tools}):
        server.chat({**payload, **more})
    key = digest(payload)
    (found,) = [miss for miss in get(server, "misses") if miss["digest"] == key]
    first_seen, last_seen = found.pop("first_seen"), found.pop("last_seen")
    assert len(first_seen) == len("2026-11-20T10:09:22")
    assert first_seen <= last_seen
    assert found == {
        "digest": key,
        "count": 3,
        "model": "gpt-4o",
        "last_user_text": "miss me é",
        "has_dump": True,
        "state": "missing",
        "ignored": False,
        "held": False,
        "variants": 2,
        "run": 1,
        "api": "chat",
        "turn": 1,
        "conversation": conversation_id(view(payload)),
        "tests": [],
        "hosts": [],
        "test": None,
    }
    one = get(server, f"misses/{key}")
    assert one["requests"] == [payload, {**payload, "tools": tools}]
    server.write_fixture(key, {"response": {"content": "found"}})
    assert get(server, f"misses/{key}")["state"] == "answered"
    server.write_fixture(key, {"response": {"content": 5}})
    assert get(server, f"misses/{key}")["state"] == "broken"
    (server.fixtures / "workbench-ignore.txt").write_text(f"{key} wanted\n")
    assert get(server, f"misses/{key}")["ignored"] is True
    (server.fixtures / "workbench-ignore.txt").unlink()
    (server.fixtures / "workbench-ignore.txt").mkdir()
    assert get(server, f"misses/{key}")["ignored"] is False
    (server.fixtures / "workbench-ignore.txt").rmdir()


def test_no_miss(server: RunningServer) -> None:
    assert server.request("GET", CONTROL + "misses/" + "0" * 64).status == 404


def test_exchanges(server: RunningServer) -> None:
    last = max([0, *(exchange["id"] for exchange in get(server, "exchanges"))])
    payload = payload_of("exchange")
    server.chat(payload, {"X-Workbench-Node": "planner"})
    server.write_fixture(digest(payload), {"response": {"content": "hit"}})
    sent = server.chat({**payload, "stream": True})
    server.chat(payload, {"X-Workbench-Verify": "1"})
    server.chat(payload_of("[[MOCK_LLM_EMIT:aGVsbG8]]"))
    miss, hit, directive = get(server, f"exchanges?after={last}")
    assert miss["id"] < hit["id"] < directive["id"]
    assert [e["source"] for e in (miss, hit, directive)] == ["fallback", "fixture", "directive"]
    assert (miss["node"], hit["node"]) == ("planner", "")
    assert (miss["stream"], hit["stream"], hit["status"]) == (False, True, 200)
    assert json.loads(miss["request"]) == payload
    assert FALLBACK_TEXT in miss["reply"]
    assert hit["reply"].encode() == sent.body
    assert hit["reply_bytes"] == len(sent.body)
    assert 0 <= hit["ms"] < 20_000
    for wrong in ("x", "-1", "9" * 5000):
        assert server.request("GET", CONTROL + f"exchanges?after={wrong}").status == 400


def test_the_state_is_that_which_events_begin_with(server: RunningServer) -> None:
    connection = server.connect()
    connection.request("GET", CONTROL + "events")
    reply = connection.getresponse()
    kind, begun = next_event(reply)
    reply.close()
    connection.close()
    assert (kind, begun) == ("hello", get(server, "state"))
    assert begun.keys() == {
        *("server", "version", "fixtures", "profile", "strict", "hold", "ignored", "log")
    }
    assert (begun["version"], begun["strict"]) == (workbench.__version__, False)
    assert begun["log"] == str(server.log_path)
    assert ControlClient(server.url).state().profile == "stub"


def test_events(server: RunningServer) -> None:
    connection = server.connect()
    connection.request("GET", CONTROL + "events")
    reply = connection.getresponse()
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"
    kind, hello = next_event(reply)
    assert hello["fixtures"] == str(server.fixtures)
    assert (kind, hello["hold"]) == (
        "hello",
        {"enabled": False, "timeout_s": 300.0, "possible": True},
    )
    payload = payload_of("told")
    server.chat(payload)
    key = digest(payload)
    kind, miss = next_event(reply)
    assert miss.pop("first_seen") == miss.pop("last_seen")
    assert (kind, miss) == (
        "miss",
        {
            "digest": key,
            "count": 1,
            "variants": 1,
            "run": 1,
            "tests": [],
            "hosts": [],
            "model": "gpt-4o",
            "last_user_text": "told",
            "api": "chat",
            "turn": 1,
            "conversation": conversation_id(view(payload)),
        },
    )
    kind, served = next_event(reply)
    assert served.pop("exchange") > 0
    expected = {"digest": key, "source": "fallback", "stream": False, "status": 200}
    assert (kind, served) == ("served", expected)
    server.request("PUT", CONTROL + "hold", b'{"timeout_s": 300}')
    assert next_event(reply) == (
        "hold",
        {"enabled": False, "timeout_s": 300.0, "possible": True},
    )
    connection.close()


def next_event(reply: http.client.HTTPResponse) -> tuple[str, Any]:
    kind = reply.readline().decode()
    data = reply.readline().decode()
    assert reply.readline() == b"\n"
    return kind.removeprefix("event: ").strip(), json.loads(data.removeprefix("data: "))


def test_events_of_a_held_request(tmp_path: Path) -> None:
    with RunningServer(tmp_path, arguments=("--hold",)) as server:
        connection = server.connect()
        connection.request("GET", CONTROL + "events")
        reply = connection.getresponse()
        next_event(reply)
        body = json.dumps(payload_of("held")).encode()
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(head % len(body) + body)
            kinds = [next_event(reply) for _ in range(2)]
            assert [kind for kind, _ in kinds] == ["miss", "held"]
            assert kinds[1][1]["clients"] == 1
        kind, record = next_event(reply)
        assert (kind, record["clients"]) == ("gone", 0)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(head % len(body) + body)
            assert [next_event(reply)[0] for _ in range(2)] == ["miss", "held"]
            server.request("POST", CONTROL + f"held/{record['id']}/release")
            kind, record = next_event(reply)
            assert (kind, record["how"]) == ("released", "released")
        connection.close()


def test_listeners_end_with_the_server(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        connection = server.connect()
        connection.request("GET", CONTROL + "events")
        reply = connection.getresponse()
        next_event(reply)
        server.process.terminate()
        assert reply.read() == b""
        assert server.process.wait(60) == 0
        connection.close()


def test_a_listener_that_goes_is_nothing(server: RunningServer) -> None:
    connection = server.connect()
    connection.request("GET", CONTROL + "events")
    next_event(connection.getresponse())
    before = server.log_size()
    connection.close()
    server.chat(payload_of("who listens"))
    wait_until("an answer", lambda: " 200 -" in server.log(before))
    assert "Traceback" not in server.log(before)


# Bounds


def test_exchanges_are_bounded(tmp_path: Path) -> None:
    traffic = Traffic("stub", LogSink(tmp_path / "server.log"))
    for _ in range(MAX_EXCHANGES + 5):
        number = next(traffic.ids)
        said = ServedExchange(
            number, "d", "fixture", False, 200, 0.0, 1.0, "", b"q", 1, b"r", 1, lambda: NONE
        )
        traffic.exchange(said)
    kept = traffic.exchanges_after(0)
    assert [kept[0].id, kept[-1].id] == [6, MAX_EXCHANGES + 5]


def test_the_bodies_of_an_exchange_are_bounded(server: RunningServer) -> None:
    payload = payload_of("q" * 2 * MAX_BODY)
    server.write_fixture(digest(payload), {"response": {"content": "r" * 2 * MAX_BODY}})
    reply = server.chat(payload)
    last = get(server, "exchanges")[-1]
    assert (len(last["request"]), len(last["reply"])) == (MAX_BODY, MAX_BODY)
    assert last["request_bytes"] == len(json.dumps(payload).encode())
    assert last["reply_bytes"] == len(reply.body)


@pytest.fixture
def traffic(tmp_path: Path) -> Traffic:
    return Traffic("stub", LogSink(tmp_path / "server.log"))


def test_misses_are_bounded(traffic: Traffic) -> None:
    index = traffic.misses
    payloads = [{"model": str(number)} for number in range(MAX_MISSES + 5)]
    for payload in payloads:
        keep_miss(traffic, payload, b"{}")
    assert list(index.misses)[:2] == list(map(digest, payloads[5:7]))
    keep_miss(traffic, {"model": "too big"}, b" " * (MAX_DUMP + 1))
    big = b'{"model": "%s"}' % (b"x" * (MAX_DUMP * 2 // 3))
    keep_miss(traffic, {"model": "big"}, big)
    kept = [miss.digest for miss in index.misses.values() if miss.dumps]
    assert (len(kept), kept[-1]) == (MAX_MISSES - 1, digest({"model": "big"}))
    for number in range(4):
        keep_miss(traffic, {"model": f"big {number}"}, big)
    kept = [miss.digest for miss in index.misses.values() if miss.dumps]
    requests = [json.dumps(payload) for key in kept for payload in index.payloads(key)]
    assert sum(map(len, requests)) <= MAX_DUMPS
    assert kept[-1] == digest({"model": "big 3"})
    assert index.payloads(next(iter(index.misses))) == []


def test_a_request_that_was_forgotten_is_kept_again(traffic: Traffic) -> None:
    first = {"model": "first"}
    keep_miss(traffic, first, json.dumps(first).encode())
    big = b'{"model": "%s"}' % (b"x" * (MAX_DUMP - 20))
    for number in range(2):
        keep_miss(traffic, {"model": str(number)}, big)
    assert traffic.misses.payload(digest(first)) is None
    keep_miss(traffic, first, json.dumps(first).encode())
    assert traffic.misses.payload(digest(first)) == first
    assert traffic.misses.misses[digest(first)].count == 2


def test_the_requests_of_one_digest_are_bounded(traffic: Traffic) -> None:
    for number in range(MAX_VARIANTS + 5):
        tools = [{"function": {"name": str(number)}}]
        keep_miss(traffic, {"model": "m", "tools": tools}, b"{}")
    (miss,) = traffic.misses.misses.values()
    assert (miss.count, len(miss.dumps)) == (MAX_VARIANTS + 5, MAX_VARIANTS)


def test_a_miss_is_told_while_more_of_its_requests_come(traffic: Traffic) -> None:
    payload: dict[str, Any] = {"model": "m"}
    keep_miss(traffic, payload, b"{}")
    come = threading.Event()

    def more() -> None:
        for number in range(1000):
            tools = [{"function": {"name": str(number)}}]
            keep_miss(traffic, {**payload, "tools": tools}, b"{}")
        come.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(1) as thread:
            coming = thread.submit(more)
            while not come.is_set():
                assert traffic.misses.payloads(digest(payload))
            coming.result()
    finally:
        sys.setswitchinterval(interval)
    assert len(traffic.misses.payloads(digest(payload))) == 1001


# Tests of the suite


def test_tests_are_kept_with_their_changes_until_the_suite_is_run_again(
    tmp_path: Path,
) -> None:
    with RunningServer(tmp_path) as server:
        client = ControlClient(server.url)
        client.set_running("", "test_a.py::test_b")
        running = {"id": "test_a.py::test_b", "outcome": "running"}
        session = {"root": "/project", "arguments": 2, "paths": [1], "collected": 7}
        client.report_tests({"session": session, "tests": [running]})
        server.chat(payload_of("hello"))
        report = client.tests()
        (test,) = report.tests
        assert (test.outcome, test.requests) == ("running", 1)
        assert report.session is not None
        assert report.session._asdict() == session
        assert client.tests(report.last).tests == []
        client.report_tests({"tests": [{**running, "outcome": "failed", "failure": "no"}]})
        (test,) = client.tests(report.last).tests
        assert (test.outcome, test.failure, test.requests) == ("failed", "no", 1)
        client.reset()
        after = client.tests()
        assert (after.run, after.session, after.tests) == (report.run + 1, None, [])
        assert after.last == test.number


def test_a_change_of_a_test_is_an_event(server: RunningServer) -> None:
    async def first_two() -> list[str]:
        kinds: list[str] = []
        async for events in ControlClient(server.url).events():
            kinds += [event.kind for event in events]
            if len(kinds) > 1:
                break
            report = {"tests": [{"id": "a", "outcome": "running"}]}
            await asyncio.to_thread(ControlClient(server.url).report_tests, report)
        return kinds

    assert asyncio.run(first_two()) == ["hello", "tests"]


@each_case(
    "body, code",
    [
        ({"tests": {}}, "invalid_value"),
        ({"tests": ["a"]}, "invalid_value"),
        ({"tests": [{}]}, "invalid_value"),
        ({"tests": [{"id": "", "outcome": "passed"}]}, "invalid_value"),
        ({"tests": [{"id": 3, "outcome": "passed"}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "good"}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": ["passed"]}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed", "seconds": "1"}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed", "seconds": -1}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed", "seconds": True}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed", "reruns": 1.5}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed", "failure": None}]}, "invalid_value"),
        ({"tests": [{"id": "a", "outcome": "passed"}] * 1001}, "too_many"),
        ({"session": 5}, "invalid_value"),
        ({"session": {"root": "/", "arguments": 1, "paths": 5}}, "invalid_value"),
        ({"session": {"root": "/", "arguments": 1, "paths": ["a"]}}, "invalid_value"),
        ({"session": {"root": "/", "paths": []}}, "invalid_value"),
    ],
)
def test_a_report_of_another_form_is_refused(
    server: RunningServer, body: dict[str, Any], code: str
) -> None:
    reply = server.request("POST", CONTROL + "tests", json.dumps(body).encode())
    assert (reply.status, reply.json()["error"]["code"]) == (400, code)


def test_a_report_of_a_web_page_is_refused(server: RunningServer) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        for method in ("GET", "POST"):
            assert ask_control(server, headers, method, "tests").status == 403
    assert server.request("GET", CONTROL + "tests?after=x").status == 400


def test_the_texts_of_tests_are_limited_and_without_secrets(server: RunningServer) -> None:
    key = "sk-" + "aB3dE5gH7jK9" * 4
    texts = {"failure": "x" * 20_000 + " the end", "output": f"with {key} in it"}
    test = {"id": f"test_a.py::test_b[{key}]", "outcome": "failed", **texts}
    ControlClient(server.url).report_tests({"tests": [test]})
    kept = next(t for t in ControlClient(server.url).tests().tests if t.id.startswith("test_a"))
    assert key not in str(kept)
    assert not kept.is_whole
    assert kept.failure.startswith("… the beginning is left out\n")
    assert kept.failure.endswith(" the end")
    assert len(kept.failure) < 16_100
