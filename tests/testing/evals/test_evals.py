"""The results of golden queries in the terminal."""

from __future__ import annotations

from tests.golden_reports import query
from workbench.core.evals import QueryRun, Report
from workbench.testing.evals.results import terminal_lines


def test_what_is_not_all_is_not_said_to_be_all() -> None:
    runs = [
        QueryRun(number, number != 7, 0.1, None if number != 7 else "why") for number in range(200)
    ]
    one = query("q", "q", *runs)
    report = Report("", live=False, repeat=200, queries={one.test: one})
    assert next(iter(terminal_lines(report))) == "q  199/200   99%  (100% required)  why (run 7)"
