"""The time for which requests of a test are held does not count for pytest-timeout."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.routes.test_control import CONTROL, get
from tests.server.running import RunningServer
from tests.testing.plugin.test_plugin import PLUGINS
from tests.testing.plugin.test_running import ASKING
from workbench.io.processes.client_environment import client_environment

pytest_plugins = ["pytester"]

HELD_SECONDS = 1
TESTS = """
import time, pytest
from conftest import ask

@pytest.fixture
def asked():
    ask("of a fixture")

@pytest.mark.timeout(0.5, method="signal")
def test_signal():
    ask("signal")

@pytest.mark.timeout(0.5, method="thread")
def test_thread():
    ask("thread")

@pytest.mark.timeout(0.5, func_only=True)
def test_hangs(asked):
    ask("test that hangs")
    time.sleep(60)

@pytest.mark.timeout(0.5, method="thread")
def test_sleeps():
    time.sleep(60)
"""


@pytest.fixture
def answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server whose held requests get an answer after some time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this test itself
    is_over = threading.Event()

    def answer(server: RunningServer) -> None:
        while not is_over.wait(0.05):
            for held in get(server, "held"):
                if held["age_s"] > HELD_SECONDS:
                    server.request("POST", f"{CONTROL}held/{held['id']}/release")

    with RunningServer(tmp_path, arguments=("--hold",)) as server:
        for name, value in client_environment(server.url, {}).items():
            monkeypatch.setenv(name, value)
        answering = threading.Thread(target=answer, args=(server,))
        answering.start()
        yield server
        is_over.set()
        answering.join()


@pytest.mark.usefixtures("answering")
def test_what_is_held_does_not_count(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "not sleeps")
    result.assert_outcomes(passed=2, failed=1, deselected=1)
    over = "E *Timeout *0.5s*"  # the words differ between versions
    result.stdout.fnmatch_lines([">*time.sleep(60)", over])


@pytest.mark.usefixtures("answering")
def test_nor_in_a_worker_of_xdist(pytester: pytest.Pytester) -> None:
    run(pytester, "-n", "1", "-k", "signal").assert_outcomes(passed=1)


@pytest.mark.usefixtures("answering")
def test_a_thread_ends_a_test_that_hangs_by_itself(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "sleeps")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*+ Timeout +*", "*time.sleep(60)*"])


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.makeconftest(ASKING)
    pytester.makepyfile(test_agent=TESTS)
    return pytester.runpytest_subprocess(*PLUGINS, "-p", "pytest_timeout", *arguments)
