"""Misses answered by an upstream: relayed, recorded, replayed; the upstream is a real server."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import APIConnectionError, APIStatusError, OpenAI

from tests.forked import run_forked
from tests.scripted_server import CHUNKED_STREAM, ScriptedServer, chunk
from tests.server.running import PATIENCE_SECONDS, RunningServer, wait_until
from tests.server.test_reference import without_time
from tests.server.upstream_model import KEY, WORDS, Server, running_model
from workbench.cli.main import main
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.recordings.exchanges import Sent
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.text.digests import short
from workbench.io.recordings.recording_file import Recording, journals

PAUSE_MS = 50


@pytest.fixture
def upstream() -> Iterator[Server]:
    with running_model() as server:
        yield server


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningServer, Server]]:
    """A server that records, and its upstream."""
    folder = tmp_path_factory.mktemp("recorder")
    (folder / "pyproject.toml").touch()
    with running_model() as upstream:
        arguments = ("--record", "--upstream", upstream.url)
        with RunningServer(folder, arguments=arguments, working_folder=folder) as server:
            yield server, upstream


@contextmanager
def recording(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch, **environment: str
) -> Iterator[RunningServer]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    arguments = ("--record", "--upstream", upstream.url)
    with RunningServer(tmp_path, arguments=arguments, environment=environment) as server:
        yield server


def ask(url: str, text: str, *, on_word: Callable[[], object] = bool, **fields: Any) -> str:
    with OpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        reply = client.chat.completions.create(
            model="gpt-4o",
            messages=[{"role": "user", "content": text}],
            **fields,
        )
        if not fields.get("stream"):
            return str(reply.choices[0].message.content)
        words = []
        for chunk in reply:
            words.append(chunk.choices[0].delta.content or "")
            on_word()
        return "".join(words)


def payload(text: str) -> dict[str, Any]:
    return {"model": "gpt-4o", "messages": [{"role": "user", "content": text}]}


def the_run(tmp_path: Path) -> Recording:
    (path,) = journals(tmp_path / ".workbench" / "runs")
    return Recording(path)


def run_of(server: RunningServer, name: str) -> Recording:
    """The run that the header of its requests names."""
    paths = journals(server.log_path.parent / ".workbench" / "runs")
    (run,) = (run for run in map(Recording, paths) if run.header.name == name)
    return run


def test_a_run_is_recorded_and_replayed_without_its_upstream(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = "".join(WORDS)

    def go_on() -> None:
        if not upstream.goes_on.is_set():
            time.sleep(PAUSE_MS / 1000)
            upstream.goes_on.set()

    with recording(tmp_path, upstream, monkeypatch) as server:
        assert ask(server.url, "wait", on_word=go_on, stream=True) == heard
        assert ask(server.url, "whole") == heard
        wait_until("saved", lambda: len(list(server.fixtures.glob("*.json"))) == 2)
        upstream.asked.clear()
        assert ask(server.url, "wait") == heard
        assert upstream.asked == []
    run = the_run(tmp_path)
    assert [(e.source, e.stream) for e in run.exchanges()] == [
        ("recorded", True),
        ("recorded", False),
        ("fixture", False),
    ]
    first = run.exchange(1).outcome
    assert isinstance(first, Sent)
    assert len(first.frames) == len(WORDS) + 2
    times = [at for at, _ in first.frames]
    assert times == sorted(times)
    assert times[1] - times[0] >= PAUSE_MS - 1
    assert run.end is not None
    # What was recorded is valid, and answers what it came from.
    assert main(["validate", str(tmp_path / "fixtures"), "--strict"]) == 0
    for text in ("wait", "whole"):
        fixture = json.loads((tmp_path / "fixtures" / f"{digest(payload(text))}.json").read_text())
        assert fixture["response"]["content"] == heard
        assert fixture["workbench"] == {"source": "recorded"}
        assert fixture["request"]["messages"] == payload(text)["messages"]
    replaying = RunningServer(
        tmp_path, fixtures=tmp_path / "none", arguments=("--replay", run.header.id[:6])
    )
    with replaying as server:
        streamed = server.chat({**payload("wait"), "stream": True})
        assert streamed.body == first.body
        assert ask(server.url, "whole", stream=True) == heard
        assert ask(server.url, "wait") == heard
        with pytest.raises(
            APIStatusError, match="the recording has 3 replies for it, and all are used"
        ) as error:
            ask(server.url, "whole")
        assert error.value.status_code == 404
        assert error.value.code == "missing_reply"
        assert "restart the server to replay from the beginning" in error.value.message


def test_a_recorded_fixture_says_what_it_is_for(
    recorder: tuple[RunningServer, Server],
) -> None:
    server, _ = recorder
    ask(f"{server.url}/as/test_refund", f"refund\nthis, my key is {KEY}")
    ask(f"{server.url}/as/test_refund", "refund\nthat")
    fixtures = [json.loads(path.read_text()) for path in server.fixtures.glob("*.json")]
    descriptions = [fixture["description"] for fixture in fixtures]
    assert 'test_refund, turn 1: "refund that"' in descriptions
    assert not any(KEY in description for description in descriptions)
    (journal,) = server.fixtures.parent.rglob("*.jsonl")
    exchanges = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    assert {exchange["test"] for exchange in exchanges} == {"test_refund"}


def test_it_says_that_it_cannot_hold(recorder: tuple[RunningServer, Server]) -> None:
    server, _ = recorder
    assert server.request("GET", "/__workbench/hold").json()["possible"] is False
    refused = server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
    assert (refused.status, refused.json()["error"]["code"]) == (409, "cannot_hold")


def test_a_request_on_the_ignore_list_is_not_sent_to_the_upstream(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        server.fixtures.mkdir()
        ignored = server.fixtures / "workbench-ignore.txt"
        ignored.write_text(f"{digest(payload('no model'))} the fallback is wanted\n")
        assert ask(server.url, "no model") == FALLBACK_TEXT
        assert not list(server.fixtures.glob("*.json"))
    assert upstream.asked == []
    assert [exchange.source for exchange in the_run(tmp_path).exchanges()] == ["fallback"]


def test_a_run_answers_clients_of_another_api(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        ask(server.url, "whole")
        ask(server.url, "whole again", stream=True)
        with pytest.raises(APIStatusError):
            ask(server.url, "fail")
    arguments = ("--replay", the_run(tmp_path).header.id)
    with RunningServer(tmp_path, fixtures=tmp_path / "none", arguments=arguments) as server:
        messages = {**payload("whole"), "max_tokens": 9}
        message = server.post("/v1/messages", messages).json()
        assert message["content"] == [{"type": "text", "text": "".join(WORDS)}]
        responses = {"model": "gpt-4o", "input": "whole again", "stream": True}
        streamed = server.post("/v1/responses", responses).body.decode()
        assert "event: response.completed\n" in streamed
        failed = server.post("/v1/messages", {**payload("fail"), "max_tokens": 9})
        assert (failed.status, failed.json()["error"]["type"]) == (429, "rate_limit_error")


def test_credentials_are_sent_and_never_written(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch, WORKBENCH_UPSTREAM_KEY="") as server:
        ask(server.url, "hello")
        assert upstream.asked[-1][1]["authorization"] == f"Bearer {KEY}"
        assert ask(server.url, "tell me the key") == KEY
        said = "the recording would contain the key of the request"
        wait_until("said", lambda: said in server.log_path.read_text())
        ask(server.url, f"my key is {KEY}")
        wait_until("said", lambda: "without its request, which" in server.log_path.read_text())
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
    assert [e.position for e in the_run(tmp_path).exchanges()] == [1]
    assert len(list((tmp_path / "fixtures").glob("*.json"))) == 2
    monkeypatch.undo()
    own = "".join(WORDS[:2])  # has no known form, and the model says it
    with recording(tmp_path, upstream, monkeypatch, WORKBENCH_UPSTREAM_KEY=own) as server:
        ask(server.url, "hello again")
        sent = upstream.asked[-1][1]
        assert sent["authorization"] == f"Bearer {own.strip()}"
        assert not [name for name in sent if name.startswith("x-workbench")]
        said = "the recording would contain the key of the request"
        wait_until("said", lambda: said in server.log_path.read_text())
    assert len(list((tmp_path / "fixtures").glob("*.json"))) == 2


def test_the_key_of_the_upstream_is_sent_where_the_client_sends_its_own(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch, WORKBENCH_UPSTREAM_KEY="of-mine") as server:
        path = "/openai/deployments/gpt-4o/chat/completions"
        server.post(path, payload("hello"), {"api-key": "of-the-client"})
        sent = upstream.asked[-1][1]
    assert (sent["api-key"], "authorization" in sent) == ("of-mine", False)


def test_errors_and_broken_streams_are_passed_on_and_never_saved_as_replies(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        with pytest.raises(APIStatusError) as error:
            ask(server.url, "fail")
        assert error.value.status_code == 429
        assert error.value.response.headers["retry-after"] == "7"
        with pytest.raises((APIConnectionError, httpx2.RemoteProtocolError)):
            ask(server.url, "break", stream=True)
        wait_until("said", lambda: "broke off" in server.log_path.read_text())
        assert ": the upstream answered with 429: slow down\n" in server.log_path.read_text()
    failed, broken = the_run(tmp_path).exchanges()
    assert isinstance(failed.outcome, Sent)
    assert isinstance(broken.outcome, Sent)
    assert (failed.outcome.status, broken.outcome.is_complete) == (429, False)
    assert b"A stub" in broken.outcome.body
    assert not (tmp_path / "fixtures").exists()
    arguments = ("--replay", the_run(tmp_path).header.id)
    with RunningServer(tmp_path, arguments=arguments) as server:
        assert server.chat(payload("fail")).status == 429
        with pytest.raises(IncompleteRead) as cut:
            server.chat({**payload("break"), "stream": True})
        assert cut.value.partial == broken.outcome.body


def test_errors_before_the_answer_become_a_sequence(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, answer = digest(payload("busy")), "".join(WORDS)

    def post(server: RunningServer, test: str) -> int:
        return server.post(f"/as/{test}/v1/chat/completions", payload("busy")).status

    with recording(tmp_path, upstream, monkeypatch) as server:
        # Another test that gave up is none that tries again.
        assert [post(server, test) for test in ("other", "one", "one")] == [429, 503, 200]
        value = json.loads((server.fixtures / f"{name}.json").read_bytes())
        assert value["first"] == [{"error": {"status": 503, "message": "busy"}}]
        assert value["response"]["content"] == answer
        # The test that got the error gets it no more, also from the fixture.
        assert post(server, "one") == 200
        assert [post(server, "two") for _ in range(2)] == [503, 200]
        assert len(upstream.asked) == 3


def test_the_time_to_wait_is_recorded_with_an_error(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        assert [server.chat(payload("busy")).status for _ in range(4)] == [429, 503, 200, 200]
        value = json.loads((server.fixtures / f"{digest(payload('busy'))}.json").read_bytes())
    # Its recording has each reply, in order.
    arguments = ("--replay", the_run(tmp_path).header.id)
    with RunningServer(tmp_path, arguments=arguments) as server:
        assert [server.chat(payload("busy")).status for _ in range(3)] == [429, 503, 200]
    first, second = value["first"]
    assert first == {"error": {"status": 429, "message": "busy", "retry_after": 7}}
    assert second["error"]["status"] == 503


def test_what_is_no_reply_of_the_api_is_passed_on_and_no_fixture(
    recorder: tuple[RunningServer, Server],
) -> None:
    server, _ = recorder
    asked = payload("no reply")
    reply = server.chat(asked)
    assert (reply.status, json.loads(reply.body)) == (200, {"hello": "world"})
    told = f"no fixture saved for {short(digest(asked))}: "
    wait_until("said", lambda: told in server.log_path.read_text())


def test_a_reason_for_the_end_in_each_chunk_ends_no_recording(tmp_path: Path) -> None:
    """As earlier models of Gemini give one."""

    def answer(client: socket.socket, _: bytes) -> None:
        client.sendall(CHUNKED_STREAM)
        for word in WORDS:
            candidate = {"content": {"parts": [{"text": word}]}, "finishReason": "STOP"}
            data = f"data: {json.dumps({'candidates': [candidate]})}\r\n\r\n".encode()
            client.sendall(chunk(data))
            time.sleep(0.02)
        client.sendall(chunk(b""))

    (tmp_path / "pyproject.toml").touch()
    with ScriptedServer(answer) as upstream:
        arguments = ("--record", "--upstream", upstream.url)
        with RunningServer(tmp_path, arguments=arguments, working_folder=tmp_path) as server:
            path = "/v1beta/models/gemini-1.5-pro:streamGenerateContent?alt=sse"
            body = json.dumps({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]})
            reply = server.request("POST", path, body.encode(), {"x-goog-api-key": KEY})
            (fixture,) = server.fixtures.iterdir()
    assert reply.body.count(b"data: ") == len(WORDS)
    assert json.loads(fixture.read_bytes())["response"]["content"] == "".join(WORDS)


def test_a_reply_that_the_end_of_the_server_cuts_short_is_kept_in_its_run(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        ask(server.url, "before")
        with contextlib.closing(server.connect()) as connection:
            body = json.dumps({**payload("wait"), "stream": True})
            connection.request("POST", "/v1/chat/completions", body)
            assert connection.getresponse().read1(10)
            server.process.terminate()
            server.process.wait(PATIENCE_SECONDS)
    run = the_run(tmp_path)
    outcomes = [exchange.outcome for exchange in run.exchanges()]
    assert [isinstance(sent, Sent) and sent.is_complete for sent in outcomes] == [True, False]
    assert run.end is not None


def test_a_client_that_leaves_a_stream_ends_it(recorder: tuple[RunningServer, Server]) -> None:
    server, _ = recorder
    asked = {**payload("wait"), "stream": True}
    before = server.log_size()
    with contextlib.closing(server.connect()) as connection:
        headers = {"X-Workbench-Run": "left"}
        connection.request("POST", "/v1/chat/completions", json.dumps(asked), headers)
        with connection.getresponse() as reply:
            assert reply.read1(10)
    path = "/__workbench/exchanges"

    def kept() -> list[str]:
        found = server.request("GET", path).json()
        return [each["source"] for each in found if each["digest"] == digest(asked)]

    wait_until("kept", kept)
    assert kept() == ["recorded"]
    (exchange,) = run_of(server, "left").exchanges()
    assert isinstance(exchange.outcome, Sent)
    assert not exchange.outcome.is_complete
    assert "Traceback" not in server.log(before)
    assert (
        f"no fixture saved for {short(digest(asked))}: the client closed the connection before"
        in server.log(before)
    )
    assert not (server.fixtures / f"{digest(asked)}.json").exists()


def test_an_upstream_that_is_not_there_is_a_clear_error(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        upstream.shutdown()
        upstream.server_close()
        with pytest.raises(APIStatusError, match=f"127.0.0.1:{upstream.server_port}: ") as error:
            ask(server.url, "hello")
        assert (error.value.status_code, error.value.code) == (502, "upstream_failed")


def test_a_request_that_no_journal_can_hold_is_answered_all_the_same(
    recorder: tuple[RunningServer, Server],
) -> None:
    """NaN, which Python's clients send and JSON has not."""
    server, _ = recorder
    before = server.log_size()
    headers = {"X-Workbench-Run": "not a number"}
    reply = server.chat(payload("weather?") | {"temperature": float("nan")}, headers)
    assert (reply.status, reply.content) == (200, "".join(WORDS))
    assert reply.headers["x-workbench-not-recorded"].startswith("not a JSON value: ")
    assert ask(server.url, "another?", extra_headers=headers)
    assert "[mock-llm] exchange not recorded: not a JSON value: " in server.log(before)
    assert [e.position for e in run_of(server, "not a number").exchanges()] == [1]


