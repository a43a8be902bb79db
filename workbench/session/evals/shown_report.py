"""Which report of golden queries is shown, and which run of each query."""

from __future__ import annotations

from typing import Final

from workbench.core.models import FormatError
from workbench.core.runs.evals import Query, QueryRun, Report
from workbench.core.runs.exchanges import Exchange
from workbench.session.evals.query import eval_query
from workbench.session.evals.reports import ReportIndex

# Limit of the rates of one query in earlier reports.
MOST_RATES: Final = 8


class ShownReport:
    """One report: the list of its queries, and which run of each is shown.

    Attributes:
        name: of the report; None for none.
        queries: those of the report, by their tests.
    """

    def __init__(self, index: ReportIndex) -> None:
        self._index = index
        self._runs: dict[str, int] = {}
        self._exchanges: dict[str, int] = {}
        self._newest: str | None = None
        self.name: str | None = None
        self.queries = eval_query()

    # Reports

    @property
    def report(self) -> Report | None:
        """The report; None for none, and for one that cannot be read."""
        kept = self._index.reports.get(self.name or "")
        return kept.report if kept else None

    def show(self, name: str | None) -> None:
        """Show a report as it is now; of another one the first failed run of each query."""
        if name != self.name:
            self.name = name
            self._runs, self._exchanges = {}, {}
        self.queries.set_items(self.report.queries if self.report else {})

    def follow(self) -> None:
        """Update after reports were added or removed: show the newest that can be read where that
        was shown before, or one that is gone. Where none can be read, the newest of all.
        """
        is_gone = self.name not in (*self._index.reports, *self._index.unreadable)
        was_newest = self.name == self._newest
        self._newest = max(self._index.reports or self._index.unreadable, default=None)
        self.show(self._newest if is_gone or was_newest else self.name)

    def step_report(self, by: int) -> bool:
        """Show a report ``by`` places older; returns whether there is one."""
        names = self._index.names
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
        names = sorted(name for name in self._index.reports if name <= (self.name or ""))
        found = (self._index.reports[name].report.queries.get(query.test) for name in names)
        rates = [past.percent for past in found if past and past.percent is not None]
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

    def asked(self, run: QueryRun) -> list[Exchange | str]:
        """The exchanges of a run; for one that cannot be read, the reason."""
        asked: list[Exchange | str] = []
        for place in run.exchanges:
            try:
                asked.append(self._index.exchange(self.name or "", place))
            except (FormatError, OSError) as error:
                asked.append(str(error))
        return asked

    def step_run(self, query: Query, by: int) -> None:
        """Show the next run, or the one before, from the end on to the start."""
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
        """Show another exchange of the run; returns whether there is one."""
        run = self.run(query)
        number = self.exchange_number(query) + by
        if run is None or not 0 <= number < len(run.exchanges):
            return False
        self._exchanges[query.test] = number
        return True
