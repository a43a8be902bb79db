"""The Suite tab under Pilot, with a real command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from tests.session.support import answer_with, asked, chat, open_session
from tests.tui.running import Running
from tests.tui.steady import resize
from workbench.core.control_api import HeldRequest
from workbench.core.log.events import AskedBy
from workbench.core.suite_tests import PytestSession, ReportedTest, SuiteReport
from workbench.io.logs.log_files import open_tail
from workbench.session.suite.suite import Suite
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch
from workbench.tui.services.suite_feed import ended_sentence
from workbench.tui.suite.output_pane import OutputLine
from workbench.tui.suite.tab import SuiteTab
from workbench.tui.tabs import SUITE

# Goes on until there is a file; prints colours, a progress bar and what would act on a terminal.
SCRIPT = r"""cd "$(dirname "$0")"
printf '\033]0;title\007\033[31mFAILED\033[0m [red]one\n10%%\r20%%\r100%%\n'
printf 'escape \033[2J and bell \a\n'; seq 1 50
until test -e go-on; do sleep 0.02; done
exit "$1"
"""
SIZE = (100, 24)


@asynccontextmanager
async def showing(folder: Path, code: int = 0) -> AsyncIterator[tuple[Running, Suite]]:
    """The application with a suite that ends with ``code`` once ``go-on`` is there."""
    script = folder / "suite.sh"
    script.write_text(SCRIPT)
    suite = Suite(["sh", str(script), str(code)], os.environ)
    session = open_session(folder)
    session.suite = suite
    log = folder / "run.log"
    log.touch()
    tail = open_tail(log)
    app = WorkbenchApp(session, Launch([tail]))
    try:
        with closing(tail), closing(session):
            async with app.run_test(size=SIZE) as pilot:
                running = Running(app, pilot, folder)
                await running.until(lambda: app.ready.is_set() and suite.is_running)
                yield running, suite
    finally:
        suite.end()


def test_the_output_is_shown_as_it_comes_and_searched(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path) as (running, suite):
            await running.until_shown("The suite is running")
            await running.press("5")
            await running.until_shown("┃ 50 ")
            shown = running.screen_text()
            assert "[5 Suite] ● running 00:" in shown
            assert "FAILED" not in shown  # the end is in view
            await running.press("g")
            shown = running.screen_text()
            assert "$ sh /" in shown
            await running.until_shown("FAILED [red]one")
            await running.until_shown("escape  and bell ␇")
            await running.until_shown("100%")
            assert "20%" not in running.screen_text()
            assert suite.output.since(0)[0] == "\x1b[31mFAILED\x1b[0m [red]one"
            await running.press("slash", "4", "5", "enter")
            await running.until_shown("/ 45  1 of 1")
            await running.until_shown("44")
            await running.press("escape")
            (tmp_path / "go-on").touch()
            await running.until_shown("passed in")

    asyncio.run(check())


def test_a_suite_is_run_again_stopped_and_watched(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path, 1) as (running, suite):
            await running.press("5")
            # As the key does it, which lets the suite end before the next line.
            running.tab(SUITE, SuiteTab).stop_suite()
            assert running.status.startswith("Stopping the suite")
            said = "Suite: stopped. 5 shows its output."
            await running.until(lambda: running.status == said)
            await running.until_shown("[5 Suite] stopped")
            await running.press("t")
            assert running.status == "The suite is not running."
            await running.press("r")
            await running.until(lambda: suite.is_running)
            await running.press("r")
            await running.until_shown("y End it and run again   esc Back")
            await running.press("n")
            assert suite.is_running
            await running.press("w")
            await running.until_shown("watch on")
            (tmp_path / "go-on").touch()
            await running.until_shown("[5 Suite] exit 1")
            said = "Suite: exit 1. 5 shows its output."
            await running.until(lambda: running.status == said)
            (tmp_path / "go-on").unlink()
            (tmp_path / "fixtures" / f"{'0' * 64}.json").write_text('{"response": {}}')
            await running.until(lambda: suite.is_running)
            await running.press("q")
            await running.until_shown("y Quit   esc Back")

    (tmp_path / "fixtures").mkdir()
    asyncio.run(check())


def test_before_a_miss_its_text_has_the_whole_screen(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path) as (running, _):
            await running.until_shown("The suite is running")
            await running.until(lambda: running.app.misses.parts is not None)
            rows = running.app.misses.rows
            await running.until(lambda: rows.size.height == SIZE[1] - 5)

    asyncio.run(check())


def test_one_key_runs_the_suite_again_where_it_is_shown(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path, 1) as (running, _):
            await running.until_shown("X Run again")  # while it runs, there is no other
            (tmp_path / "go-on").touch()
            await running.until_shown("r Run again")
            assert "X Run" not in running.screen_text()
            await running.press("2")
            await running.until_shown("X Run again")
            await running.press("5")
            await running.until_shown("r Run again")
            assert "X Run" not in running.screen_text()

    asyncio.run(check())


def test_a_terminal_of_80_columns_shows_the_names_of_the_other_tabs(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path) as (running, suite):
            await resize(running.pilot, 80, 24)
            await running.until_shown("[1 Misses 0]  2 Fixtures 0  5 Suite ● running 00:")
            # Without a suite its key says how to get one.
            running.session.suite = None
            await running.press("5")
            assert running.status == "There is no suite. workbench run -- COMMAND shows one here."
            running.session.suite = suite

    asyncio.run(check())


TESTS = [
    ReportedTest("tests/test_a.py::test_one", "passed", seconds=0.125),
    ReportedTest(
        "tests/test_a.py::test_two[$(id) [red]x]",
        "failed",
        failure=">   assert 1 == 2\nE   assert \x1b[94m1\x1b[39;49;00m == 2",
        output="Captured stdout call\n\x1b[32mgreen\x1b[0m \x07",
        requests=3,
    ),
    ReportedTest("tests/test_a.py::test_three", "running", requests=1),
]


def report(running: Running, *tests: ReportedTest) -> None:
    """Have the server report tests."""
    suite = running.session.suite
    assert suite is not None
    session = PytestSession(str(running.folder), 1, [0], 4)
    suite.tests.take(SuiteReport(1, suite.tests.last + 1, session, list(tests)))
    running.app.main.show_news(SUITE.id)


def test_tests_that_are_reported_are_listed_with_their_ends(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path, 1) as (running, _):
            await running.press("5")
            await running.until_shown("┃ 50 ")
            assert "requests" not in running.screen_text(), "the output has all the room"
            await resize(running.pilot, 120, 36)
            report(running, *TESTS)
            tab = running.tab(SUITE, SuiteTab)
            await running.until(lambda: tab.rows.has_focus)
            await running.until_shown("✓ passed        test_one  tests/test_a.py")
            await running.until_shown("✗ failed        test_two[$(id) [red]x]  tests/test_a.py")
            await running.until_shown("● running       test_three")
            header = running.screen_text().splitlines()[0]
            assert " · 2/4 · 1 failed" in header
            await running.until_shown("⏎ Output")
            await running.press("down", "enter")
            await running.until(lambda: tab.test.has_focus)
            await running.until_shown("✗ failed · 0.00 s · 3 requests")
            await running.until_shown("E   assert 1 == 2")
            await running.until_shown("green ␇")
            # What is read stays where it is, whatever else ends.
            shown = running.screen_text().splitlines()[12:]
            report(running, TESTS[2]._replace(outcome="passed"))
            await running.until_shown("✓ passed        test_three")
            assert running.screen_text().splitlines()[12:] == shown
            await running.press("escape", "slash")
            await running.write("is:failed")
            await running.press("enter")
            assert list(tab.rows.keys) == [TESTS[1].id]
            (tmp_path / "go-on").touch()
            await running.until_shown("[5 Suite] 1 failed, 2 passed")

    asyncio.run(check())


def test_enter_goes_to_the_open_miss_of_a_test(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path) as (running, _):
            misses = running.app.misses
            first, second = asked(running.session, chat("one"), chat("two"))
            running.session.take_log([AskedBy(second, TESTS[2].name)])
            misses.update_rows(frozenset({first, second}))
            report(running, *TESTS)
            await running.press("5")
            await running.until_shown("test_three")
            await running.press("G")
            await running.until_shown("⏎ Its miss")
            await running.press("enter")
            await running.until(lambda: misses.rows.has_focus)
            assert misses.rows.cursor == second

    asyncio.run(check())


def test_the_failed_tests_are_run_again_alone_where_that_is_possible(tmp_path: Path) -> None:
    async def check() -> None:
        async with showing(tmp_path, 1) as (running, suite):
            report(running, *TESTS)
            (tmp_path / "go-on").touch()
            await running.press("5")
            await running.until_shown("[5 Suite] 1 failed")
            await running.until_shown("f Run 1 failed")
            await running.press("f")
            assert running.status == "The command is not pytest itself. X runs all of it again."
            # The words of a command as pytest has them, which needs no shell.
            words = ["sh", "-c", 'printf "<%s>" "$@"; exit 1', "pytest"]
            suite.run_failed([*words, "./a.py::test[$(id) it's]"])
            await running.until(lambda: suite.runs_failed and not suite.is_running)
            await running.until_shown("<./a.py::test[$(id) it's]>")
            report(running, TESTS[0])
            await running.until_shown("only those that had failed")
            await running.press("r")
            await running.until(lambda: not suite.runs_failed and not suite.is_running)

    asyncio.run(check())


def test_what_is_said_at_the_end(tmp_path: Path) -> None:
    suite = Suite(["true"], {})
    suite.code, suite.seconds = 0, 9.4
    with closing(open_session(tmp_path)) as session:
        assert ended_sentence(session, suite) == "Suite passed in 9s."
        (missed,) = asked(session, chat())
        said = ended_sentence(session, suite)
        assert said == "Suite passed in 9s. 1 request had no fixture."
        answer_with(session, missed, "hi")
        session.save(missed)
        said = ended_sentence(session, suite)
        assert said == "Suite passed in 9s. 1 fixture written."
        # What an earlier run missed is no longer asked for.
        asked(session, chat("once"))
        session.miss_index.start_run()
        asked(session, chat("now"))
        said = ended_sentence(session, suite)
        assert said == "Suite passed in 9s. 1 request had no fixture."


def test_the_first_held_request_of_a_suite_is_selected_unless_somebody_writes(
    tmp_path: Path,
) -> None:
    async def check() -> None:
        async with showing(tmp_path) as (running, _):
            misses, held = running.app.misses, running.session.held

            def holds(*digests: str) -> None:
                waiting = [HeldRequest(d, d, 1.0, 200.0, False, 1) for d in digests]
                misses.held_changed(held.take(waiting))

            one, two, three = asked(running.session, chat("one"), chat("two"), chat("three"))
            misses.update_rows(frozenset({one, two, three}))
            await running.until(lambda: misses.subject == one)
            holds(two)
            await running.until(lambda: misses.subject == two)
            holds(two, three)
            assert misses.rows.cursor == two  # it waits, too
            holds()
            await running.press("enter")
            holds(one)
            assert misses.rows.cursor == two
            assert running.status == "1 request is held: n goes there (esc first)."

    asyncio.run(check())


def test_joined_emoji_stand_side_by_side_as_in_other_texts() -> None:
    line = OutputLine.of("\x1b[31m\U0001f468\u200d\U0001f469 passed\x1b[0m")
    assert (str(line), line.written.count("\u200d")) == ("\U0001f468\U0001f469 passed", 0)
