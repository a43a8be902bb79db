"""Requests to paths that the server does not speak: none goes unseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import OpenAI

from tests.recorded import write_recording
from tests.server.routes.test_control import CONTROL, get, next_event
from tests.server.running import RunningServer
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.server import traffic
from workbench.server.log import LogSink

KEY = "sk-" + "aB3dE5gH7jK9" * 4
MULTIPART = {"Content-Type": "multipart/form-data; boundary=x"}


def rows(server: RunningServer, path: str) -> list[dict[str, Any]]:
    """What the control API lists of a path."""
    return [row for row in get(server, "misses") if row.get("path") == path]


def log_of(server: RunningServer, before: int) -> list[str]:
    lines = server.log(before).splitlines()
    return [line for line in lines if line.startswith("[mock-llm] ")]


def test_it_is_logged_and_listed(server: RunningServer) -> None:
    before = server.log_size()
    for _ in range(2):
        reply = server.post("/v1/images/generations", {"input": "hi"})
        assert (reply.status, reply.json()["error"]["code"]) == (400, "unsupported_request")
    reason = "this server does not support images"
    line = f"[mock-llm] unsupported request POST /v1/images/generations: {reason}"
    assert log_of(server, before) == [line, line]
    (row,) = rows(server, "/v1/images/generations")
    first_seen, last_seen = row.pop("first_seen"), row.pop("last_seen")
    assert len(first_seen) == len("2026-11-20T10:09:22")
    assert first_seen <= last_seen
    assert row == {
        "digest": None,
        "state": "unsupported",
        "count": 2,
        "run": 1,
        "api": None,
        "turn": None,
        "conversation": None,
        "tests": [],
        "hosts": [],
        "test": None,
        "method": "POST",
        "path": "/v1/images/generations",
        "reason": reason,
        "advice": ["stub this call in your test, or point it at another server"],
        "model": None,
        "last_user_text": None,
        "has_dump": False,
        "ignored": False,
        "held": False,
        "variants": 0,
    }


def test_one_on_the_ignore_list_says_so(server: RunningServer) -> None:
    server.post("/v1/vector_stores", {})
    server.fixtures.mkdir(exist_ok=True)
    ignore = server.fixtures / "workbench-ignore.txt"
    ignore.write_text("POST /v1/vector_stores does no harm\n")
    assert [row["ignored"] for row in rows(server, "/v1/vector_stores")] == [True]
    ignore.unlink()
    assert [row["ignored"] for row in rows(server, "/v1/vector_stores")] == [False]


def test_each_is_an_event(server: RunningServer) -> None:
    connection = server.connect()
    connection.request("GET", CONTROL + "events")
    reply = connection.getresponse()
    next_event(reply)
    server.post("/v1/rerank", {})
    kind, event = next_event(reply)
    assert (kind, event) == ("unsupported", rows(server, "/v1/rerank")[0])
    connection.close()


def test_the_query_is_not_in_its_line(server: RunningServer) -> None:
    before = server.log_size()
    server.post("/v1beta/models/gemini-2.5-flash:embedContent?key=AIza-secret", {})
    (line,) = log_of(server, before)
    assert line.split(": ")[0].endswith(" POST /v1beta/models/gemini-2.5-flash:embedContent")
    assert "secret" not in line


def test_what_the_workbench_asks_is_not_logged(server: RunningServer) -> None:
    before = server.log_size()
    assert server.post("/v1/verified", {}, {"X-Workbench-Verify": "1"}).status == 400
    assert log_of(server, before) == []
    assert rows(server, "/v1/verified") == []


def test_a_body_that_is_no_json_does_not_hide_it(server: RunningServer) -> None:
    before = server.log_size()
    reply = server.request("POST", "/v1/audio/transcriptions", b"--x" * 100_000, MULTIPART)
    assert (reply.status, len(log_of(server, before))) == (400, 1)


@pytest.mark.parametrize(
    ("method", "path", "content_type", "body", "status", "reason"),
    [
        ("POST", "/v1/messages", "text/plain", b"hi", 415, "the content type is 'text/plain'"),
        ("POST", "/v1/chat/completions", "application/json", b"\xff", 400, "the body is not UTF-8"),
        ("POST", "/v1/embeddings", "application/json", b"[]", 400, "the body is a list"),
        ("PUT", "/v1/models", "application/json", b"{}", 405, "/v1/models takes GET, HEAD"),
        ("GET", "/v1/chat/completions", "", b"", 405, "/v1/chat/completions takes POST, not GET"),
    ],
)
def test_a_request_that_is_refused_is_listed(
    server: RunningServer,
    method: str,
    path: str,
    content_type: str,
    body: bytes,
    status: int,
    reason: str,
) -> None:
    reply = server.request(method, path, body, {"Content-Type": content_type})
    assert reply.status == status
    row = rows(server, path)[-1]
    assert (row["state"], row["method"]) == ("unsupported", method)
    assert row["reason"].startswith(reason)
    assert "base URL" not in str(row["advice"])


def test_what_no_client_of_an_api_sends_is_not_listed(server: RunningServer) -> None:
    before = server.log_size()
    assert server.request("HEAD", "/v1/chat/completions").status == 405
    assert server.request("GET", "/favicon.ico").status == 404
    assert all(line.startswith("[mock-llm] refused ") for line in log_of(server, before))
    assert rows(server, "/favicon.ico") == []


@pytest.mark.parametrize("option", ["--strict", "--hold", "--profile=openai"])
def test_however_the_server_was_started(tmp_path: Path, option: str) -> None:
    with RunningServer(tmp_path, arguments=(option,)) as server:
        assert server.post("/v1/rerank", {"query": "hi"}).status == 400
        assert rows(server, "/v1/rerank")
        assert get(server, "held") == []


def test_a_server_that_replays_says_it_too(tmp_path: Path) -> None:
    run = write_recording(tmp_path, "recorded")
    with RunningServer(tmp_path, arguments=("--replay", str(run))) as server:
        assert server.post("/v1/messages/batches", {}).json()["type"] == "error"
        assert rows(server, "/v1/messages/batches")


def test_very_many_paths_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "MAX_UNSUPPORTED", 3)
    kept = traffic.Traffic("stub", LogSink(tmp_path / "server.log"))
    for number in range(5):
        asked = UnsupportedRequest.of("POST", f"/v1/{number}")
        assert asked is not None
        kept.unsupported(asked, "")
    paths = [miss.unsupported and miss.unsupported.path for miss in kept.misses.rows.values()]
    assert paths == ["/v1/2", "/v1/3", "/v1/4"]


# Real clients


@pytest.fixture(scope="module")
def retrying(server: RunningServer) -> Iterator[OpenAI]:
    """The official client as it comes: it tries again what may succeed the next time."""
    with OpenAI(base_url=server.url + "/v1", api_key="none") as client:
        yield client


def test_the_official_client_is_told_the_switch_and_does_not_try_again(
    server: RunningServer, retrying: OpenAI
) -> None:
    before = server.log_size()
    with pytest.raises(openai.BadRequestError) as caught:
        retrying.completions.create(model="gpt-4o", prompt="hi")
    assert caught.value.code == "unsupported_request"
    assert "POST /v1/completions" in caught.value.message
    assert "client.chat.completions.create()" in caught.value.message
    assert len(log_of(server, before)) == 1


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", f"/{KEY}/v1/chat/completions", 400),
        ("GET", f"/{KEY}", 404),
        ("DELETE", f"/v1/models/{KEY}", 405),
        ("GET", f"/v1/models/{KEY}", 200),
    ],
)
def test_a_key_in_the_path_is_written_nowhere(
    server: RunningServer, method: str, path: str, status: int
) -> None:
    before = server.log_size()
    reply = server.request(method, path)
    assert reply.status == status
    shown = path.replace(KEY, "...")
    assert f'"{method} {shown} HTTP/1.1" {status}' in server.log(before)
    assert KEY not in server.log(before)
    assert not any(KEY in str(row) for row in get(server, "misses"))