def test_a_run_that_cannot_be_written_is_told_to_its_clients(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recording(tmp_path, upstream, monkeypatch) as server:
        (tmp_path / ".workbench" / "runs").touch()
        path = digest(payload("hello"))
        for said in (f"recorded fixture {path}", f"served fixture {path}"):
            reply = server.chat(payload("hello"))
            assert (reply.status, reply.content) == (200, "".join(WORDS))
            assert "it is a file" in reply.headers["x-workbench-not-recorded"]
            assert said in server.log()
        assert server.log().count("exchange not recorded: [Errno 20] it is a file") == 2


def test_a_file_that_is_there_already_is_kept(recorder: tuple[RunningServer, Server]) -> None:
    server, _ = recorder
    asked = payload("a broken file")
    path = server.write_fixture(digest(asked), b"{")
    before = server.log_size()
    reply = server.chat(asked)
    assert reply.content == "".join(WORDS)
    assert reply.headers["x-workbench-not-recorded"].endswith(": the request has a fixture already")
    assert reply.headers["x-workbench-not-recorded"] in server.log(before)
    assert path.read_text() == "{"


def test_a_request_that_differs_in_its_tools_becomes_a_variant(
    recorder: tuple[RunningServer, Server],
) -> None:
    server, upstream = recorder
    asked = payload("variants?")
    offering = {**asked, "tools": [{"type": "function", "function": {"name": "f"}}]}
    own = {"response": {"content": "with tools"}, "request": offering, "_comment": "kept"}
    server.write_fixture(digest(asked), own)
    before = len(upstream.asked)
    heard = "".join(WORDS)
    said = [server.chat(request).content for request in (asked, asked, offering)]
    assert (said, len(upstream.asked) - before) == ([heard, heard, "with tools"], 1)
    assert json.loads((server.fixtures / f"{digest(asked)}.json").read_text()) == own
    name = variant_name(digest(asked), view(asked))
    variant = json.loads((server.fixtures / f"{name}.json").read_text())
    assert (variant["request"], variant["response"]["content"]) == (asked, heard)


def test_a_web_page_cannot_spend_the_key(recorder: tuple[RunningServer, Server]) -> None:
    server, upstream = recorder
    before = len(upstream.asked)
    for method, body in (("POST", json.dumps(payload("x"))), ("OPTIONS", None)):
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        headers = {"Origin": "https://evil.example", "Content-Type": "application/json"}
        connection.request(method, "/v1/chat/completions", body, headers)
        assert connection.getresponse().status == 403
        connection.close()
    assert len(upstream.asked) == before


def test_nodes_and_runs_are_told_apart_by_their_headers(
    tmp_path: Path, recorder: tuple[RunningServer, Server]
) -> None:
    server, _ = recorder
    calls = [("a", "planner"), ("b", "planner"), ("a", "critic"), ("a", "planner")]
    for number, (run, node) in enumerate(calls):
        headers = {"X-Workbench-Run": run, "X-Workbench-Node": node}
        ask(server.url, f"{run} {node} {number}", extra_headers=headers)
    assert [(e.position, e.node, e.call) for e in run_of(server, "a").exchanges()] == [
        (1, "planner", 1),
        (2, "critic", 1),
        (3, "planner", 2),
    ]
    b = run_of(server, "b")
    assert len(b) == 1
    assert os.stat(b.path.parent).st_mode & 0o077 == 0
    arguments = ("--replay", str(b.path))
    with RunningServer(tmp_path, fixtures=tmp_path / "none", arguments=arguments) as replaying:
        with pytest.raises(
            APIStatusError, match="Send the name of the node in the header X-Workbench-Node"
        ):
            ask(replaying.url, "b planner 1")
        headers = {"X-Workbench-Node": "critic"}
        with pytest.raises(
            APIStatusError, match="critic, call 1: the recording has no such call"
        ) as caught:
            ask(replaying.url, "b planner 1", extra_headers=headers)
        assert "X-Workbench-Node" not in str(caught.value)
        headers = {"X-Workbench-Node": "planner"}
        assert ask(replaying.url, "b planner 1", extra_headers=headers) == "".join(WORDS)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--record"], "--record needs --upstream URL"),
        (["--upstream", "http://x"], "--upstream URL needs --record"),
        (["--record", "--upstream", "x"], "'x' is not a URL such as https"),
        (["--record", "--upstream", "http://a:b@c"], "put the key into WORKBENCH_UPSTREAM_KEY"),
        (
            ["--record", "--upstream", "http://x", "--hold"],
            "--record cannot be used with --hold",
        ),
        (["--replay", "r", "--strict"], "--replay cannot be used with --strict"),
        (["--replay", "nothing"], "there is no recording 'nothing' in "),
    ],
)
def test_wrong_use_is_told(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--port", "0", *arguments]) == 2
    assert reason in capfd.readouterr().err


def test_a_run_with_a_name_that_no_file_can_have_is_told(tmp_path: Path) -> None:
    done = run_forked("serve", "--port", "0", "--replay", "nothing@" + "9" * 5000, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    # Before Python 3.14 the name is too long, since then there is no such run.
    assert re.search(rb"9: file name too long\n$|no recording 'nothing@9+' in .*\n$", done.stderr)


SAID = {
    "reasoning": "They should not ask.",
    "refusal": "I cannot say.",
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 8,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 6},
    },
}


