"""The reports of golden queries in a folder, and the results of their checks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from workbench.core.models import FormatError
from workbench.core.runs.evals import Query, Report
from workbench.core.runs.exchanges import Exchange
from workbench.io.runs.eval_reports import SUFFIX, journal_of, load
from workbench.io.runs.recorded_run import RecordedRun

CheckVerdict = Literal["holds", "fails", "inconclusive", "not made"]


class KeptReport(NamedTuple):
    """A report, and the journal of its exchanges; None if that cannot be read."""

    report: Report
    journal: RecordedRun | None


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
    """The reports of a folder. ``read`` is slow, to be called in a thread; the rest is fast.

    Attributes:
        unreadable: why other reports cannot be read, by their names.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.reports: dict[str, KeptReport] = {}
        self.unreadable: dict[str, str] = {}

    def read(self, names: Iterable[str]) -> EvalNews:
        """Read the reports among ``names``."""
        paths = (self.folder / name for name in names if name.endswith(SUFFIX))
        return {path.stem: _read(path) for path in paths}

    def apply(self, news: EvalNews) -> None:
        """Store the results of ``read``."""
        for name, found in news.items():
            self.reports.pop(name, None)
            self.unreadable.pop(name, None)
            if isinstance(found, str):
                self.unreadable[name] = found
            elif found is not None:
                self.reports[name] = found

    @property
    def names(self) -> list[str]:
        """The names of all reports, unreadable ones included, newest first."""
        return sorted((*self.reports, *self.unreadable), reverse=True)

    @property
    def newest(self) -> Report | None:
        """The newest report that can be read."""
        return self.reports[max(self.reports)].report if self.reports else None

    def exchange(self, name: str, place: int) -> Exchange:
        """The exchange at ``place`` in a report's journal.

        Raises:
            FormatError: it is missing, or cannot be read.
            OSError: the journal cannot be read.
        """
        journal = self.reports[name].journal
        if journal is None:
            raise FormatError("the journal beside the report is missing or damaged")
        if not 1 <= place <= len(journal):
            raise FormatError(f"the journal beside the report has no exchange {place}")
        return journal.exchange(place)


def _read(path: Path) -> KeptReport | str | None:
    try:
        return KeptReport(load(path), _journal(journal_of(path)))
    except FileNotFoundError:
        return None
    except (FormatError, OSError) as error:
        return str(error)


def _journal(path: Path) -> RecordedRun | None:
    try:
        return RecordedRun(path)
    except (FormatError, OSError):
        return None


def result(query: Query, name: str) -> CheckResult:
    """The result of the check ``name`` in all runs of a query."""
    made = [[check for check in run.checks if check.name == name] for run in query.runs]
    made = [checks for checks in made if checks]
    held = sum(all(checks) for checks in made)
    if held == len(made):
        return CheckResult("holds" if made else "not made", held, len(made))
    failed = any(not check and not check.inconclusive for checks in made for check in checks)
    return CheckResult("fails" if failed else "inconclusive", held, len(made))
