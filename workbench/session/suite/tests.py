"""The tests of the suite, as far as its pytest reports them."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from workbench.core.suite_tests import PytestSession, ReportedTest, ReportedTests, SuiteReport
from workbench.session.lists.filters import FilterLanguage, FilterStates, name_field
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.suite.totals import SuiteTotals

if TYPE_CHECKING:
    from workbench.session.session import Session

TestState = Literal[
    "waiting", "running", "not finished", "passed", "failed", "error", "skipped", "xfailed",
    "xpassed",
]  # fmt: skip
"""``waiting``: a request of it is held; ``not finished``: the suite ended first. The others are
outcomes.
"""
_FAILURES: Final = frozenset({"failed", "error"})
_PYTEST: Final = frozenset({"pytest", "py.test"})
# Programs that run what their arguments end with.
_RUNNERS: Final = frozenset({"env", "hatch", "pdm", "pipenv", "pixi", "poetry", "rye", "uv"})


class SuiteTests:
    """The tests of the last run of the suite.

    Attributes:
        query: their list, which ``show`` brings up to date.
        last: the number of the last change that was applied.
        session: pytest's session; None before one was reported in this run.
        was_reported: True if any run of the suite reported tests.
        totals: how many failed and passed; None without reports.
        ended: how many have ended.
    """

    def __init__(self) -> None:
        self.query: ListQuery[ReportedTest] = ListQuery({}, _LANGUAGE, _ORDERS)
        self.was_reported = False
        self.last = 0
        self._run = 0
        self._changed: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """Before another run, forget the tests of the run before."""
        self.session: PytestSession | None = None
        self.totals: SuiteTotals | None = None
        self.ended = 0
        self._kept = ReportedTests()

    def take(self, report: SuiteReport) -> None:
        """Apply a report of the server."""
        if report.run != self._run:
            self.begin()
            self._run = report.run
        self.last, self.session = report.last, report.session
        for test in report.tests:
            self._kept.put(test)
            self._changed.add(test.id)
        if self._kept:
            self.was_reported = True
            counts = Counter(test.outcome for test in self._kept)
            passed = counts["passed"] + counts["xpassed"]
            self.totals = SuiteTotals(counts["failed"], counts["error"], passed)
            self.ended = counts.total() - counts["running"]

    def show(self) -> None:
        """Bring the list up to date."""
        items = {test.id: test for test in self._kept}
        changed, self._changed = self._changed, set()
        if self.query.items.keys() - items.keys():
            self.query.set_items(items)
        else:
            self.query.items = items
            self.query.update(changed)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def failed(self) -> list[ReportedTest]:
        return [test for test in self._kept if test.outcome in _FAILURES]


def state_of_test(session: Session, test: ReportedTest) -> TestState:
    """The state of a test as the list shows it."""
    if test.outcome != "running":
        return test.outcome
    if session.suite is None or not session.suite.is_running:
        return "not finished"
    held = (session.miss_index.misses.get(digest) for digest in session.held.digests)
    is_held = any(test.name in miss.tests for miss in held if miss is not None)
    return "waiting" if is_held else "running"


def misses_by_test(session: Session) -> Mapping[str, Sequence[str]]:
    """The keys of the misses of this run, by the names of the tests that sent them."""
    index = session.miss_index
    misses: defaultdict[str, list[str]] = defaultdict(list)
    for row in index.rows.values():
        if row.run == index.run:
            for test in row.tests:
                misses[test].append(row.key)
    return misses


class CannotRunFailedError(Exception):
    """The failed tests cannot be run by themselves; the message is the reason, as a sentence."""


def command_of_failed(words: Sequence[str], tests: SuiteTests, folder: Path) -> list[str]:
    """The command that runs only the failed tests: the suite's command, with their ids instead of
    its paths.

    Args:
        words: the command of the suite.
        folder: its working directory.

    Raises:
        CannotRunFailedError: there are none, or that command would run something else.
    """
    session, failed = tests.session, tests.failed
    if session is None:
        raise CannotRunFailedError(
            "No test was reported. f needs pytest with the plugin of workbench."
        )
    if not failed:
        raise CannotRunFailedError("No test failed.")
    begin = len(words) - session.arguments
    root = Path(session.root)
    if begin < 1 or not _starts_pytest(words[:begin]) or not root.is_dir():
        raise CannotRunFailedError("The command is not pytest itself. X runs all of it again.")
    if session.paths is None:
        raise CannotRunFailedError(
            "The settings of pytest list what to run. X runs all of it again."
        )
    arguments = [w for n, w in enumerate(words[begin:]) if n not in session.paths]
    ids = dict.fromkeys(_argument(test, root, folder) for test in failed)
    return [*words[:begin], *arguments, *ids]


def _starts_pytest(words: Sequence[str]) -> bool:
    """True if words start pytest with the arguments that follow: ``pytest``, ``python -m pytest``,
    ``uv run pytest``.
    """
    *before, last = words
    is_run = not before or before[-1] == "-m" or os.path.basename(before[0]) in _RUNNERS
    return is_run and os.path.basename(last) in _PYTEST


def _argument(test: ReportedTest, root: Path, folder: Path) -> str:
    """A test as pytest takes it. Of one whose id is not known as a whole, all its parameters."""
    name = test.id if test.is_whole else test.id.partition("[")[0]
    path, colons, rest = name.partition("::")
    # Not one that begins like an option.
    return f"{os.path.join(os.curdir, os.path.relpath(root / path, folder))}{colons}{rest}"


def _word(word: str) -> Callable[[ReportedTest], bool]:
    return lambda test: word in test.id.casefold()


def _states(test: ReportedTest) -> Iterator[str]:
    yield test.outcome
    if test.outcome in _FAILURES:
        yield "failed"


_LANGUAGE: Final = FilterLanguage(
    _word,
    FilterStates(("failed", "error", "passed", "skipped", "running"), _states, is_volatile=True),
    {"file": name_field("file", "test_agent", lambda test: [test.id.partition("::")[0]])},
)
_RANKS: Final = {"failed": 0, "error": 0, "running": 1}
_ORDERS: Final[Sequence[Order[ReportedTest]]] = (
    Order("as they ran"),
    Order("failures first", lambda test: _RANKS.get(test.outcome, 2), is_volatile=True),
    Order("slowest first", lambda test: -test.seconds, is_volatile=True),
)
