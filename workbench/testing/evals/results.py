"""What the evals of a test session reached, for the terminal and for the report file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.core.runs import lines as run_lines
from workbench.core.runs.evals import Query, Report, run_of
from workbench.core.runs.exchanges import Exchange
from workbench.io.eval_reports import ReportWriter
from workbench.testing.evals import terminal
from workbench.testing.plugin.project import Project

if TYPE_CHECKING:
    from workbench.testing.plugin.reporting import Found


class EvalResults:
    """The results of a session's evals, gathered from the reports of its tests."""

    def __init__(self, project: Project) -> None:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._report = Report(started, live=project.options.live, repeat=project.options.repeat)
        self._writer = ReportWriter(project.state, started)
        self._saved = ""

    def take(self, found: Found) -> None:
        """Take in what a report tells of an eval."""
        report, test = self._report, found["query"]["test"]
        if test not in report.queries:
            report.queries[test] = Query(**found["query"])
        if "skipped" in found:
            report.queries[test].skipped = found["skipped"]
            return
        run = run_of(found["run"])
        asked = [run_lines.parse(line.encode()) for line in found["exchanges"]]
        with contextlib.suppress(OSError):  # costs no test its result
            run.exchanges = self._writer.keep(one for one in asked if isinstance(one, Exchange))
        report.queries[test].runs.append(run)

    @property
    def failed(self) -> bool:
        """Whether too few runs of an eval passed."""
        return bool(self._report.failed)

    def save(self) -> None:
        """Write the report; that it cannot be written is told with the results."""
        try:
            self._saved = str(self._writer.save(self._report))
        except OSError as error:
            self._saved = f"(not saved: {error})"

    def lines(self) -> Iterable[str]:
        """The results for the terminal."""
        return [*terminal.lines(self._report), f"Report: {self._saved}"]
