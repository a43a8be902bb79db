"""The reports of golden queries: which there are, and the queries of the one that is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from workbench.core.evals import Query, Report, ReportError, Run
from workbench.core.runs import Exchange, RunFormatError
from workbench.io.eval_reports import SUFFIX, journal_of, load
from workbench.io.journal import Journal
from workbench.session.eval_filter import NO_EVAL_FILTER

EvalSort = Literal["failures first", "by name", "as collected"]
EVAL_SORTS: Final[tuple[EvalSort, ...]] = get_args(EvalSort)
CheckVerdict = Literal["holds", "fails", "inconclusive", "not made"]


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report, and the journal of what its queries asked: None where that cannot be read."""

    report: Report
    journal: Journal | None


@dataclass(slots=True)
class EvalNews:
    """What files of the folder turned out to be, by their names without the ending."""

    read: dict[str, KeptReport] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What came of one check in all runs of a query: it held in ``held`` of ``made``."""

    verdict: CheckVerdict
    held: int = 0
    made: int = 0


class EvalBook:
    """The reports of a folder. ``read`` is slow and for a thread; the rest is cheap.

    Attributes:
        damaged: why the others cannot be read, by their names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: dict[str, KeptReport] = {}
        self.damaged: dict[str, str] = {}

    def read(self, names: Iterable[str]) -> EvalNews:
        """Read the files of ``names`` that are reports."""
        news = EvalNews()
        for path in (self.folder / name for name in names if name.endswith(SUFFIX)):
            try:
                news.read[path.stem] = KeptReport(load(path), _journal(journal_of(path)))
            except FileNotFoundError:
                news.gone.add(path.stem)
            except (ReportError, OSError) as error:
                news.damaged[path.stem] = str(error)
        return news

    def apply(self, news: EvalNews) -> None:
        """Take in what ``read`` found."""
        for name in (*news.read, *news.damaged, *news.gone):
            self.reports.pop(name, None)
            self.damaged.pop(name, None)
        self.reports |= news.read
        self.damaged |= news.damaged

    @property
    def names(self) -> list[str]:
        """All reports, the damaged ones too, the newest first."""
        return sorted((*self.reports, *self.damaged), reverse=True)

    @property
    def newest(self) -> Report | None:
        """The newest report that can be read."""
        return self.reports[max(self.reports)].report if self.reports else None

    def exchange(self, name: str, place: int) -> Exchange:
        """What was asked at ``place`` of a report's journal.

        Raises:
            RunFormatError: it is not there, or cannot be read.
            OSError: the journal cannot be read.
        """
        journal = self.reports[name].journal
        if journal is None:
            raise RunFormatError("the journal beside the report is missing or damaged")
        if not 1 <= place <= len(journal):
            raise RunFormatError(f"the journal beside the report has no exchange {place}")
        return journal.exchange(place - 1)


def _journal(path: Path) -> Journal | None:
    try:
        return Journal(path)
    except (RunFormatError, OSError):
        return None


class EvalListing:
    """The queries of one report, and which run of each is looked at.

    Attributes:
        shown: the name of the report; None for none.
    """

    def __init__(self, book: EvalBook) -> None:
        self._book = book
        self._runs: dict[str, int] = {}
        self._exchanges: dict[str, int] = {}
        self.shown: str | None = None
        self.filter = NO_EVAL_FILTER
        self.sort: EvalSort = EVAL_SORTS[0]

    # Reports

    @property
    def report(self) -> Report | None:
        """The report that is shown; None for none, and for one that is damaged."""
        kept = self._book.reports.get(self.shown or "")
        return kept.report if kept else None

    def show(self, name: str | None) -> None:
        """Show another report; its runs are looked at from the first failed one on."""
        if name != self.shown:
            self.shown = name
            self._runs, self._exchanges = {}, {}

    def follow(self, newest_before: str | None) -> None:
        """Reports came or went: who looked at the newest looks at the newest now, and who looked
        at one that is gone.

        Args:
            newest_before: the newest one that could be read before.
        """
        is_gone = self.shown not in (*self._book.reports, *self._book.damaged)
        if is_gone or self.shown == newest_before:
            self.show(max(self._book.reports or self._book.damaged, default=None))

    def step_report(self, by: int) -> bool:
        """Show a report ``by`` places older; returns whether there is one."""
        names = self._book.names
        place = names.index(self.shown) + by if self.shown in names else 0
        if not 0 <= place < len(names):
            return False
        self.show(names[place])
        return True

    # Queries

    def query(self, test: str | None) -> Query | None:
        return self.report.queries.get(test or "") if self.report else None

    def tests(self) -> list[str]:
        """The tests of the queries to show, in order."""
        queries = self.report.queries.values() if self.report else ()
        wanted = [query for query in queries if self.filter.matches(query)]
        return [query.test for query in sorted(wanted, key=self._rank)]

    def _rank(self, query: Query) -> Any:
        match self.sort:
            case "failures first":
                rate = query.rate
                return query.passed, rate is None, rate
            case "by name":
                return query.id.casefold(), query.test
            case "as collected":
                return 0

    @property
    def checks(self) -> list[str]:
        """The names of all checks of the report, in the order in which they were made."""
        queries = self.report.queries.values() if self.report else ()
        made = (check for query in queries for run in query.runs for check in run.checks)
        return list(dict.fromkeys(check.name for check in made))

    # The run of a query that is looked at

    def run(self, query: Query) -> Run | None:
        """The run that was stepped to: at first the first failed one."""
        if not query.runs:
            return None
        number = self._runs.get(query.test)
        if number is None:
            return query.first_failed or query.runs[0]
        return query.runs[min(number, len(query.runs) - 1)]

    def step_run(self, query: Query, by: int) -> None:
        """Look at the next run, or the one before, round the end."""
        run = self.run(query)
        if run is not None:
            self._runs[query.test] = (query.runs.index(run) + by) % len(query.runs)
            self._exchanges.pop(query.test, None)

    def exchange_number(self, query: Query) -> int:
        """Which of the exchanges of the run is looked at, from 0."""
        run = self.run(query)
        last = len(run.exchanges) - 1 if run else 0
        return max(min(self._exchanges.get(query.test, 0), last), 0)

    def step_exchange(self, query: Query, by: int) -> bool:
        """Look at another exchange of the run; returns whether there is one."""
        run = self.run(query)
        number = self.exchange_number(query) + by
        if run is None or not 0 <= number < len(run.exchanges):
            return False
        self._exchanges[query.test] = number
        return True


def result(query: Query, name: str) -> CheckResult:
    """What came of the check called ``name`` in all runs of a query."""
    made = [[check for check in run.checks if check.name == name] for run in query.runs]
    made = [checks for checks in made if checks]
    held = sum(all(checks) for checks in made)
    if held == len(made):
        return CheckResult("holds" if made else "not made", held, len(made))
    failed = any(not check and not check.inconclusive for checks in made for check in checks)
    return CheckResult("fails" if failed else "inconclusive", held, len(made))
