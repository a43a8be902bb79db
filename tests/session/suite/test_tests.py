"""The tests of a suite in the session: their states, and the command of those that failed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.session.support import asked, chat, open_session
from workbench.core.log.events import AskedBy
from workbench.core.suite_tests import PytestSession, ReportedTest, SuiteReport
from workbench.session.suite.suite import Suite
from workbench.session.suite.tests import (
    CannotRunFailedError,
    SuiteTests,
    command_of_failed,
    misses_by_test,
    state_of_test,
)


def reported(
    *tests: ReportedTest, root: Path, arguments: int = 1, paths: list[int] | None = None
) -> SuiteTests:
    made = SuiteTests()
    session = PytestSession(str(root), arguments, paths, len(tests))
    made.take(SuiteReport(1, len(tests), session, list(tests)))
    return made


FAILED = [
    ReportedTest('tests/test_a.py::test_b[$(id) it\'s "x"]', "failed"),
    ReportedTest("tests/test_a.py::TestC::test_d", "error"),
    ReportedTest("tests/-x.py", "error"),
    ReportedTest("tests/test_a.py::test_e[sk-...]", "failed", is_whole=False),
]


@each_case(
    "words, paths, beginning",
    [
        (["pytest"], [], ["pytest"]),
        (["/bin/pytest", "-q", "tests", "-x"], [1], ["/bin/pytest", "-q", "-x"]),
        (["python3", "-m", "pytest", "a", "b"], [0, 1], ["python3", "-m", "pytest"]),
        (["uv", "run", "pytest", "-n", "2"], [], ["uv", "run", "pytest", "-n", "2"]),
    ],
)
def test_the_failed_tests_are_named_in_place_of_what_the_command_names(
    tmp_path: Path, words: list[str], paths: list[int], beginning: list[str]
) -> None:
    arguments = len(words) - max(n for n, word in enumerate(words) if "pytest" in word) - 1
    passed = ReportedTest("tests/test_a.py::test_f", "passed")
    tests = reported(*FAILED, passed, root=tmp_path, arguments=arguments, paths=paths)
    assert command_of_failed(words, tests, tmp_path) == [
        *beginning,
        './tests/test_a.py::test_b[$(id) it\'s "x"]',
        "./tests/test_a.py::TestC::test_d",
        "./tests/-x.py",
        "./tests/test_a.py::test_e",
    ]
    assert command_of_failed(words, tests, tmp_path / "other")[-4].startswith("./../tests/")


@each_case(
    "words, arguments, paths, why",
    [
        (["make", "test"], 1, [], "not pytest itself"),
        (["make", "pytest"], 0, [], "not pytest itself"),
        (["sh", "-c", "pytest"], 0, [], "not pytest itself"),
        (["pytest"], 3, [], "not pytest itself"),
        (["pytest", "-q"], 1, None, "The settings of pytest"),
    ],
)
def test_another_command_cannot_run_them_alone(
    tmp_path: Path, words: list[str], arguments: int, paths: list[int] | None, why: str
) -> None:
    tests = reported(*FAILED, root=tmp_path, arguments=arguments, paths=paths)
    with pytest.raises(CannotRunFailedError, match=why):
        command_of_failed(words, tests, tmp_path)


def test_without_reports_or_failures_there_is_nothing_to_run(tmp_path: Path) -> None:
    with pytest.raises(CannotRunFailedError, match="No test was reported"):
        command_of_failed(["pytest"], SuiteTests(), tmp_path)
    passed = reported(ReportedTest("a", "passed"), root=tmp_path)
    with pytest.raises(CannotRunFailedError, match="No test failed"):
        command_of_failed(["pytest"], passed, tmp_path)
    elsewhere = reported(*FAILED, root=tmp_path / "not here", arguments=0, paths=[])
    with pytest.raises(CannotRunFailedError, match="not pytest itself"):
        command_of_failed(["pytest"], elsewhere, tmp_path)


def test_the_list_has_the_tests_of_the_last_run(tmp_path: Path) -> None:
    tests = reported(ReportedTest("a", "running"), ReportedTest("b", "failed"), root=tmp_path)
    tests.show()
    assert tests.query.keys == ["a", "b"]
    assert (str(tests.totals), tests.ended) == ("1 failed", 1)
    tests.take(SuiteReport(1, 3, tests.session, [ReportedTest("a", "passed")]))
    tests.show()
    assert (tests.query.keys, str(tests.totals)) == (["a", "b"], "1 failed, 1 passed")
    tests.query.set_filter_text("is:failed")
    assert tests.query.keys == ["b"]
    tests.query.set_filter_text("")
    tests.take(SuiteReport(2, 4, None, [ReportedTest("c", "running")]))
    tests.show()
    assert (tests.query.keys, tests.was_reported) == (["c"], True)
    tests.begin()
    tests.show()
    assert (tests.query.keys, tests.totals) == ([], None)


def test_a_test_that_runs_waits_where_a_request_of_it_is_held(tmp_path: Path) -> None:
    from workbench.core.control_api import HeldRequest

    with closing(open_session(tmp_path)) as session:
        session.suite = Suite(["true"], {})
        session.suite.is_running = True
        (digest,) = asked(session, chat("one"))
        session.take_log([AskedBy(digest, "test_a.py::test_b")])
        test = ReportedTest("test_a.py::test_b", "running")
        assert state_of_test(session, test) == "running"
        assert misses_by_test(session) == {"test_a.py::test_b": [digest]}
        session.held.take([HeldRequest(digest, digest, 1.0, 200.0, False, 1)])
        assert state_of_test(session, test) == "waiting"
        session.suite.is_running = False
        assert state_of_test(session, test) == "not finished"
        assert state_of_test(session, test._replace(outcome="passed")) == "passed"
