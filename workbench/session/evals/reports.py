"""The reports of golden queries in a folder: which one is shown, and which run of each query."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from workbench.core.evals import Query, QueryRun, Report
from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import Exchange
from workbench.io.recordings.eval_reports import SUFFIX, journal_of, load
from workbench.io.recordings.recording_file import Recording
from workbench.session.evals.eval_query import eval_query

# Limit of the rates of one query in earlier reports.
MOST_RATES: Final = 8

CheckVerdict = Literal["holds", "fails", "inconclusive", "not made"]


class KeptReport(NamedTuple):
    """A report, and the journal of its exchanges; None if that cannot be read."""

    report: Report
    journal: Recording | None


EvalNews = dict[str, KeptReport | str | None]
"""What was read of some reports, by their names without the suffix: why one cannot be read, None
for one that is gone.
"""


class CheckResult(NamedTuple):
    """The result of one check in all runs of a query: it held in ``held`` of ``made``."""

    verdict: CheckVerdict
    held: int = 0
    made: int = 0


class ReportIndex:
    """The reports of a folder, and what is shown of them. ``read`` is slow, to be called in a
    thread; the rest is fast.

    Attributes:
        unreadable: why other reports cannot be read, by their names.
        name: of the report that is shown; None for none.
        queries: the list of its queries, by their tests.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: dict[str, KeptReport] = {}
        self.unreadable: dict[str, str] = {}
        self.name: str | None = None
        self.queries = eval_query()
        self._runs: dict[str, int] = {}
        self._exchanges: dict[str, int] = {}

    # Reports

    def read(self, names: Iterable[str]) -> EvalNews:
        """Read the reports among ``names``."""
        paths = (self.folder / name for name in names if name.endswith(SUFFIX))
        return {path.stem: _read(path) for path in paths}

    def apply(self, news: EvalNews) -> None:
        """Store the results of ``read``. Where the newest report that can be read was shown, or one
        that is gone, the newest is shown now; where none can be read, the newest of all.
        """
        was_newest = self.name == self._newest
        for name, report in news.items():
            self.reports.pop(name, None)
            self.unreadable.pop(name, None)
            if isinstance(report, str):
                self.unreadable[name] = report
            elif report is not None:
                self.reports[name] = report
        self.show(self._newest if was_newest or self.name not in self.names else self.name)

    @property
    def names(self) -> list[str]:
        """The names of all reports, unreadable ones included, newest first."""
        return sorted((*self.reports, *self.unreadable), reverse=True)

    @property
    def _newest(self) -> str | None:
        return max(self.reports or self.unreadable, default=None)

    @property
    def newest(self) -> Report | None:
        """The newest report that can be read."""
        return self.reports[max(self.reports)].report if self.reports else None

    @property
    def report(self) -> Report | None:
        """The report that is shown; None for none, and for one that cannot be read."""
        kept = self.reports.get(self.name or "")
        return kept.report if kept else None

    def show(self, name: str | None) -> None:
        """Show a report as it is now; of another one the first failed run of each query."""
        if name != self.name:
            self.name = name
            self._runs, self._exchanges = {}, {}
        self.queries.set_items(self.report.queries if self.report else {})

    def step_report(self, by: int) -> bool:
        """Show a report ``by`` places older. Return True if there is one."""
        names = self.names
        place = names.index(self.name) + by if self.name in names else 0
        if not 0 <= place < len(names):
            return False
        self.show(names[place])
        return True

    # Queries

    @property
    def checks(self) -> list[str]:
        """The names of all checks of the report, in the order in which they were made."""
        queries = self.report.queries.values() if self.report else ()
        made = (check for query in queries for run in query.runs for check in run.checks)
        return list(dict.fromkeys(check.name for check in made))

    def rates(self, query: Query) -> list[int]:
        """The percentages of a query in this report and those before it, the oldest first."""
        names = sorted(name for name in self.reports if name <= (self.name or ""))
        queries = (self.reports[name].report.queries.get(query.test) for name in names)
        rates = [past.percent for past in queries if past and past.percent is not None]
        return rates[-MOST_RATES:]

    # The run of a query

    def run(self, query: Query) -> QueryRun | None:
        """The run that is shown: at first the first failed one."""
        if not query.runs:
            return None
        number = self._runs.get(query.test)
        if number is None:
            return query.first_failed or query.runs[0]
        return query.runs[min(number, len(query.runs) - 1)]

    def exchanges(self, run: QueryRun) -> list[Exchange | str]:
        """The exchanges of a run; for one that cannot be read, the reason."""
        kept = self.reports.get(self.name or "")
        return [_exchange(kept.journal if kept else None, place) for place in run.exchanges]

    def step_run(self, query: Query, by: int) -> None:
        """Show the next or the previous run, wrapping around."""
        run = self.run(query)
        if run is not None:
            self._runs[query.test] = (query.runs.index(run) + by) % len(query.runs)
            self._exchanges.pop(query.test, None)

    def exchange_number(self, query: Query) -> int:
        """Which of the exchanges of the run is shown, from 0."""
        run = self.run(query)
        last = len(run.exchanges) - 1 if run else 0
        return max(min(self._exchanges.get(query.test, 0), last), 0)

    def step_exchange(self, query: Query, by: int) -> bool:
        """Show another exchange of the run. Return True if there is one."""
        run = self.run(query)
        number = self.exchange_number(query) + by
        if run is None or not 0 <= number < len(run.exchanges):
            return False
        self._exchanges[query.test] = number
        return True


def _read(path: Path) -> KeptReport | str | None:
    try:
        return KeptReport(load(path), _journal(journal_of(path)))
    except FileNotFoundError:
        return None
    except (FormatError, OSError) as error:
        return str(error)


def _journal(path: Path) -> Recording | None:
    try:
        return Recording(path)
    except (FormatError, OSError):
        return None


def _exchange(journal: Recording | None, place: int) -> Exchange | str:
    """The exchange at ``place`` in a report's journal, or why it cannot be read."""
    if journal is None:
        return "the journal beside the report is missing or damaged"
    if not 1 <= place <= len(journal):
        return f"the journal beside the report has no exchange {place}"
    try:
        return journal.exchange(place)
    except (FormatError, OSError) as error:
        return str(error)


def result(query: Query, name: str) -> CheckResult:
    """The result of the check ``name`` in all runs of a query."""
    made = [[check for check in run.checks if check.name == name] for run in query.runs]
    made = [checks for checks in made if checks]
    held = sum(all(checks) for checks in made)
    if held == len(made):
        return CheckResult("holds" if made else "not made", held, len(made))
    failed = any(not check and not check.inconclusive for checks in made for check in checks)
    return CheckResult("fails" if failed else "inconclusive", held, len(made))
