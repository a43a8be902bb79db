"""What golden queries reached: pass rates over repeated runs, kept as JSON.

A report is ``.workbench/evals/<time>.json``::

    {"version": 1, "started": "2026-11-21T10:12:00+00:00", "live": false, "repeat": 5,
     "queries": [
       {"id": "red-under-30", "query": "…", "test": "tests/test_wine.py::test_search[red-under-30]",
        "command": "pytest …", "required": 0.8, "rate": 0.8, "passed": true, "skipped": null,
        "runs": [
          {"run": 1, "passed": true, "seconds": 0.02, "failure": null,
           "checks": [{"name": "tool", "passed": true, "inconclusive": false, "reason": ""}],
           "calls": [{"name": "search_wines", "arguments": {"max_price": 30}}],
           "exchanges": ["<digest>"]}]}]}

``rate`` is null for a query that was skipped; its ``skipped`` says why.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from workbench.io.atomic import write_atomic
from workbench.io.state_folder import StateFolder

VERSION: Final = 1
_MOST_REPORTS: Final = 50


@dataclass(slots=True)
class Run:
    """One run of a query's test."""

    run: int
    passed: bool
    seconds: float
    failure: str | None = None
    checks: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    exchanges: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Query:
    """A query and its runs.

    Attributes:
        test: the test's id without the number of the run.
        required: the part of the runs that must pass.
        skipped: why it did not run, or None.
    """

    id: str
    query: str
    test: str
    required: float = 1.0
    skipped: str | None = None
    runs: list[Run] = field(default_factory=list)

    @property
    def rate(self) -> float | None:
        if not self.runs:
            return None
        return sum(run.passed for run in self.runs) / len(self.runs)

    @property
    def passed(self) -> bool:
        return self.rate is None or self.rate >= self.required

    @property
    def first_failure(self) -> str:
        failed = [run for run in self.runs if not run.passed]
        if not failed:
            return ""
        first = min(failed, key=lambda run: run.run)  # workers end theirs in any order
        return f"{first.failure} (run {first.run})"


@dataclass(slots=True)
class Report:
    """What a session of tests found out about its queries."""

    live: bool
    repeat: int
    started: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    queries: dict[str, Query] = field(default_factory=dict)

    def query(self, id: str, query: str, test: str, required: float) -> Query:
        """The entry of a test; made at its first run."""
        return self.queries.setdefault(test, Query(id, query, test, required))

    @property
    def failed(self) -> list[Query]:
        return [query for query in self.queries.values() if not query.passed]

    def command(self, query: Query) -> str:
        """What repeats a query in a shell."""
        test, bracket, parameters = query.test.partition("[")
        words = ["pytest", query.test]
        if self.repeat > 1:
            # The run's number stands in the brackets: picked by what stands before it.
            named = ["-k", f"[{parameters[:-1]}-run"] if bracket else []
            words = ["pytest", test, *named, "--llm-repeat", str(self.repeat)]
        return shlex.join([*words, *(["--llm-live"] if self.live else [])])

    def as_json(self) -> dict[str, Any]:
        queries = []
        for query in self.queries.values():
            runs = [asdict(run) for run in sorted(query.runs, key=lambda run: run.run)]
            queries.append(
                {
                    "id": query.id,
                    "query": query.query,
                    "test": query.test,
                    "command": self.command(query),
                    "required": query.required,
                    "rate": query.rate,
                    "passed": query.passed,
                    "skipped": query.skipped,
                    "runs": runs,
                }
            )
        return {
            "version": VERSION,
            "started": self.started,
            "live": self.live,
            "repeat": self.repeat,
            "queries": queries,
        }

    def save(self, state: StateFolder) -> Path:
        """Keep this report beside the last ones. Raises OSError."""
        folder = state.ensure() / "evals"
        folder.mkdir(exist_ok=True)
        stamp = self.started.replace(":", "").replace("+0000", "Z")
        file = folder / f"{stamp}.json"
        text = json.dumps(self.as_json(), indent=2, ensure_ascii=False, default=str)
        write_atomic(file, text.encode("utf-8", "backslashreplace") + b"\n")
        for old in sorted(folder.glob("*.json"))[:-_MOST_REPORTS]:
            old.unlink(missing_ok=True)
        return file


def lines(report: Report) -> Iterable[str]:
    """The report for the terminal."""
    width = max((len(query.id) for query in report.queries.values()), default=0)
    for query in report.queries.values():
        if query.rate is None:
            yield f"{query.id:{width}}  skipped  {query.skipped}"
            continue
        passed = sum(run.passed for run in query.runs)
        rate = f"{passed}/{len(query.runs)}  {query.rate:4.0%}"
        wanted = "" if query.passed else f"  under {query.required:.0%}"
        yield f"{query.id:{width}}  {rate}{wanted}  {query.first_failure}".rstrip()
        if not query.passed:
            yield f"{'':{width}}  again: {report.command(query)}"
