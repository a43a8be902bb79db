"""Reports of golden queries: the runs of each with checks, tool calls and exchanges.

A report is a JSON file; the journal of its exchanges has the same name and the suffix
``.jsonl``::

    {"version": 1, "started": "2026-11-21T10:12:00+00:00", "live": false, "repeat": 5,
     "queries": [
       {"id": "red-under-30", "query": "…", "test": "tests/test_wine.py::test_search[red-under-30]",
        "command": "pytest …", "required": 0.8, "rate": 0.8, "passed": true, "skipped": null,
        "runs": [
          {"run": 1, "passed": true, "seconds": 0.02, "failure": null,
           "checks": [{"name": "tool", "passed": true, "inconclusive": false, "reason": ""}],
           "calls": [{"name": "search_wines", "arguments": {"max_price": 30}}],
           "exchanges": [1, 2]}]}]}

``rate`` is null for a skipped query; ``skipped`` is the reason. ``exchanges`` are positions in the
journal, from 1. ``rate``, ``passed`` and ``command`` of a query are for other programs: they follow
from its runs and its test, and are not read.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from workbench.core.formats import FormatError, checked, parse_json
from workbench.core.text import shell
from workbench.core.text.inert import escaped

VERSION: Final = 1
# One word of an expression after pytest's -k.
_WORD: Final = re.compile(r"[\w:+\-.\[\]\\/]+")


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check. It is true if the check passed, so a test can assert it.

    Attributes:
        name: name of the check, such as ``tool``.
        passed: True if the check passed.
        reason: why the check failed; "" if it passed.
        inconclusive: True if there was nothing to check; such a check has not passed.
    """

    name: str
    passed: bool
    reason: str = ""
    inconclusive: bool = False

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        """The text that a failed ``assert`` shows."""
        return f"<{self.name}: {escaped(self.reason) or 'passed'}>"


@dataclass(frozen=True, slots=True)
class CalledTool:
    """A tool that was called; the arguments as JSON has them."""

    name: str
    arguments: dict[str, Any]


@dataclass(slots=True)
class QueryRun:
    """One run of a query's test.

    Attributes:
        run: its number, from 1.
        failure: why it failed; None if it passed.
        exchanges: positions in the journal of the report.
    """

    run: int
    passed: bool
    seconds: float
    failure: str | None = None
    checks: list[Check] = field(default_factory=list)
    calls: list[CalledTool] = field(default_factory=list)
    exchanges: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Query:
    """A query and its runs.

    Attributes:
        test: the test's id without the number of the run.
        required: the share of the runs that must pass.
        skipped: why it did not run, or None.
    """

    id: str
    query: str
    test: str
    required: float = 1.0
    skipped: str | None = None
    runs: list[QueryRun] = field(default_factory=list)

    @property
    def passes(self) -> int:
        """How many runs passed."""
        return sum(run.passed for run in self.runs)

    @property
    def rate(self) -> float | None:
        return self.passes / len(self.runs) if self.runs else None

    @property
    def percent(self) -> int | None:
        """The rate, rounded down, so that 100 % means every run."""
        return self.passes * 100 // len(self.runs) if self.runs else None

    @property
    def passed(self) -> bool:
        return self.rate is None or self.rate >= self.required

    @property
    def first_failed(self) -> QueryRun | None:
        failed = [run for run in self.runs if not run.passed]
        return min(failed, key=lambda run: run.run, default=None)  # runs end in any order

    def why(self, run: QueryRun) -> str:
        """Why a run failed, without the name of the query; "" if it passed."""
        return (run.failure or "").removeprefix(f"{self.id}: ")

    @property
    def first_failure(self) -> str:
        first = self.first_failed
        return f"{self.why(first)} (run {first.run})" if first is not None else ""


@dataclass(slots=True)
class Report:
    """The results of the queries of a test session.

    Attributes:
        started: in ISO 8601 with its offset.
        live: a real model was used.
        repeat: the number of runs requested for each query.
        queries: by their tests.
    """

    started: str
    live: bool
    repeat: int
    queries: dict[str, Query] = field(default_factory=dict)

    @property
    def failed(self) -> list[Query]:
        return [query for query in self.queries.values() if not query.passed]

    def command(self, query: Query) -> str:
        """The shell command that repeats a query."""
        return command(query.test, repeat=self.repeat, live=self.live)


def encode(report: Report) -> bytes:
    value = {
        "version": VERSION,
        "started": report.started,
        "live": report.live,
        "repeat": report.repeat,
        "queries": [_query_value(report, query) for query in report.queries.values()],
    }
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _query_value(report: Report, query: Query) -> dict[str, Any]:
    runs = sorted(query.runs, key=lambda run: run.run)
    return {
        "id": query.id,
        "query": query.query,
        "test": query.test,
        "command": report.command(query),
        "required": query.required,
        "rate": query.rate,
        "passed": query.passed,
        "skipped": query.skipped,
        "runs": [asdict(run) for run in runs],
    }


def parse(data: bytes) -> Report:
    """The report of a file.

    Raises:
        FormatError: it cannot be read, or is of a later version.
    """
    value = parse_json(data)
    version = value.get("version", VERSION) if isinstance(value, dict) else VERSION
    if version != VERSION:
        raise FormatError(
            f"written in version {version} of the format; this workbench only reads {VERSION}"
        )
    file = checked(_File, value)
    report = Report(file.started, file.live, file.repeat)
    for number, query in enumerate(file.queries):
        where = f"queries[{number}]"
        if not 0 <= query.required <= 1:
            raise FormatError(f"{where}.required is {query.required}, not from 0 to 1")
        if query.test in report.queries:
            raise FormatError(f"{where}.test appears twice: {query.test}")
        report.queries[query.test] = query
    return report


@dataclass(slots=True)
class _File:
    """The file of a report, without the values that are not read."""

    version: int
    started: str
    live: bool
    repeat: int
    queries: list[Query]


def command(test: str, *, repeat: int, live: bool) -> str:
    """The command that repeats a test in a shell.

    It is built from the test's id and never read from a report: that could hold anything.
    """
    words = ["pytest", *_selected(test if test[:1] != "-" else f"./{test}", repeat)]
    words += ["--llm-repeat", str(repeat)] if repeat > 1 else []
    return shell.command([*words, *(["--llm-live"] if live else [])])


def _selected(test: str, repeat: int) -> list[str]:
    """The arguments that select all runs of a test; its brackets contain the number of the run."""
    function, bracket, parameters = test.partition("[")
    if repeat == 1 or not bracket:
        return [test]
    named = f"[{parameters[:-1]}-run"
    if _WORD.fullmatch(named):
        return [function, "-k", named]
    return [f"{function}{named}{number}]" for number in range(1, repeat + 1)]
