"""The suite of ``workbench run``, with real commands in a pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.processes import has_ended
from workbench.io.processes import suite_command as command
from workbench.session.suite.suite import Suite


@asynccontextmanager
async def following(suite: Suite) -> AsyncIterator[None]:
    task = asyncio.ensure_future(suite.follow(lambda: None))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        suite.end()


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)


def is_over(suite: Suite) -> bool:
    return not suite.is_running and bool(suite.state)


async def does_nothing(suite: Suite) -> bool:
    """Whether no run begins."""
    for _ in range(5):
        await asyncio.sleep(0)
    return not suite.is_running


def text(suite: Suite) -> str:
    return "\n".join([*suite.output.since(0), suite.output.open_line])


@pytest.mark.parametrize(
    ("words", "state", "output"),
    [
        (["echo", "fine"], "passed", "fine\n"),
        (["sh", "-c", "exit 1"], "exit 1", ""),
        (["sh", "-c", "exit 2"], "exit 2", ""),
        (["sh", "-c", "kill -TERM $$"], "exit 143", ""),
        (
            ["nosuch-command"],
            "not started",
            "nosuch-command cannot be started: No such file or directory.\n",
        ),
        (
            ["sh", "-c", "echo '2 failed, 3 passed in 1s'; exit 1"],
            "2 failed, 3 passed",
            "2 failed, 3 passed in 1s\n",
        ),
        (["a\0b"], "not started", "a\0b cannot be started: embedded null byte.\n"),
    ],
)
def test_how_a_run_can_end(words: list[str], state: str, output: str) -> None:
    async def check() -> None:
        suite = Suite(words, os.environ)
        assert suite.state == ""
        async with following(suite):
            await until(lambda: is_over(suite))
        assert suite.state.partition(" in ")[0] == state
        assert text(suite) == output
        assert suite.has_passed == (suite.code == 0)
        assert suite.failed_to_start == (state == "not started")

    asyncio.run(check())


ASKS = """
import os, signal, sys, time
signal.signal(signal.SIGWINCH, lambda *_: print("now", os.get_terminal_size().columns, flush=True))
print(sys.stdout.isatty(), sys.stdin.read() == "", *os.get_terminal_size())
try:
    open("/dev/tty")
except OSError:
    print("nobody to ask", flush=True)
while True:
    time.sleep(0.05)
"""


def test_a_command_writes_to_a_terminal_and_has_nobody_to_ask() -> None:
    async def check() -> None:
        suite = Suite([sys.executable, "-c", ASKS], {**os.environ, "COLUMNS": "7"})
        suite.resize(90, 30)
        async with following(suite):
            await until(lambda: "nobody" in text(suite))
            assert text(suite) == "True True 90 30\nnobody to ask\n"
            suite.resize(50, 20)
            await until(lambda: "now 50" in text(suite))
            assert suite.state.startswith("running 00:0")

    asyncio.run(check())


def test_a_run_that_ignores_the_end_is_killed_with_what_it_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "STOP_SECONDS", 0.2)
    begun = []
    script = "trap 'echo no' TERM; sleep 60 & echo $!; echo ready; while :; do sleep 1; done"
    suite = Suite(["bash", "-c", script], os.environ, begins_again=lambda: begun.append(1))

    async def check() -> None:
        async with following(suite):
            await until(lambda: "ready" in text(suite))
            child = int(suite.output.since(0)[0])
            suite.run_again()
            assert suite.state.startswith("stopping")
            await until(lambda: begun)
            assert has_ended(child)
            await until(lambda: "ready" in text(suite))
            suite.stop()
            await until(lambda: is_over(suite))
            assert suite.state == "stopped"
            assert not suite.has_passed
            assert begun == [1]

    asyncio.run(check())


def test_a_suite_ends_with_its_window() -> None:
    suite = Suite(["bash", "-c", "echo $$; echo ready; sleep 60"], os.environ)

    async def check() -> None:
        async with following(suite):
            await until(lambda: "ready" in text(suite))

    asyncio.run(check())
    assert has_ended(int(suite.output.since(0)[0]))


def test_a_watched_suite_runs_again_after_a_save_when_nothing_is_held(tmp_path: Path) -> None:
    runs: list[int] = []
    goes_on = tmp_path / "goes-on"
    script = f"until test -e {goes_on}; do sleep 0.02; done; test -e {tmp_path}/good"
    suite = Suite(["sh", "-c", script], os.environ, begins_again=lambda: runs.append(1))

    async def check() -> None:
        async with following(suite):
            await until(lambda: suite.is_running)
            suite.fixture_saved()
            suite.watch(is_held=False)
            goes_on.touch()
            await until(lambda: is_over(suite))
            suite.watch(is_held=False)  # nobody asked for it
            assert await does_nothing(suite)
            suite.is_watching = True
            suite.watch(is_held=True)
            assert await does_nothing(suite)
            (tmp_path / "good").touch()
            suite.watch(is_held=False)
            await until(lambda: runs and is_over(suite))
            suite.watch(is_held=False)  # what was saved is known by now
            assert await does_nothing(suite)
            assert suite.has_passed
            assert runs == [1]

    asyncio.run(check())
