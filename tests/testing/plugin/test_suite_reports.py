"""The plugin reports to the server of ``workbench run`` how each test ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.running import RunningServer, wait_until
from tests.testing.plugin.test_plugin import PLUGINS
from workbench.core.suite_tests import MAX_TEXT, ReportedTest, SuiteReport
from workbench.io.network.control_client import ControlClient
from workbench.io.processes.client_environment import client_environment

pytest_plugins = ["pytester"]

KEY = "sk-" + "aB3dE5gH7jK9" * 4
TESTS = f"""
import json, os, sys, urllib.request
import pytest

def ask(text):
    body = json.dumps({{"model": "m", "messages": [{{"role": "user", "content": text}}]}}).encode()
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, body, {{"Content-Type": "application/json"}})
    urllib.request.urlopen(request).close()

@pytest.fixture
def broken():
    print("in the fixture")
    raise OSError("no database")

@pytest.fixture
def leaking():
    yield
    raise OSError("still open")

@pytest.mark.parametrize("text", ["one two", "é", "$(id) it's"])
def test_asks(text):
    ask(text)
    ask(text)

def test_fails():
    print("the key is {KEY}")
    print("x" * 100_000, file=sys.stderr)
    assert 1 + 1 == 3, "sums"

def test_setup(broken): pass
def test_teardown(leaking): pass
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
@pytest.mark.xfail(reason="known")
def test_expected(): assert False
@pytest.mark.xfail
def test_unexpected(): pass
@pytest.mark.xfail(strict=True)
def test_strict(): pass
"""
OUTCOMES = {
    "test_a.py::test_asks[one two]": "passed",
    "test_a.py::test_asks[\\xe9]": "passed",
    "test_a.py::test_asks[$(id) it's]": "passed",
    "test_a.py::test_fails": "failed",
    "test_a.py::test_setup": "error",
    "test_a.py::test_teardown": "error",
    "test_a.py::test_skipped": "skipped",
    "test_a.py::test_expected": "xfailed",
    "test_a.py::test_unexpected": "xpassed",
    "test_a.py::test_strict": "failed",
    "test_b.py": "error",
    "test_c.py": "skipped",
}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningServer]:
    """A server that a suite in a process of its own finds."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of this test itself
    monkeypatch.delenv("WORKBENCH_REPORTING", raising=False)
    with RunningServer(tmp_path) as running:
        for name, value in client_environment(running.url, {}).items():
            monkeypatch.setenv(name, value)
        yield running


def report_of(server: RunningServer) -> SuiteReport:
    return ControlClient(server.url).tests()


def reported_by(server: RunningServer) -> dict[str, ReportedTest]:
    return {test.id: test for test in report_of(server).tests}


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one", "xdist"])
def test_each_test_is_reported_with_its_end_and_its_texts(
    pytester: pytest.Pytester, server: RunningServer, workers: list[str]
) -> None:
    pytester.makepyfile(
        test_a=TESTS,
        test_b="import nothing_like_it",
        test_c="import pytest\npytest.skip('not here', allow_module_level=True)",
    )
    pytester.runpytest_subprocess(*PLUGINS, "--continue-on-collection-errors", *workers)
    report, tests = report_of(server), reported_by(server)
    assert {name: test.outcome for name, test in tests.items()} == OUTCOMES
    failed = tests["test_a.py::test_fails"]
    assert "AssertionError: sums" in failed.failure
    assert "    def test_fails(" in failed.failure
    assert failed.output.startswith("… the beginning is left out\n")
    assert MAX_TEXT <= len(failed.output) <= MAX_TEXT + 30
    assert KEY not in str(report)
    assert "no database" in tests["test_a.py::test_setup"].failure
    assert "in the fixture" in tests["test_a.py::test_setup"].output
    assert "still open" in tests["test_a.py::test_teardown"].failure
    assert "not today" in tests["test_a.py::test_skipped"].failure
    assert "known" in tests["test_a.py::test_expected"].failure
    assert "nothing_like_it" in tests["test_b.py"].failure
    assert {t.id: t.requests for t in report.tests if t.requests} == {
        name: 2 for name in OUTCOMES if "test_asks" in name
    }
    assert report.session is not None
    assert (report.session.root, report.session.collected) == (str(pytester.path), 10)
    assert report.session.paths == []


def test_a_key_in_an_id_is_masked(pytester: pytest.Pytester, server: RunningServer) -> None:
    parameters = f"@pytest.mark.parametrize('key', ['{KEY}'])"
    pytester.makepyfile(f"import pytest\n{parameters}\ndef test_it(key): assert not key")
    pytester.runpytest_subprocess(*PLUGINS)
    (test,) = report_of(server).tests
    assert (test.outcome, test.is_whole) == ("failed", False)
    assert KEY not in str(test)


