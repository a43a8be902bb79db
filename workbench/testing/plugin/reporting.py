"""Collects what tests found out from their reports, those of pytest-xdist's workers included."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

import pytest

from workbench.testing.plugin.project import Project

if TYPE_CHECKING:
    from workbench.testing.evals.results import EvalResult, EvalResults


class Reported(TypedDict, total=False):
    """What the plugin adds to a report, as JSON values: reports are sent between processes.

    Attributes:
        cause: the missing backend for which the test was skipped, or failed (--llm-no-skip).
        misses: ``{"request", "reason"}`` of each request that nothing answered; the request is a
            digest, or method and path if that is not supported.
        remarks: what the fixtures that it recorded leave out (--llm-record).
    """

    cause: str
    misses: list[dict[str, str]]
    eval: EvalResult
    remarks: list[str]


ATTRIBUTE: Final = "workbench"
_MOST_SHOWN: Final = 20


class Reporter:
    """A plugin for the process that shows the results, not for the workers of pytest-xdist."""

    def __init__(self, config: pytest.Config, project: Project) -> None:
        self._config = config
        self._project = project
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
            yield "recorded fixtures that leave something out", self._remarks
        if self._misses:
            project, here = self._project, self._config.invocation_params.dir
            lines = _missed(self._misses, project.log.path, project.fixtures, here)
            yield "requests that nothing answered", lines


def _missed(
    misses: Mapping[str, list[dict[str, Any]]], log: Path, fixtures: Path, here: Path
) -> Iterable[str]:
    """The misses for the terminal: each request once, with its test and the reason, then the
    command that opens their log. They are given by digest, or by method and path.
    """
    from workbench.core.digest import is_digest, short
    from workbench.core.text import shell

    for number, (request, seen) in enumerate(misses.items()):
        if number == _MOST_SHOWN:
            yield f"… and {len(misses) - number} more"
            break
        more = f" and {len(seen) - 1} more" if len(seen) > 1 else ""
        name = short(request) if is_digest(request) else request
        yield f"{name}  {seen[0]['test']}{more}"
        yield f"    {seen[0]['reason']}"
    if not log.is_file():
        yield f"{_relative(log, here)} cannot be written."
        return
    words = ["workbench", "--log", _relative(log, here), "--fixtures", _relative(fixtures, here)]
    what = "Answer them" if any(map(is_digest, misses)) else "See them"
    yield f"{what}: {shell.command(words)}"


def _relative(path: Path, here: Path) -> str:
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
