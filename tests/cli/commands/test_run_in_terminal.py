"""The exit codes of ``workbench run`` in a real terminal."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.processes import has_ended
from tests.server.running import wait_until
from tests.terminal import Terminal

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
# Asks, but only in its first run where it is told so, and exits with the code in a file.
SUITE = f"""
import json, os, pathlib, sys, urllib.error, urllib.request
ran = pathlib.Path("ran")
if "ask" in sys.argv or "once" in sys.argv and not ran.exists():
    ran.touch()
    url, body = os.environ["OPENAI_BASE_URL"], json.dumps({HELLO!r}).encode()
    headers = {{"content-type": "application/json"}}
    urllib.request.urlopen(urllib.request.Request(url + "/chat/completions", body, headers))
sys.exit(int(pathlib.Path("code").read_text()))
"""
ASKS = [sys.executable, "suite.py", "ask"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "suite.py").write_text(SUITE)
    (tmp_path / "code").write_text("0")
    return tmp_path


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Terminal]:
    command = [*FORKED, "run", *words]
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0"}
    with Terminal(command, columns=120, folder=folder, environment=environment) as terminal:
        yield terminal


@pytest.mark.parametrize(
    ("words", "ended", "code"),
    [
        (["--", "sh", "-c", "exit 3"], "exit 3", 3),
        (["--", "sh", "-c", "kill -TERM $$"], "exit 143", 143),
        (["true"], "passed", 0),
        (["nosuch-command"], "not started", 127),
        (["./pyproject.toml"], "not started", 126),
    ],
)
def test_it_is_that_of_the_suite(folder: Path, words: list[str], ended: str, code: int) -> None:
    with running(folder, *words) as terminal:
        terminal.wait_for(f"5 Suite {ended}")
        terminal.press("q")
        assert terminal.wait_for_end() == code
    has_started = (folder / ".workbench" / "run.log").exists()
    assert has_started == (ended != "not started")


def test_it_is_that_of_the_last_run(folder: Path) -> None:
    with running(folder, sys.executable, "suite.py") as terminal:
        terminal.wait_for("5 Suite passed")
        (folder / "code").write_text("4")
        terminal.press("5", "r")
        terminal.wait_for("exit 4")
        terminal.press("q")
        assert terminal.wait_for_end() == 4


@pytest.mark.parametrize(("option", "code"), [([], 1), (["--allow-misses"], 0)])
def test_a_request_that_is_left_without_an_answer_fails_a_suite_that_passed(
    folder: Path, option: list[str], code: int
) -> None:
    with running(folder, *option, *ASKS) as terminal:
        terminal.wait_for("L Fallback")
        terminal.press("L")  # its client gets the fallback
        terminal.wait_for("5 Suite passed")
        terminal.press("q")
        assert terminal.wait_for_end() == code
        terminal.wait_for_rest("1 request has no fixture")


def test_what_only_an_earlier_run_was_missing_fails_nothing(folder: Path) -> None:
    with running(folder, sys.executable, "suite.py", "once") as terminal:
        terminal.wait_for("L Fallback")
        terminal.press("L")
        terminal.wait_for("5 Suite passed")
        (folder / "code").write_text("4")
        terminal.press("5", "r")
        terminal.wait_for("exit 4")
        (folder / "code").write_text("0")
        terminal.press("r")
        terminal.wait_for("passed in")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


@pytest.mark.parametrize(
    "end",
    [
        lambda terminal: terminal.press("q", "y"),
        lambda terminal: terminal.press("^q", "y"),
        lambda terminal: terminal.press("5", "t", "1", "q", "y"),
        lambda terminal: terminal.kill(signal.SIGTERM),
        lambda terminal: terminal.kill(signal.SIGHUP),
    ],
    ids=["q", "ctrl-q", "stopped", "terminated", "hung up"],
)
def test_a_suite_that_is_ended_before_it_is_done(
    folder: Path, end: Callable[[Terminal], None]
) -> None:
    with running(folder, *ASKS) as terminal:
        terminal.wait_for("L Fallback")
        end(terminal)
        assert terminal.wait_for_end() == 130


def test_the_suite_of_a_window_that_is_killed_is_ended(folder: Path) -> None:
    child = folder / "child"
    with running(folder, "--", "sh", "-c", "echo $$ > child; sleep 60") as terminal:
        wait_until("started", lambda: child.exists() and child.read_text())
        terminal.kill(signal.SIGKILL)
        pid = int(child.read_text())
        wait_until("ended", lambda: has_ended(pid))


def test_a_signal_after_its_end_leaves_the_code_of_the_suite(folder: Path) -> None:
    with running(folder, "--", "sh", "-c", "exit 3") as terminal:
        terminal.wait_for("5 Suite exit 3")
        terminal.kill(signal.SIGTERM)
        assert terminal.wait_for_end() == 3
