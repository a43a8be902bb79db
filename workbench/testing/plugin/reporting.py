"""Collects the results in the reports of tests, also from the workers of pytest-xdist."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypedDict

import pytest

from workbench.testing.plugin.project import Project

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalResult, EvalResults
    from workbench.testing.plugin.running import RunningServer
    from workbench.testing.plugin.unanswered import Unanswered


class Reported(TypedDict, total=False):
    """The plugin's additions to a report, as JSON values, because reports are sent between
    processes.

    Attributes:
        cause: the missing backend for which the test was skipped, or failed (--llm-no-skip).
        misses: ``{"request", "reason"}`` of each request that nothing answered; the request is a
            digest, or method and path if that is not supported.
        remarks: the parts that its recorded fixtures leave out (--llm-record).
    """

    cause: str
    misses: list[dict[str, str]]
    eval: EvalResult
    remarks: list[str]


ATTRIBUTE: Final = "workbench"


class Reporter:
    """A plugin for the process that shows the results, not for the workers of pytest-xdist."""

    def __init__(
        self, config: pytest.Config, project: Project, server: RunningServer | None
    ) -> None:
        self._config = config
        self._project = project
        self._server = server
        self._misses: dict[str, list[dict[str, Any]]] = {}
        self._causes: Counter[str] = Counter()
        self._remarks: dict[str, None] = {}
        self._evals: EvalResults | None = None

    def pytest_sessionstart(self) -> None:
        self._project.log.begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reported: Reported = getattr(report, ATTRIBUTE, Reported())
        for miss in reported.get("misses", []):
            seen = self._misses.setdefault(miss["request"], [])
            seen.append({"test": report.nodeid, "reason": miss["reason"]})
        self._remarks |= dict.fromkeys(reported.get("remarks", []))
        if "cause" in reported:
            self._causes[reported["cause"]] += 1
        if "eval" in reported:
            if self._evals is None:
                from workbench.testing.evals.results import EvalResults

                options = self._project.options
                self._evals = EvalResults(
                    self._project.state, live=options.live, repeat=options.repeat
                )
            self._evals.take(reported["eval"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._evals is not None:
            if self._evals.failed and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
            self._evals.save()
        self._project.log.end(int(session.exitstatus))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        out = terminalreporter
        if taken := self._project.options.taken:
            flags = ", ".join(taken)
            out.line(f"workbench: note: another plugin defines {flags} and keeps it")
        for title, lines in self._sections():
            from workbench.core.text.inert import escaped
            from workbench.io.github_workflow import without_commands

            out.section(title)
            for line in lines:
                out.line(without_commands(escaped(line)))

    def _sections(self) -> Iterator[tuple[str, Iterable[str]]]:
        """The title and the lines of each section at the end."""
        if self._evals is not None:
            yield "evals", self._evals.lines()
        if self._causes:
            what = "failed" if self._project.options.no_skip else "skipped"
            causes = [f"{count:>4}  {cause}" for cause, count in self._causes.items()]
            yield f"tests {what}: backend missing", causes
        if self._remarks:
            yield "recorded fixtures that are incomplete", self._remarks
        if unanswered := self._unanswered():
            from workbench.testing.plugin.unanswered import lines

            here = self._config.invocation_params.dir
            yield "unanswered requests", lines(unanswered, here)

    def _unanswered(self) -> dict[str, Unanswered]:
        """The requests that neither mocks nor the server answered, by digest, or by method and
        path.
        """
        unanswered = {} if self._server is None else self._server.unanswered()
        if not self._misses:
            return unanswered
        from workbench.core.log.lines import test_name
        from workbench.core.text.digests import is_digest
        from workbench.testing.plugin.unanswered import Unanswered

        project = self._project
        log = project.requests
        for request, seen in self._misses.items():
            digest = request if is_digest(request) else None
            is_broken = digest is not None and project.has_broken(digest)
            mocked = Unanswered(digest, seen[0]["reason"], log, is_broken)
            tests = unanswered.setdefault(request, mocked).tests
            tests |= {test_name(each["test"]): None for each in seen}
        return unanswered
