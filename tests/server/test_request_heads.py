"""Requests to the hosts of APIs, as the proxy of ``workbench run --intercept`` hands them on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.server.routes.test_control import get
from tests.server.running import RunningServer
from workbench.core.control_api import CLIENT_HEADER
from workbench.core.digest import digest
from workbench.core.log.lines import NOT_LISTED

HELLO = {"model": "llama", "messages": [{"role": "user", "content": "hello"}]}
CHAT = "/openai/v1/chat/completions"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[tool.workbench]\nintercept_hosts = ["llm.example"]\n')
    with RunningServer(tmp_path, working_folder=folder) as server:
        yield server


def rows(server: RunningServer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = get(server, "misses")
    return found


def test_the_hosts_of_a_miss_are_told(server: RunningServer) -> None:
    for host in ("api.groq.com", "api.groq.com:443", "LLM.example", "api.openai.com", "other"):
        server.post(CHAT, HELLO, {"Host": host})
    (row,) = rows(server)
    assert (row["count"], row["hosts"]) == (5, ["api.groq.com", "llm.example"])
    log = server.log()
    assert log.count("] sent to ") == 3
    assert f"[mock-llm] sent to https://llm.example {digest(HELLO)}\n" in log
    assert f'"POST https://api.groq.com{CHAT} HTTP/1.1" 200 -\n' in log
    assert log.count(f'"POST {CHAT} HTTP/1.1" 200 -\n') == 2


def test_an_unsupported_request_is_listed_with_its_host(server: RunningServer) -> None:
    for host in ("api.openai.com", "api.groq.com"):
        reply = server.post("/v1/audio/speech", {}, {"Host": host})
        assert reply.status == 400
        said = f" workbench run --intercept answers requests to {host}."
        assert reply.json()["error"]["message"].endswith(said)
    assert {row["path"] for row in rows(server)} == {
        "/v1/audio/speech",
        "https://api.groq.com/v1/audio/speech",
    }


def test_a_refusal_says_who_answers(server: RunningServer) -> None:
    headers = {"Host": "api.groq.com", "Content-Type": "text/plain"}
    reply = server.request("POST", CHAT, b"hi", headers)
    assert reply.status == 415
    assert b"workbench run --intercept answers requests to api.groq.com." in reply.body
    assert b"--intercept" not in server.request("POST", CHAT, b"hi", headers | {"Host": "a"}).body


@pytest.mark.parametrize("path", ["/api/v2/telemetry", "/api/event_logging/batch", "/v1/traces"])
def test_what_is_no_path_of_an_api_is_refused_and_not_listed(
    server: RunningServer, path: str
) -> None:
    assert server.post(path, {}, {"Host": "api.anthropic.com"}).status == 404
    assert f"{path} HTTP/1.1: {NOT_LISTED}\n" in server.log()
    assert rows(server) == []


def test_such_a_path_is_listed_if_no_host_of_an_api_was_asked(server: RunningServer) -> None:
    assert server.post("/v1/traces", {}).status == 400
    assert [row["path"] for row in rows(server)] == ["/v1/traces"]


def test_the_control_api_is_not_asked_by_that_way(server: RunningServer) -> None:
    for path in ("/__workbench/misses", "/as/x/__workbench/misses"):
        assert server.request("GET", path, headers={"Host": "api.openai.com"}).status == 403


def test_the_first_request_names_those_of_its_connection(server: RunningServer) -> None:
    report = {"name": "gw 1", "test": "test_a.py::test_b"}
    body = json.dumps(report).encode()
    server.request("PUT", "/__workbench/running", body, {"Content-Type": "application/json"})
    with closing(server.connect()) as connection:
        for number, headers in enumerate(({CLIENT_HEADER: "gw%201"}, {})):
            payload = json.dumps({**HELLO, "model": f"m{number}"})
            headers = {**headers, "Content-Type": "application/json", "Host": "api.openai.com"}
            connection.request("POST", CHAT, payload, headers)
            connection.getresponse().read()
    server.post(CHAT, HELLO)
    tests = {row["model"]: row["tests"] for row in rows(server)}
    assert tests == {"m0": ["test_a.py::test_b"], "m1": ["test_a.py::test_b"], "llama": []}
