"""The tests of the suite, as the pytest plugin reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from workbench.core.answering.errors import RefusedError
from workbench.core.json.values import is_number
from workbench.core.log.lines import test_name
from workbench.core.secrets.heads import without_keys
from workbench.core.suite_tests import (
    MAX_ID,
    MAX_TESTS,
    OUTCOMES,
    SENT_TEXT,
    PytestSession,
    ReportedTest,
    ReportedTests,
    SuiteReport,
    end_of_text,
)
from workbench.server.events import Events

MOST_AT_ONCE: Final = 1_000
# More than there are tests, or arguments of a command.
MOST: Final = 10_000_000


class ReportedSuite:
    """Keeps the tests of the last run of the suite, and notifies listeners of changes."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._run = 1
        self._last = 0
        self._session: PytestSession | None = None
        self._tests = ReportedTests()
        # By the names of tests, as requests have them.
        self._requests: Counter[str] = Counter()
        self._ids: dict[str, str] = {}

    def begin_again(self) -> None:
        """Forget the tests: the suite is run again."""
        self._run += 1
        self._session, self._tests = None, ReportedTests()
        self._requests.clear()
        self._ids.clear()
        self._announce()

    def take(self, session: PytestSession | None, tests: Iterable[ReportedTest]) -> None:
        """Keep what was reported, without secrets (``read_report``)."""
        self._session = session or self._session
        for test in tests:
            self._ids[test.name] = test.id
            self._put(test)
        if len(self._ids) > MAX_TESTS:
            self._ids = {test.name: test.id for test in self._tests}
        self._announce()

    def begins(self, test: str) -> None:
        """Count the requests of a test from now on."""
        self._requests[test_name(test)] = 0
        if len(self._requests) > MAX_TESTS:
            del self._requests[next(iter(self._requests))]

    def count_request(self, name: str) -> None:
        """Count a request of a running test, whose ``name`` is as requests have it."""
        if name in self._requests:
            self._requests[name] += 1
            test = self._tests.get(self._ids.get(name, ""))
            if test is not None:
                self._put(test)
                self._announce()

    def after(self, last: int) -> SuiteReport:
        """The tests that changed after the change with the number ``last``."""
        changed = [test for test in self._tests if test.number > last]
        changed.sort(key=lambda test: test.number)
        return SuiteReport(self._run, self._last, self._session, changed)

    def _put(self, test: ReportedTest) -> None:
        self._last += 1
        self._tests.put(test._replace(number=self._last, requests=self._requests[test.name]))

    def _announce(self) -> None:
        self._events.publish("tests", {"last": self._last})


def read_report(body: Mapping[str, Any]) -> tuple[PytestSession | None, list[ReportedTest]]:
    """The session, if one is in it, and the tests of a report, within limits and without secrets.

    Raises:
        RefusedError: the report has another form, or too many tests.
    """
    session, tests = body.get("session"), body.get("tests", [])
    if not isinstance(tests, list) or not all(isinstance(test, dict) for test in tests):
        raise RefusedError(400, "invalid_value", "tests must be a list of objects")
    if len(tests) > MOST_AT_ONCE:
        raise RefusedError(400, "too_many", f"tests has more than {MOST_AT_ONCE:,} tests")
    return None if session is None else _session(session), [_test(test) for test in tests]


def _session(value: object) -> PytestSession:
    session: dict[str, Any] = value if isinstance(value, dict) else {}
    root, paths = session.get("root"), session.get("paths")
    places = paths if isinstance(paths, list) else []
    arguments, collected = session.get("arguments", -1), session.get("collected", 0)
    has_lists = isinstance(paths, list | None)
    if (
        not isinstance(root, str)
        or not has_lists
        or not all(map(_counts, [arguments, collected, *places]))
    ):
        raise RefusedError(
            400,
            "invalid_value",
            "session must have root (a string), arguments and collected (integers), and paths (a "
            "list of integers, or null)",
        )
    return PytestSession(str(root), arguments, paths, collected)


def _counts(value: object) -> bool:
    """True if a value is a valid count."""
    return is_number(value) and isinstance(value, int) and 0 <= value <= MOST


def _test(value: Mapping[str, Any]) -> ReportedTest:
    name, seconds = value.get("id"), value.get("seconds", 0.0)
    outcome = next((each for each in OUTCOMES if each == value.get("outcome")), None)
    reruns, texts = value.get("reruns", 0), [value.get("failure", ""), value.get("output", "")]
    if not isinstance(name, str) or not name:
        raise RefusedError(400, "invalid_value", "id of a test must be a string that is not empty")
    if outcome is None:
        raise RefusedError(400, "invalid_value", f"outcome must be one of {', '.join(OUTCOMES)}")
    if not is_number(seconds) or not 0 <= seconds <= MOST or not _counts(reruns):
        raise RefusedError(400, "invalid_value", "seconds and reruns must be numbers")
    if not all(isinstance(text, str) for text in texts):
        raise RefusedError(400, "invalid_value", "failure and output must be strings")
    from workbench.core.secrets.scan import without_secrets  # its patterns take long to load

    kept = without_keys(name[:MAX_ID])
    failure, output = (end_of_text(without_secrets(text[-SENT_TEXT:])) for text in texts)
    return ReportedTest(kept, outcome, kept == name, float(seconds), reruns, failure, output)
