"""Rows 23 and 30: how long a test waits for its mock, and a run of pytest for the plugin."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping

import pytest

from tests.benchmarks import installed
from tests.benchmarks.place import Place
from tests.benchmarks.table import NotMeasuredError, Row

_TESTS = 20
_RUNS = 3
# The first test starts what all share.
_CONFTEST = """
import json, pytest

setups = []

@pytest.fixture
def url({fixture}):
    return {fixture}.base_url

def pytest_runtest_logreport(report):
    if report.when == "setup":
        assert report.passed, report.longreprtext
        setups.append(report.duration)

def pytest_unconfigure():
    print("setups:", json.dumps(setups[1:]))
"""
_TEST = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_it(url, number):
    assert url.startswith("http://127.0.0.1:")
"""


def ours(place: Place) -> float:
    return _median_setup(place, sys.executable, "workbench.testing.plugin", "mock_llm")


def aimock(place: Place) -> float:
    python = installed.program("aimock-pytest", "python")
    # It would fetch a release of its own choice, past npm.
    server = installed.npm("@copilotkit/aimock", "1.43.0") / "dist" / "cli.js"
    more = {"AIMOCK_CLI_PATH": str(server)}
    return _median_setup(place, python, "aimock_pytest.plugin", "aimock", more)


def _median_setup(
    place: Place, python: str, plugin: str, fixture: str, more: Mapping[str, str] | None = None
) -> float:
    """The set-up of a test, in seconds, in a test run of its own."""
    project = place.project(fixture)
    (project / "conftest.py").write_text(_CONFTEST.format(fixture=fixture))
    (project / "test_mocks.py").write_text(_TEST.format(count=_TESTS + 1))
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", plugin],
        cwd=project,
        env={**os.environ, **(more or {}), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith("setups: ")]
    if done.returncode or not found:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        raise NotMeasuredError(f"{plugin}: {' '.join(last)}")
    setups: list[float] = json.loads(found[0].removeprefix("setups: "))
    return statistics.median(setups)


def collect_with_plugin(place: Place) -> float:
    return _collected(place)


def collect_without(place: Place) -> float:
    return _collected(place, "-p", "no:workbench")


def _collected(place: Place, *arguments: str) -> float:
    """The quickest of some collections of an empty project, in seconds."""
    project = place.project("empty")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *arguments]
    taken = []
    for _ in range(_RUNS):
        begun = time.perf_counter()
        done = subprocess.run(command, cwd=project, capture_output=True, check=False)
        taken.append(time.perf_counter() - begun)
        assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout
    return min(taken)


ROWS = [
    Row(23, "set-up of a test with a mock", "aimock-pytest", 1 / 20, ours, aimock),
    Row(30, "collecting nothing", "without the plugin", 1.1, collect_with_plugin, collect_without),
]
