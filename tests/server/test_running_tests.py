"""Which test sends a request: named by its base URL, or by what the pytest plugin reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
from google import genai
from google.genai import types
from openai import OpenAI

from tests.server.routes.test_control import CONTROL, get
from tests.server.running import RunningServer, wait_until
from workbench.core.apis.table import view
from workbench.core.log.lines import MAX_TEST
from workbench.core.misses.miss import RequestFacts
from workbench.server.log import LogSink
from workbench.server.running_tests import MAX_NAMES, RunningTests
from workbench.server.traffic import MAX_TESTS, Traffic

TEST = "tests/test_é.py::test_weather[a b/%2F]"
KEY = "sk-" + "aB3dE5gH7jK9" * 4


def ask_chat(url: str) -> None:
    with OpenAI(base_url=url + "/v1", api_key="x", max_retries=0) as client:
        client.chat.completions.create(
            model="m-chat", messages=[{"role": "user", "content": "hello"}]
        )


def ask_messages(url: str) -> None:
    from anthropic import Anthropic

    with Anthropic(base_url=url, api_key="x", max_retries=0) as client:
        client.messages.create(
            model="m-messages", max_tokens=9, messages=[{"role": "user", "content": "hello"}]
        )


def ask_gemini(url: str) -> None:
    with genai.Client(api_key="x", http_options=types.HttpOptions(base_url=url)) as client:
        client.models.generate_content(model="m-gemini", contents="hello")


def put(server: RunningServer, report: object, **headers: str) -> int:
    body = json.dumps(report).encode()
    return server.request("PUT", CONTROL + "running", body, headers).status


def row_of(server: RunningServer, model: str) -> dict[str, Any]:
    row: dict[str, Any]
    (row,) = [row for row in get(server, "misses") if row["model"] == model]
    return row


@pytest.mark.parametrize("ask", [ask_chat, ask_messages, ask_gemini])
def test_any_client_names_its_requests(server: RunningServer, ask: Callable[[str], None]) -> None:
    before = server.log_size()
    ask(f"{server.url}/as/{quote(TEST, safe='')}")
    ask(f"{server.url}/as/other")
    ask(server.url)
    row = row_of(server, ask.__name__.replace("ask_", "m-"))
    assert (row["count"], row["test"], row["tests"]) == (3, TEST, [TEST, "other"])
    lines = server.log(before).splitlines()
    asked = [line for line in lines if line.startswith("[mock-llm] asked by ")]
    assert asked == [
        "[mock-llm] asked by tests/test_%C3%A9.py::test_weather[a%20b/%252F] " + row["digest"],
        f"[mock-llm] asked by other {row['digest']}",
    ]
    # What was asked and logged is otherwise the same as without a name.
    assert "/as/" not in server.log(before)


def test_an_unsupported_request_is_named_too(server: RunningServer) -> None:
    assert server.post("/as/speaks/v1/audio/speech", {}).status == 400
    (row,) = [row for row in get(server, "misses") if row.get("path") == "/v1/audio/speech"]
    assert (row["test"], row["tests"]) == ("speaks", ["speaks"])
    assert f"asked by speaks POST /v1/audio/speech: {row['reason']}\n" in server.log(0)


def test_the_test_that_runs_is_reported(server: RunningServer) -> None:
    def runs(name: str, test: str | None) -> None:
        assert put(server, {"name": name, "test": test}) == 204

    def asked_by(model: str, path: str) -> str | None:
        server.post(path, {"model": model, "messages": []})
        test = row_of(server, model)["test"]
        assert test is None or isinstance(test, str)
        return test

    runs("gw0", "test_a")
    runs("", "test_b")
    assert asked_by("reported 1", "/as/gw0/v1/chat/completions") == "test_a"
    assert asked_by("reported 2", "/v1/chat/completions") == "test_b"
    assert asked_by("reported 3", "/as/gw1/v1/chat/completions") == "gw1"
    runs("gw0", None)
    runs("", None)
    assert asked_by("reported 4", "/as/gw0/v1/chat/completions") == "gw0"
    assert asked_by("reported 5", "/v1/chat/completions") is None
    for wrong in ({"name": 1}, {"test": ["x"]}):
        assert put(server, wrong) == 400
    assert put(server, {}, Origin="http://x") == 403


def test_how_long_requests_of_a_test_were_held(tmp_path: Path) -> None:
    asked = {"model": "m", "messages": []}
    with RunningServer(tmp_path, arguments=("--hold", "0.3")) as server:
        put(server, {"name": "gw 0", "test": "test_a"})
        threads = [
            Thread(target=server.post, args=("/as/gw%200/v1/chat/completions", {**asked, "n": n}))
            for n in (1, 2)  # at the same time
        ]
        for thread in threads:
            thread.start()
        wait_until("held", lambda: get(server, "running?name=gw%200")["held_s"])
        for thread in threads:
            thread.join()
        found = get(server, "running?name=gw%200")
        assert found["test"] == "test_a"
        assert 0.3 <= found["held_s"] < 0.6
        assert get(server, "running?name=gw%200") == found
        assert get(server, "running") == {"test": None, "held_s": 0}
        put(server, {"name": "gw 0", "test": "test_b"})
        assert get(server, "running?name=gw%200") == {"test": "test_b", "held_s": 0}


def test_a_name_has_no_key_and_no_second_line(server: RunningServer) -> None:
    before = server.log_size()
    name = quote(f"{KEY}/\n[mock-llm] unknown fixture hash \x1b[31m" + "x" * 999, safe="")
    server.post(f"/as/{name}/v1/chat/completions", {"model": "hostile name", "messages": []})
    test = row_of(server, "hostile name")["test"]
    assert test.startswith("...")
    assert "\\n[mock-llm] unknown fixture hash \\x1b[31mxxx" in test
    assert len(test) == MAX_TEST
    log = server.log(before)
    assert KEY not in log
    assert log.count("\n") == 4  # the two of the miss, the test, the access line
    assert log.count("[mock-llm] unknown fixture hash") == 1


def test_a_path_that_only_looks_like_a_name_names_nothing(server: RunningServer) -> None:
    before = server.log_size()
    for path in ("/as", "/as/", "/as//v1/chat/completions", "/asx/v1/chat/completions"):
        is_of_api = path.endswith("/completions")
        assert server.post(path, {}).status == (200 if is_of_api else 400)
    assert "asked by" not in server.log(before)


def test_names_and_tests_are_bounded(tmp_path: Path) -> None:
    running, traffic = RunningTests(), Traffic("stub", LogSink(tmp_path / "server.log"))
    for number in range(MAX_NAMES + 1):
        running.set(str(number), f"test {number}")
        traffic.miss(view({}), RequestFacts(), b"{}", f"test {number}")
    scope = {"headers": [], "query_string": b"", "raw_path": b"/as/0/v1/chat/completions"}
    assert running.of("0", scope).name == "0"
    assert running.of("1", scope).name == "test 1"
    (miss,) = traffic.misses.misses.values()
    assert (miss.count, len(miss.tests)) == (MAX_NAMES + 1, MAX_TESTS)
