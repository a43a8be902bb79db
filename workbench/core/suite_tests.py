"""The tests of a suite: what the pytest plugin reports to a server, and the server to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, get_args

from workbench.core.log.lines import test_name

Outcome = Literal["running", "passed", "failed", "error", "skipped", "xfailed", "xpassed"]
"""``error``: a fixture of pytest, or the collection of a file, failed; the others as in pytest."""
OUTCOMES: Final[Sequence[Outcome]] = get_args(Outcome)

MAX_ID: Final = 2_000
# Of the failure of a test, and of what it printed.
MAX_TEXT: Final = 16_000
# More of it is sent, so that a credential is found at whose middle it is cut.
SENT_TEXT: Final = MAX_TEXT + 1_024
# Of all tests together.
MAX_TEXTS: Final = 16_000_000
MAX_TESTS: Final = 10_000


class PytestSession(NamedTuple):
    """A run of pytest.

    Attributes:
        root: the folder that the ids of its tests begin in.
        arguments: how many arguments it was started with.
        paths: the places of those that name what to run; None where an option also names it.
        collected: how many tests it runs; 0: not known yet.
    """

    root: str
    arguments: int
    paths: list[int] | None
    collected: int = 0


class ReportedTest(NamedTuple):
    """A test, or a file that could not be collected.

    Attributes:
        id: pytest's id: ``tests/test_a.py::test_b[c]``.
        is_whole: False if keys in the id are masked, or a very long id is cut.
        seconds: duration, with setup and teardown.
        reruns: how often it was run again after a failure.
        failure: the traceback, or the reason for the skip.
        output: captured output, with headings.
        requests: how many it sent to the server.
        number: grows with each change of any test.
    """

    id: str
    outcome: Outcome
    is_whole: bool = True
    seconds: float = 0.0
    reruns: int = 0
    failure: str = ""
    output: str = ""
    requests: int = 0
    number: int = 0

    @property
    def name(self) -> str:
        """Its name as requests and misses have it."""
        return test_name(self.id)

    @property
    def characters(self) -> int:
        """The number of characters of its failure and output."""
        return len(self.failure) + len(self.output)


class SuiteReport(NamedTuple):
    """A server's data on the tests of a suite.

    Attributes:
        run: a unique number for each run of the suite.
        last: the highest number of a test.
        session: None before the first report.
        tests: the changed tests, in the order of their numbers.
    """

    run: int
    last: int
    session: PytestSession | None
    tests: list[ReportedTest]


class ReportedTests:
    """Tests by their ids, in the order of their first report. If there are very many, the output of
    the oldest is dropped first, then the tests themselves.
    """

    def __init__(self) -> None:
        self._tests: dict[str, ReportedTest] = {}
        self._characters = 0

    def __len__(self) -> int:
        return len(self._tests)

    def __iter__(self) -> Iterator[ReportedTest]:
        return iter(self._tests.values())

    def get(self, id: str) -> ReportedTest | None:
        return self._tests.get(id)

    def put(self, test: ReportedTest) -> None:
        """Add a test, or replace it."""
        self._set(test)
        if len(self._tests) > MAX_TESTS:
            self._characters -= self._tests.pop(next(iter(self._tests))).characters
        if self._characters > MAX_TEXTS:
            for other in list(self._tests.values()):
                if other.id != test.id:
                    self._set(other._replace(failure="", output=""))
                if self._characters <= MAX_TEXTS / 2:
                    return

    def _set(self, test: ReportedTest) -> None:
        before = self._tests.get(test.id)
        self._characters += test.characters - (before.characters if before is not None else 0)
        self._tests[test.id] = test


def end_of_text(text: str) -> str:
    """A text of a test as it is kept: all of it, or its end."""
    return text if len(text) <= MAX_TEXT else f"… the beginning is left out\n{text[-MAX_TEXT:]}"
