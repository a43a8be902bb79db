"""Reports of golden queries as the workbench keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_reports import query, write_report
from workbench.core.evals import Check, QueryRun
from workbench.core.recordings.exchanges import Exchange
from workbench.io.state_folder import StateFolder
from workbench.session.evals.eval_query import LANGUAGE
from workbench.session.evals.reports import CheckResult, ReportIndex, result
from workbench.session.lists.filters import FilterError

LATER = "2026-11-20T11:00:00+00:00"
OLD, NEW = "2026-11-20T101200Z", "2026-11-20T110000Z"
RED, WHITE, SKIPPED = (
    f"tests/test_wine.py::test_search[{name}]"
    for name in ("red-under-30", "white-for-fish", "no-such-grape")
)


class Evals:
    """A folder of reports, and what is shown of them."""

    def __init__(self, folder: Path) -> None:
        self.state = StateFolder(folder / ".workbench")
        self.shown = ReportIndex(self.state.evals)

    def take(self, *names: str) -> None:
        self.shown.apply(self.shown.read(f"{name}.json" for name in names))


@pytest.fixture
def evals(tmp_path: Path) -> Evals:
    """One report, shown."""
    evals = Evals(tmp_path)
    write_report(evals.state)
    evals.take(OLD)
    return evals


def test_a_new_report_is_shown_to_who_looks_at_the_newest(evals: Evals) -> None:
    assert evals.shown.name == OLD
    write_report(evals.state, LATER)
    evals.take(NEW)
    assert evals.shown.name == NEW
    assert evals.shown.names == [NEW, OLD]
    assert evals.shown.step_report(1)
    assert evals.shown.name == OLD
    assert not evals.shown.step_report(1)
    write_report(evals.state, "2026-11-20T12:00:00+00:00")
    evals.take("2026-11-20T120000Z")
    assert evals.shown.name == OLD, "an older one was looked at"


def test_the_rates_of_a_query_end_with_the_report_that_is_shown(evals: Evals) -> None:
    later = query("red-under-30", "red wine under 30", QueryRun(1, True, 0.1))
    write_report(evals.state, LATER, [later])
    evals.take(NEW)
    assert evals.shown.rates(later) == [80, 100]
    assert evals.shown.step_report(1)
    assert evals.shown.rates(later) == [80]
    assert evals.shown.rates(query("no-such-grape", "")) == []


def test_a_damaged_report_is_named_and_the_others_are_shown(evals: Evals) -> None:
    damaged = evals.state.evals / f"{NEW}.json"
    damaged.write_text('{"version": 1, "started": 5}')
    evals.take(NEW)
    assert evals.shown.name == OLD
    assert evals.shown.unreadable == {NEW: "started should be a string, not a number"}
    assert evals.shown.step_report(-1)
    assert (evals.shown.name, evals.shown.report, list(evals.shown.queries.keys)) == (NEW, None, [])
    damaged.unlink()
    evals.take(NEW)
    assert (evals.shown.name, evals.shown.names) == (OLD, [OLD])


def test_a_report_that_can_be_read_takes_the_place_of_damaged_ones(tmp_path: Path) -> None:
    evals = Evals(tmp_path)
    write_report(evals.state)
    (evals.state.evals / f"{NEW}.json").write_text("{")
    evals.take(NEW)
    assert evals.shown.name == NEW
    evals.take(OLD)
    assert evals.shown.name == OLD


def test_a_report_that_is_gone_is_not_shown(evals: Evals) -> None:
    write_report(evals.state, LATER)
    evals.take(NEW)
    evals.shown.step_report(1)
    (evals.state.evals / f"{OLD}.json").unlink()
    evals.take(OLD)
    assert evals.shown.name == NEW


def test_the_orders(evals: Evals) -> None:
    shown = evals.shown
    assert list(shown.queries.keys) == [RED, WHITE, SKIPPED], "one failed, one passed often enough"
    shown.queries.set_order("by name")
    assert list(shown.queries.keys) == [SKIPPED, RED, WHITE]
    shown.queries.set_order("as collected")
    assert list(shown.queries.keys) == [RED, WHITE, SKIPPED]


def test_what_fails_most_comes_first(tmp_path: Path) -> None:
    evals = Evals(tmp_path)

    passes = {"all": 4, "none": 0, "half": 2}
    found = [
        query(name, name, *(QueryRun(number, number <= passed, 0.1) for number in range(1, 5)))
        for name, passed in passes.items()
    ]
    write_report(evals.state, found=[query("skipped", "x", skipped="no key"), *found])
    evals.take(OLD)
    ids = [test.partition("[")[2][:-1] for test in list(evals.shown.queries.keys)]
    assert ids == ["none", "half", "all", "skipped"]


@pytest.mark.parametrize(
    ("text", "tests"),
    [
        ("is:failed", [RED]),
        ("is:unsteady", [RED, WHITE]),
        ("is:passed", [WHITE]),
        ("state:skipped", [SKIPPED]),
        ("skipped", [SKIPPED]),
        ("skip", [SKIPPED]),
        ("FAILED", [RED]),
        ("passed", [WHITE]),
        ("unsteady -failed", [WHITE]),
        ("-is:skipped", [RED, WHITE]),
        ("check:filters", [RED]),
        ("check:relevant", [WHITE]),
        ("tool:search", [RED, WHITE]),
        ("tool:other", []),
        ("fish", [WHITE]),
        ("MAX_PRICE", [RED]),
        ("openrouter", [SKIPPED]),
        ("", [RED, WHITE, SKIPPED]),
    ],
)
def test_the_filter(evals: Evals, text: str, tests: list[str]) -> None:
    evals.shown.queries.set_filter_text(text)
    assert list(evals.shown.queries.keys) == tests


@pytest.mark.parametrize("text", ["is:odd", "is:", "check:", "tool:", "chek:x"])
def test_a_filter_that_means_nothing(text: str) -> None:
    with pytest.raises(FilterError):
        LANGUAGE.parse(text)


def test_checks_over_all_runs(evals: Evals) -> None:
    red = evals.shown.queries.items.get(RED)
    assert red is not None
    assert evals.shown.checks == ["tool", "filters", "grounded", "relevant"]
    assert result(red, "tool") == CheckResult("holds", 5, 5)
    assert result(red, "filters") == CheckResult("fails", 4, 5)
    assert result(red, "grounded") == CheckResult("holds", 4, 4)
    assert result(red, "other") == CheckResult("not made")


def test_what_could_not_be_checked_is_no_failure() -> None:
    unchecked = Check("grounded", False, "no sections", inconclusive=True)
    held, failed = Check("grounded", True), Check("grounded", False, "it is not")
    runs = [QueryRun(n, True, 0.1, checks=[check]) for n, check in enumerate((held, unchecked), 1)]
    assert result(query("q", "q", *runs), "grounded") == CheckResult("inconclusive", 1, 2)
    runs.append(QueryRun(3, False, 0.1, checks=[held, failed]))
    assert result(query("q", "q", *runs), "grounded") == CheckResult("fails", 1, 3)


def test_stepping_through_runs_and_exchanges(evals: Evals) -> None:
    shown = evals.shown
    red, skipped = shown.queries.items.get(RED), shown.queries.items.get(SKIPPED)
    assert red is not None
    assert skipped is not None

    def place() -> tuple[int, int]:
        run = shown.run(red)
        assert run is not None
        return run.run, shown.exchange_number(red)

    assert place() == (3, 0), "the first failed"
    assert shown.step_exchange(red, 1)
    assert not shown.step_exchange(red, 1)
    assert place() == (3, 1)
    for _ in range(3):
        shown.step_run(red, 1)
    assert place() == (1, 0), "round the end"
    shown.step_run(red, -1)
    assert place() == (5, 0)
    shown.step_run(skipped, 1)
    assert shown.run(skipped) is None
    assert not shown.step_exchange(skipped, 1)


def test_what_a_run_asked_is_read_back(evals: Evals) -> None:
    red = evals.shown.queries.items.get(RED)
    assert red is not None
    run = evals.shown.run(red)
    assert run is not None
    asked = evals.shown.exchanges(run)
    exchanges = [one for one in asked if isinstance(one, Exchange)]
    assert [one.request["messages"][0]["content"] for one in exchanges] == [
        "red wine under 30, run 3",
        "red wine under 30, run 3",
    ]
    run.exchanges = [99]
    assert evals.shown.exchanges(run) == ["the journal beside the report has no exchange 99"]


def test_a_journal_that_is_missing_is_told(evals: Evals) -> None:
    (evals.state.evals / f"{OLD}.jsonl").unlink()
    evals.take(OLD)
    assert evals.shown.report is not None
    run = evals.shown.report.queries[RED].runs[0]
    assert set(evals.shown.exchanges(run)) == {
        "the journal beside the report is missing or damaged"
    }
