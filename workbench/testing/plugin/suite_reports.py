"""Reports the tests of a suite to the server of ``workbench run``: which run, how they end."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

import pytest

from workbench.core.suite_tests import SENT_TEXT, Outcome

# How long the server has to take reports, and the end of pytest waits for the last of them.
_PATIENCE_SECONDS: Final = 2.0
# Between two reports, in which the next is collected.
_PAUSE_SECONDS: Final = 0.05
_MOST_AT_ONCE: Final = 200
_MOST_WAITING: Final = 20_000
# How the source of a test begins, which a traceback quotes first.
_CODE: Final = ("def ", "async def ", "@")


class SuiteReports:
    """A pytest plugin for the process that shows the results, not for the workers of pytest-xdist.

    Args:
        url: of the server.
    """

    def __init__(self, config: pytest.Config, url: str) -> None:
        self._config = config
        self._sender = ReportSender(url)
        self._tests: dict[str, TestInProgress] = {}

    def pytest_sessionstart(self) -> None:
        self._sender.begin()
        self._report_session(0)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.items:  # the workers of pytest-xdist have them
            self._report_session(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        self._report_session(len(ids))

    def _report_session(self, collected: int) -> None:
        root = os.fspath(self._config.rootpath)
        args = self._config.invocation_params.args
        paths = _places(list(map(str, args)), self._config.getoption("file_or_dir") or [])
        session = {"root": _sendable(root), "arguments": len(args), "paths": paths}
        self._sender.put({"session": {**session, "collected": collected}})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be collected, or is skipped as a whole, has no tests."""
        if not report.passed:
            test = TestInProgress(report.nodeid or os.fspath(self._config.rootpath))
            test.outcome = "error" if report.failed else "skipped"
            test.take_texts(report)
            self._sender.put(test.report())

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        test = self._tests[nodeid] = TestInProgress(nodeid)
        self._sender.put(test.report())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self._tests.get(report.nodeid)
        if test is None:  # a plugin reports it without its start
            test = self._tests[report.nodeid] = TestInProgress(report.nodeid)
        test.take(report)
        # A crashed worker sends no more reports about its test.
        if report.when not in ("setup", "call") and test.outcome != "running":
            del self._tests[report.nodeid]
            self._sender.put(test.report())

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """The end of a test whose teardown was not reported."""
        test = self._tests.pop(nodeid, None)
        if test is not None and test.outcome != "running":
            self._sender.put(test.report())

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self._sender.end()


class TestInProgress:
    """A test, and the results of its setup, call and teardown so far."""

    __test__ = False  # it is not collected where somebody imports it

    def __init__(self, id: str) -> None:
        self.outcome: Outcome = "running"
        self._id = id
        self._seconds = 0.0
        self._reruns = 0
        self._failures: list[str] = []
        self._output = ""

    def take(self, report: pytest.TestReport) -> None:
        """Take in the report of a part; ``rerun`` is an outcome of pytest-rerunfailures."""
        self._seconds += report.duration
        outcome: str = report.outcome
        if outcome == "rerun":
            self._reruns += 1
            self.outcome, self._failures = "running", []
            return
        self.take_texts(report)
        is_expected = hasattr(report, "wasxfail")
        if outcome == "failed":
            is_outside = report.when in ("setup", "teardown") and self.outcome != "failed"
            self.outcome = "error" if is_outside else "failed"
        elif self.outcome in ("failed", "error"):
            pass  # a subtest failed before
        elif outcome == "skipped":
            self.outcome = "xfailed" if is_expected else "skipped"
        elif report.when == "call":
            self.outcome = "xpassed" if is_expected else "passed"

    def take_texts(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Add the failure and the captured output of a report, which includes the earlier parts."""
        if report.failed:
            self._failures.append(_traceback(report))
        elif report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self._failures.append(getattr(report, "wasxfail", "") or reason)
        if report.sections:
            parts = (f"{title}\n{text.rstrip()}\n" for title, text in report.sections)
            self._output = "\n".join(parts)

    def report(self) -> dict[str, Any]:
        """It as the server takes it."""
        return {
            "id": self._id,
            "outcome": self.outcome,
            "seconds": round(self._seconds, 3),
            "reruns": self._reruns,
            "failure": "\n\n".join(filter(None, self._failures))[-SENT_TEXT:],
            "output": self._output[-SENT_TEXT:],
        }


def _traceback(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test failed, with the blanks before its first line that ``longreprtext`` strips."""
    text = report.longreprtext
    return f"    {text}" if text.startswith(_CODE) else text


class ReportSender:
    """Sends reports in their order, in a thread, so that no test waits for the server; none any
    more once it did not take one.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._waiting: deque[dict[str, Any]] = deque(maxlen=_MOST_WAITING)
        self._news = threading.Event()
        self._ending = threading.Event()
        self._is_there = True
        self._thread = threading.Thread(target=self._run, name="workbench-reports", daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def put(self, report: dict[str, Any]) -> None:
        """Send a test, or ``{"session": …}``, soon."""
        if self._is_there:
            self._waiting.append(report)
            self._news.set()

    def end(self) -> None:
        """Send what waits, for a limited time."""
        self._ending.set()
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join(_PATIENCE_SECONDS)

    def _run(self) -> None:
        while self._is_there and not self._ending.is_set():
            self._news.wait()
            self._news.clear()
            while self._waiting and self._send():
                self._ending.wait(_PAUSE_SECONDS)

    def _send(self) -> bool:
        """Send the first reports. Return True if that was possible."""
        from workbench.io.network.control_client import ControlClient, ControlError

        reports = [self._waiting[n] for n in range(min(_MOST_AT_ONCE, len(self._waiting)))]
        body: dict[str, Any] = {"tests": list(map(_sendable, _tests_of(reports)))}
        for report in reports:
            body |= {"session": report["session"]} if "session" in report else {}
        try:
            ControlClient(self._url, _PATIENCE_SECONDS).report_tests(body)
        except ControlError:  # it is gone, or older than this plugin
            self._is_there = False
            self._waiting.clear()
            return False
        except Exception:
            return False  # the suite forbids sockets, by errors of its own, perhaps for some tests
        for _ in reports:
            self._waiting.popleft()
        return True


def _tests_of(reports: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    return (report for report in reports if "session" not in report)


def _places(args: list[str], positional: list[str]) -> list[int] | None:
    """The indexes of the positional arguments among all; None if some have another source, such as
    the settings of the project.
    """
    places: list[int] = []
    for argument in positional:
        free = (n for n, each in enumerate(args) if each == argument and n not in places)
        place = next(free, None)
        if place is None:
            return None
        places.append(place)
    return places


def _sendable(value: Any) -> Any:
    """A value with lone surrogates, which JSON in UTF-8 cannot contain, as escapes."""
    if isinstance(value, dict):
        return {key: _sendable(part) for key, part in value.items()}
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
