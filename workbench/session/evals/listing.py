"""Which report of golden queries is shown, which of its queries, and in which order."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from workbench.core.runs.evals import Query, Report, Run
from workbench.session.evals.filter import NO_EVAL_FILTER
from workbench.session.evals.reports import EvalBook

EvalSort = Literal["failures first", "by name", "as collected"]
EVAL_SORTS: Final[tuple[EvalSort, ...]] = get_args(EvalSort)


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

    @property
    def newest(self) -> str | None:
        """The newest report that can be read; where none can, the newest."""
        return max(self._book.reports or self._book.damaged, default=None)

    def follow(self, newest_before: str | None) -> None:
        """Reports came or went: who looked at the newest looks at the newest now, and who looked
        at one that is gone.

        Args:
            newest_before: what was ``newest`` before.
        """
        is_gone = self.shown not in (*self._book.reports, *self._book.damaged)
        if is_gone or self.shown == newest_before:
            self.show(self.newest)

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
