"""The plugin reports to the server of ``workbench run`` which test is running."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.routes.test_control import get
from tests.server.running import RunningServer
from tests.testing.plugin.test_plugin import PLUGINS
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.io.processes.client_environment import client_environment

pytest_plugins = ["pytester"]

# One client for all tests, made when the conftest is loaded: it knows no test.
ASKING = """
import json, os, urllib.request
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"

def ask(model):
    body = json.dumps({"model": model, "messages": []}).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    urllib.request.urlopen(request).close()
"""
TESTS = """
import pytest
from conftest import ask

@pytest.mark.parametrize("model", ["one two", "é"])
def test_asks(model):
    ask(model)

def test_asks_too():
    ask("é")
"""


@pytest.mark.parametrize("workers", [[], ["-n", "1"]], ids=["one", "xdist"])
def test_a_running_test_is_known_to_the_server(
    pytester: pytest.Pytester,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers: list[str],
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this test itself
    pytester.makeconftest(ASKING)
    pytester.makepyfile(test_agent=TESTS)
    with RunningServer(tmp_path) as server:
        for name, value in client_environment(server.url, {}).items():
            monkeypatch.setenv(name, value)
        pytester.runpytest_subprocess(*PLUGINS, *workers).assert_outcomes(passed=3)
        server.chat({"model": "after", "messages": []})
        rows = {row["model"]: row["tests"] for row in get(server, "misses")}
    assert set(rows.pop("\xe9")) == {
        "test_agent.py::test_asks[\\xe9]",
        "test_agent.py::test_asks_too",
    }
    assert rows == {"one two": ["test_agent.py::test_asks[one two]"], "after": []}


MISSED = r"""
import json, os, urllib.error, urllib.request
import pytest

def ask(base, text):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    request = urllib.request.Request(
        f"{base}/chat/completions", body, {"Content-Type": "application/json"}
    )
    try:
        urllib.request.urlopen(request).close()
    except urllib.error.HTTPError as error:
        error.close()

@pytest.mark.parametrize("n", range(4))
def test_asks(n):
    ask(os.environ["OPENAI_BASE_URL"], "who is it?")

@pytest.mark.parametrize("text", ["it's \x1b[31m$(id)\u2028"])
def test_hostile(text):
    ask(os.environ["OPENAI_BASE_URL"], text)

def test_mock(mock_llm):
    ask(mock_llm.base_url, "who is it?")
    ask(mock_llm.base_url, "and who are you?")

def test_answered():
    ask(os.environ["OPENAI_BASE_URL"], "answered")

def test_unsupported():
    url = os.environ["OPENAI_BASE_URL"] + "/rerank"
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(urllib.request.Request(url, b"{}"))
    raised.value.close()
"""


def asked(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one", "xdist"])
def test_each_miss_is_listed_once_with_its_test_and_its_command(
    pytester: pytest.Pytester,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers: list[str],
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this test itself
    pytester.makepyprojecttoml("")
    pytester.makepyfile(test_agent=MISSED)
    with RunningServer(tmp_path) as server:
        server.chat(asked("of the session before"))
        time.sleep(1 - time.time() % 1)
        server.write_fixture(digest(asked("answered")), b'{"response": {"content": "yes"}}')
        for name, value in client_environment(server.url, {}).items():
            monkeypatch.setenv(name, value)
        result = pytester.runpytest_subprocess(*PLUGINS, *workers)
        log = server.log_path
    result.assert_outcomes(passed=8)
    lines = result.outlines
    section = lines[
        next(n for n, line in enumerate(lines) if "unanswered requests =" in line) + 1 :
    ]
    shown = section[: section.index(f"Open them: workbench --log {log}") + 2]
    assert "of the session before" not in "".join(shown)
    assert "\x1b" not in "".join(shown)
    assert [line.split("  ")[0] for line in shown if line[0] not in " O"][-1:] == [
        digest(asked("and who are you?"))[:12]
    ]
    first = digest(asked("who is it?"))[:12]
    [place] = [n for n, line in enumerate(shown) if line.startswith(first)]
    assert re.fullmatch(rf"{first}  test_agent\.py::test_asks\[\d\] and 4 more", shown[place])
    assert shown[place + 1 : place + 3] == [
        '    No fixture answers: "who is it?".',
        f"    workbench promote {first} --log {log} --content '…'",
    ]
    commands = [line for line in shown if "workbench promote" in line]
    assert len(commands) == 3
    assert sum(line.startswith("POST /v1/rerank  test_agent.py::test_unsup") for line in shown) == 1
    assert shown[-1] == "Open them: workbench --log .workbench/pytest.log"
    for line in commands:
        assert main(shlex.split(line.replace("…", "me"))[1:]) == 0


def test_tests_run_without_the_server(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("WORKBENCH_URL", "http://127.0.0.1:1")
    pytester.makepyfile("def test_it(): pass\ndef test_more(): pass")
    # In a process of its own: here, an earlier test may have left a second copy of httpcore.
    result = pytester.runpytest_subprocess(*PLUGINS)
    result.assert_outcomes(passed=2)
    assert "127.0.0.1:1" not in result.stdout.str() + result.stderr.str()


def test_tests_that_forbid_sockets_run_with_the_server(
    pytester: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeconftest(
        """
        import socket

        class Guarded(socket.socket):
            def __new__(cls, *args, **more):
                raise Exception("no sockets")

        socket.socket = Guarded
        """
    )
    pytester.makepyfile("def test_it(): pass\ndef test_more(): pass")
    with RunningServer(tmp_path) as server:
        monkeypatch.setenv("WORKBENCH_URL", server.url)
        pytester.runpytest_subprocess(*PLUGINS).assert_outcomes(passed=2)
