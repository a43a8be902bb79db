"""Reports of golden queries to test with, written as the pytest plugin writes them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.recorded import chat, user
from workbench.core.evals import CalledTool, Check, Query, QueryRun, Report
from workbench.core.recordings.exchanges import Exchange
from workbench.io.recordings.eval_reports import ReportWriter
from workbench.io.state_folder import StateFolder

STARTED = "2026-11-20T10:12:00+00:00"
TEST = "tests/test_wine.py::test_search"
CHECKS = ("tool", "filters", "grounded", "relevant")


def query(
    id: str, text: str, *runs: QueryRun, required: float = 1.0, skipped: str | None = None
) -> Query:
    return Query(id, text, f"{TEST}[{id}]", required, skipped, [*runs])


def _run(number: int, price: float, wrong: str = "", why: str = "") -> QueryRun:
    """A run that passed, or one whose check ``wrong`` does not hold: the last it made."""
    made = CHECKS[: CHECKS.index(wrong) + 1] if wrong else CHECKS
    checks = [Check(name, name != wrong, why if name == wrong else "") for name in made]
    calls = [CalledTool("search_wines", {"query": "wine", "max_price": price})]
    return QueryRun(number, not wrong, 0.02 * number, why or None, checks, calls)


RED = "red-under-30: max_price: expected 30 ±20%, got 50"
WHITE = "score 0.21 of result 1 is not above 0.25"


def queries() -> list[Query]:
    """One that mostly passes, one that passes often enough, one that was skipped."""
    red = [_run(n, 50, "filters", RED) if n == 3 else _run(n, 30) for n in range(1, 6)]
    white = [_run(n, 20, "relevant", WHITE) if n == 1 else _run(n, 20) for n in range(1, 6)]
    return [
        query("red-under-30", "red wine under 30", *red),
        query("white-for-fish", "a white for fish", *white, required=0.75),
        query("no-such-grape", "a Grünkern of 1800", skipped="OPENROUTER_API_KEY is not set"),
    ]


def write_report(
    state: StateFolder, started: str = STARTED, found: list[Query] | None = None
) -> Path:
    """Write a report; each run that called a tool asked twice, and each run something else."""
    writer = ReportWriter(state, started)
    report = Report(started, False, 5)
    for one in queries() if found is None else found:
        for run in one.runs:
            run.exchanges = writer.keep(_asked(one, run)) if run.calls else []
        report.queries[one.test] = one
    return writer.save(report)


def _asked(query: Query, run: QueryRun) -> list[Exchange]:
    asked = {"model": "gpt-4o", "messages": [user(f"{query.query}, run {run.run}")]}
    function = {"name": "search_wines", "arguments": json.dumps(run.calls[0].arguments)}
    call = {"id": "call_1", "type": "function", "function": function}
    found = {"role": "tool", "tool_call_id": "call_1", "content": "[WINE:7] Merlot"}
    went_on = {"model": "gpt-4o", "messages": [*asked["messages"], found]}
    return [
        chat(1, asked, {"content": "", "tool_calls": [call]}, node="sommelier"),
        chat(2, went_on, {"content": f"Merlot, run {run.run}"}, node="sommelier", call=2),
    ]