def test_what_is_run_is_told_from_other_arguments(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    pytester.makepyfile(test_a="def test_it(): pass")
    arguments = [*PLUGINS, "-k", "test_it", "test_a.py", "-v"]
    pytester.runpytest_subprocess(*arguments)
    session = report_of(server).session
    assert session is not None
    # pytester has arguments of its own before these.
    assert session.paths == [session.arguments - 2]
    pytester.makeini("[pytest]\naddopts = test_a.py")
    pytester.runpytest_subprocess(*PLUGINS)
    session = report_of(server).session
    assert session is not None
    assert session.paths is None


def test_a_test_that_runs_is_reported_before_its_end_and_a_killed_suite_breaks_nothing(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    pytester.makepyfile(test_a="import time\ndef test_a(): pass\ndef test_b(): time.sleep(60)")
    suite = subprocess.Popen([sys.executable, "-m", "pytest", *PLUGINS], cwd=pytester.path)
    try:
        wait_until("it runs", lambda: "test_a.py::test_b" in reported_by(server))
        assert [test.outcome for test in report_of(server).tests] == ["passed", "running"]
        suite.send_signal(signal.SIGKILL)
    finally:
        suite.kill()
        suite.wait()
    ControlClient(server.url).reset()
    assert report_of(server).tests == []
    assert report_of(server).run == 2


def test_the_first_failure_ends_a_suite(pytester: pytest.Pytester, server: RunningServer) -> None:
    pytester.makepyfile(test_a="def test_a(): assert False\ndef test_b(): pass")
    pytester.runpytest_subprocess(*PLUGINS, "-x")
    assert [(t.id, t.outcome) for t in report_of(server).tests] == [("test_a.py::test_a", "failed")]


def test_a_worker_that_crashes_leaves_its_test_failed(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    pytester.makepyfile(test_a="import os\ndef test_a(): os._exit(1)\ndef test_b(): pass")
    pytester.runpytest_subprocess(*PLUGINS, "-n", "1")
    tests = reported_by(server)
    assert {name: test.outcome for name, test in tests.items()} == {
        "test_a.py::test_a": "failed",
        "test_a.py::test_b": "passed",
    }
    assert "crashed while running" in tests["test_a.py::test_a"].failure


# As pytest-rerunfailures does it.
RERUNS = """
import pytest
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for run in range(2):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        is_again = run == 0 and any(report.failed for report in reports)
        for report in reports:
            if is_again and report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
            if is_again and report.outcome == "rerun":
                break
        if not is_again:
            break
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True

def pytest_report_teststatus(report):
    return ("rerun", "R", "RERUN") if report.outcome == "rerun" else None
"""


def test_a_test_that_is_run_again_has_its_last_end(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    pytester.makeconftest(RERUNS)
    pytester.makepyfile(test_a="runs = []\ndef test_a(): runs.append(1); assert len(runs) > 1")
    pytester.runpytest_subprocess(*PLUGINS)
    (test,) = report_of(server).tests
    assert (test.outcome, test.reruns, test.failure) == ("passed", 1, "")


def test_a_session_inside_a_test_is_not_reported(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    inner = pytester.path / "inner"
    inner.mkdir()
    (inner / "test_inner.py").write_text("def test_inner(): pass")
    pytester.makepyfile(
        test_a=f"""
        import subprocess, sys
        def test_outer():
            subprocess.run([sys.executable, "-m", "pytest", *{PLUGINS!r}], cwd="inner", check=True)
        """
    )
    pytester.runpytest_subprocess(*PLUGINS, "test_a.py")
    assert list(reported_by(server)) == ["test_a.py::test_outer"]


FORBIDDING = """
import socket

class Guarded(socket.socket):
    def __new__(cls, *args, **more):
        if forbidden:
            raise Exception("no sockets")
        return super().__new__(cls)

forbidden = True
socket.socket = Guarded

def pytest_sessionfinish():
    global forbidden
    forbidden = False
"""


def test_what_could_not_be_sent_is_sent_when_it_can(
    pytester: pytest.Pytester, server: RunningServer
) -> None:
    pytester.makeconftest(FORBIDDING)
    pytester.makepyfile(test_a="def test_a(): pass\ndef test_b(): pass")
    pytester.runpytest_subprocess(*PLUGINS).assert_outcomes(passed=2)
    assert [test.outcome for test in report_of(server).tests] == ["passed", "passed"]


def test_a_server_that_does_not_answer_or_is_older_changes_nothing(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes connections, and says nothing."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("WORKBENCH_REPORTING", raising=False)
    pytester.makeconftest(
        "import workbench.testing.plugin.running as running\n"
        "running.RunningServer._report = lambda self, test: None"
    )
    pytester.makepyfile(
        test_a="import pytest\n@pytest.mark.parametrize('n', range(100))\ndef test_it(n): pass"
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("WORKBENCH_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        result = pytester.runpytest_subprocess(*PLUGINS)
        seconds = time.monotonic() - began
    result.assert_outcomes(passed=100)
    assert "workbench" not in os.linesep.join(result.errlines)
    assert seconds < 60  # a wait for each of them would be minutes