def test_a_recorded_reply_says_all_that_the_upstream_said(tmp_path: Path) -> None:
    questions = [
        {**payload(text), "stream": stream, "stream_options": {"include_usage": True}}
        for text, stream in (("a secret", False), ("a secret, streamed", True))
    ]
    (tmp_path / "pyproject.toml").touch()
    profile = ("--profile", "openai")
    with RunningServer(tmp_path, fixtures=tmp_path / "upstream", arguments=profile) as upstream:
        for asked in questions:
            upstream.write_fixture(digest(asked), {"response": SAID})
        arguments = (*profile, "--record", "--upstream", f"{upstream.url}/v1")
        folder = tmp_path / "recording"
        folder.mkdir()
        with RunningServer(folder, arguments=arguments, working_folder=tmp_path) as server:
            for asked in questions:
                relayed, again = (without_time(server.chat(asked).body) for _ in range(2))
                assert f"] served fixture {digest(asked)}" in server.log()
                assert relayed == again
                saved = (folder / "fixtures" / f"{digest(asked)}.json").read_text("utf-8")
                expected = {"content": "", "finish_reason": "stop", **SAID}
                assert json.loads(saved)["response"] == expected


def test_what_a_fixture_cannot_hold_is_named_in_the_log(
    recorder: tuple[RunningServer, Server],
) -> None:
    server, _ = recorder
    ask(server.url, "cite")
    said = "without annotations of the reply, which a fixture cannot contain\n"
    wait_until("a note", lambda: said in server.log())
