"""``workbench drift``."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.cli.running import Project
from tests.scripted_server import ScriptedServer, reply
from tests.server.running import PATIENCE_SECONDS, wait_until
from tests.server.upstream_model import KEY
from tests.session.answers.test_drift import body_of
from tests.session.support import chat, tool
from workbench.core.apis.paths import target
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

TEXT = {"content": "Rain.", "finish_reason": "stop"}
CALL = {
    "content": "",
    "tool_calls": [
        {
            "index": 0,
            "id": "call_1",
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
        }
    ],
    "finish_reason": "tool_calls",
}
SCHEMA = tool()["function"]["parameters"]
# One request of each API that offers the same tool.
REQUESTS: dict[str, dict[str, Any]] = {
    "chat": chat("weather?", tools=[tool()]),
    "responses": {
        "api": "responses",
        "model": "gpt-4o",
        "input": "weather?",
        "tools": [{"type": "function", "name": "get_weather", "parameters": SCHEMA}],
    },
    "messages": {
        "api": "messages",
        "model": "claude-x",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": "weather?"}],
        "tools": [{"name": "get_weather", "input_schema": SCHEMA}],
    },
    "gemini": {
        "api": "gemini",
        "model": "gemini-x",
        "contents": [{"role": "user", "parts": [{"text": "weather?"}]}],
        "tools": [{"functionDeclarations": [{"name": "get_weather", "parameters": SCHEMA}]}],
    },
}


def keep(project: Project, payload: dict[str, Any], response: dict[str, Any]) -> str:
    """Write a fixture that stores its request; returns its digest."""
    project.fixtures.mkdir(exist_ok=True)
    found = view(payload).digest
    text = new_document(found, response, request=payload).text
    (project.fixtures / f"{found}.json").write_text(text)
    return found


@contextmanager
def model(answers: dict[str, bytes]) -> Iterator[ScriptedServer]:
    """The real model: what it answers by the path it is asked at."""

    def answer(client: socket.socket, request: bytes) -> None:
        path = request.split()[1].decode()
        client.sendall(reply(answers[path]))

    with ScriptedServer(answer) as server:
        yield server


@pytest.mark.parametrize("api", REQUESTS)
def test_every_api_is_asked_again(
    project: Project, monkeypatch: pytest.MonkeyPatch, api: str
) -> None:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", KEY)
    payload = REQUESTS[api]
    found = keep(project, payload, CALL)
    before = (project.fixtures / f"{found}.json").read_bytes()
    path, _, body = target(payload)
    answers = {path: body_of(payload, CALL)}
    with model(answers) as upstream:
        ran = project.run("drift", "--upstream", upstream.url, "--format", "json")
        assert (ran.code, ran.err) == (0, "workbench drift: note: 1 fixture: 1 same\n")
        answers[path] = body_of(payload, TEXT)
        drifted = project.run("drift", "--upstream", upstream.url, found[:9], "--format", "json")
    (row,) = ran.rows
    assert (row["digest"], row["state"], row["differences"]) == (found, "same", [])
    assert drifted.code == 1
    assert drifted.rows[0]["differences"] == [
        {"what": "tools", "before": "get_weather", "after": "none"},
        {"what": "finish reason", "before": "tool_calls", "after": "stop"},
    ]
    head, _, sent = upstream.requests[0].partition(b"\r\n\r\n")
    assert KEY.encode() in head
    assert json.loads(sent) == body
    assert (project.fixtures / f"{found}.json").read_bytes() == before
    written = [one.read_bytes() for one in project.folder.rglob("*") if one.is_file()]
    assert not any(KEY.encode() in data for data in written)


def test_a_line_for_each_reply_and_difference(project: Project) -> None:
    drifted = keep(project, chat("a\x1b[2Jb", tools=[tool()]), CALL)
    bare = digest(chat("bare"))
    (project.fixtures / f"{bare}.json").write_text(new_document(bare, TEXT).text)
    with model({"/chat/completions": body_of(chat(), TEXT)}) as upstream:
        ran = project.run("drift", "--upstream", upstream.url)
    assert ran.code == 1
    assert ran.err == "workbench drift: note: 2 fixtures: 1 drifted, 1 skipped\n"
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert f"drifted {drifted[:12]} gpt-4o a\\x1b[2Jb" in lines
    at = lines.index(f"skipped {bare[:12]}")
    assert lines[at + 1] == "it stores no request; add the request with workbench adopt"
    assert "finish reason: tool_calls -> stop" in lines


def test_a_model_that_does_not_answer_is_no_drift(project: Project) -> None:
    keep(project, chat(), TEXT)
    with model({"/chat/completions": b'{"error": {"message": "[red]slow down\\u001b[0m"}}'}) as up:
        ran = project.run("drift", "--upstream", up.url)
    assert (ran.code, ran.err) == (1, "workbench drift: note: 1 fixture: 1 failed\n")
    assert "[red]slow down" in ran.out
    assert "\x1b" not in ran.out


def test_wrong_use(project: Project) -> None:
    keep(project, chat(), TEXT)
    for arguments, words in (
        ([], "needs --upstream URL"),
        (["--upstream", "http://127.0.0.1:9/v1", "beef"], "begins with beef"),
        (["--upstream", "http://127.0.0.1:9/v1", "--jobs", "0"], "--jobs must be at least 1"),
        (["--upstream", "nonsense"], "is not a URL"),
        (["--upstream", "http://127.0.0.1:9/v1", "--fixtures", "none"], "none does not exist"),
    ):
        ran = project.run("drift", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err


def test_the_settings_may_name_the_upstream(project: Project) -> None:
    keep(project, chat(), TEXT)
    with model({"/v1/chat/completions": body_of(chat(), TEXT)}) as upstream:
        project.settings(f'upstream = "{upstream.url}/v1"')
        assert project.run("drift").code == 0


def test_what_came_before_ctrl_c_is_printed(project: Project) -> None:
    digests = sorted(keep(project, chat(text), TEXT) for text in ("one", "two"))
    ended = threading.Event()

    def answer(client: socket.socket, _: bytes) -> None:
        if len(server.requests) > 1:
            ended.wait(PATIENCE_SECONDS)
        client.sendall(reply(body_of(chat(), TEXT)))

    with ScriptedServer(answer) as server:
        words = ["drift", "--upstream", server.url, "--jobs", "1"]
        with subprocess.Popen(
            [sys.executable, "-m", "workbench", *words],
            cwd=project.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            wait_until("the second request", lambda: len(server.requests) == 2)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
            ended.set()
    assert (process.returncode, err) == (130, "workbench drift: note: 2 fixtures: 1 same\n")
    assert out.startswith(f"same     {digests[0][:12]}")
