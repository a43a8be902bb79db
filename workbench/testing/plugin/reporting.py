"""What tests found out, collected from their reports: where there are workers, from theirs too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypedDict

import pytest

from workbench.testing.plugin.project import Project

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalResults


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
        self._evals: EvalResults | None = None

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
            if self._evals is None:
                from workbench.testing.evals.results import EvalResults

                self._evals = EvalResults(self._project)
            self._evals.take(found)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._evals is None:
            return
        if self._evals.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        self._evals.save()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        out = terminalreporter
        if taken := self._project.options.taken:
            out.line(f"workbench: another plugin has {', '.join(taken)}; ours is off")
        for title, lines in self._sections():
            from workbench.core.inert import escaped

            out.section(title)
            for line in lines:
                out.line(escaped(line))

    def _sections(self) -> Iterator[tuple[str, Iterable[str]]]:
        """What is told at the end: the title of each section and its lines."""
        if self._evals is not None:
            yield "evals", self._evals.lines()
        if self._causes:
            what = "failed" if self._project.options.no_skip else "skipped"
            causes = [f"{count:>4}  {cause}" for cause, count in self._causes.items()]
            yield f"tests {what} for want of a backend", causes
        if self._misses:
            from workbench.testing.plugin import misses

            project, here = self._project, self._config.invocation_params.dir
            lines = misses.summary(self._misses, project.log.path, project.fixtures, here)
            yield "requests that nothing answered", lines
