"""The tests of a suite, and the page after the last answer."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from tests.pictures.taking import in_sizes
from tests.session.support import answer_with, missed, open_session, take
from tests.tui.running import Running, ask
from workbench.core.digest import digest
from workbench.core.log.lines import asked_line
from workbench.core.suite_tests import PytestSession, ReportedTest, SuiteReport
from workbench.io.logs.log_files import open_tail
from workbench.session.suite.suite import Suite
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch
from workbench.tui.tabs import SUITE

QUESTION: Final = ask("Two seats to Oslo on Friday, please.")
TESTS: Final = [
    ReportedTest("tests/test_travel.py::test_booking", "passed", seconds=9.21, requests=2),
    ReportedTest("tests/test_travel.py::test_greeting", "skipped", seconds=0.01),
    ReportedTest(
        "tests/test_news.py::test_news",
        "failed",
        seconds=1.5,
        requests=1,
        failure="def test_news():\n>       assert 'rain' in news()\nE       AssertionError",
        number=3,
    ),
]


async def suite(folder: Path) -> dict[str, str]:
    (folder / ".git").mkdir()
    log = folder / "run.log"
    log.touch()
    session = open_session(folder)
    suite = session.suite = Suite(["sh", "-c", "echo 1 failed"], {})
    take(session, missed(QUESTION), asked_line(TESTS[0].name, digest(QUESTION)))
    answer_with(session, digest(QUESTION), "Your two seats are booked.")
    session.save(digest(QUESTION))
    taken: dict[str, str] = {}
    with closing(open_tail(log)) as tail, closing(session):
        app = WorkbenchApp(session, Launch([tail]))
        app.animation_level = "none"
        async with app.run_test(size=(120, 36)) as pilot:
            running = Running(app, pilot, folder)
            await running.until(lambda: app.ready.is_set() and suite.code == 0)
            await running.until(lambda: not suite.is_running)
            suite.seconds = 129.4
            _report(running, TESTS[:2])
            await running.until_shown("Suite passed in 2m 9s")
            taken |= await in_sizes(running, "passed")
            suite.code = 1
            _report(running, TESTS)
            await running.press("5")
            await running.until_shown("test_news")
            taken |= await in_sizes(running, "suite")
    return taken


def _report(running: Running, tests: list[ReportedTest]) -> None:
    """Have the server report tests."""
    suite = running.session.suite
    assert suite is not None
    session = PytestSession(str(running.folder), 1, [0], len(tests))
    suite.tests.take(SuiteReport(1, suite.tests.last + 1, session, tests))
    running.app.main.show_news(SUITE.id)
