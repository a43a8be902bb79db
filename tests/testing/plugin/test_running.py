"""The plugin reports to the server of ``workbench run`` which test is running."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.routes.test_control import get
from tests.server.running import RunningServer
from tests.testing.plugin.test_plugin import PLUGINS
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
