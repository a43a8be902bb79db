"""What tests found out, collected from their reports: where there are workers, from theirs too."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, TypedDict

import pytest

from workbench.core import run_lines
from workbench.core.evals import Query, Report, run_of
from workbench.core.inert import escaped
from workbench.core.runs import Exchange
from workbench.io.eval_reports import ReportWriter
from workbench.testing import evals, misses
from workbench.testing.project import Project


class Found(TypedDict, total=False):
    """What a report carries of ours, as JSON values: reports travel between processes.

    Attributes:
        cause: why the test was skipped, or failed under --llm-no-skip.
        misses: ``{"request", "reason"}`` of each request that nothing answered: its digest, or
            method and path where a mock does not speak it.
        query: of an eval: its id, query, test and required pass rate.
        skipped: why an eval was skipped.
        run: of an eval that ran: the fields of its run.
        exchanges: what it asked, as lines of a journal.
    """

    cause: str
    misses: list[dict[str, str]]
    query: dict[str, Any]
    skipped: str
    run: dict[str, Any]
    exchanges: list[str]


ATTRIBUTE: Final = "workbench"


class Reporter:
    """A plugin of the process that shows the results: not of the workers of pytest-xdist."""

    def __init__(self, config: pytest.Config, project: Project) -> None:
        self._config = config
        self._project = project
        self._misses: dict[str, list[dict[str, Any]]] = {}
        self._causes: Counter[str] = Counter()
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._report = Report(started, live=project.options.live, repeat=project.options.repeat)
        self._writer = ReportWriter(project.state, started)
        self._saved = ""

    def pytest_sessionstart(self) -> None:
        self._project.log.begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found: Found = getattr(report, ATTRIBUTE, Found())
        for miss in found.get("misses", []):
            seen = self._misses.setdefault(miss["request"], [])
            seen.append({"test": report.nodeid, "reason": miss["reason"]})
        if "cause" in found:
            self._causes[found["cause"]] += 1
        if "query" in found:
            self._take(found)

    def _take(self, found: Found) -> None:
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

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._report.queries:
            return
        if self._report.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        try:
            self._saved = str(self._writer.save(self._report))
        except OSError as error:
            self._saved = f"(not saved: {error})"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        out = terminalreporter
        if taken := self._project.options.taken:
            out.line(f"workbench: another plugin has {', '.join(taken)}; ours is off")
        for title, lines in self._sections():
            out.section(title)
            for line in lines:
                out.line(escaped(line))

    def _sections(self) -> Iterator[tuple[str, Iterable[str]]]:
        """What is told at the end: the title of each section and its lines."""
        if self._report.queries:
            yield "evals", [*evals.lines(self._report), f"Report: {self._saved}"]
        if self._causes:
            what = "failed" if self._project.options.no_skip else "skipped"
            causes = [f"{count:>4}  {cause}" for cause, count in self._causes.items()]
            yield f"tests {what} for want of a backend", causes
        if self._misses:
            project, here = self._project, self._config.invocation_params.dir
            lines = misses.summary(self._misses, project.log.path, project.fixtures, here)
            yield "requests that nothing answered", lines
