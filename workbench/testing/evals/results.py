"""The results of evals, from the tests that ran, for the terminal and the report file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

from workbench.core.evals import CalledTool, Check, Query, QueryRun, Report
from workbench.core.formats import FormatError, checked
from workbench.core.recordings import journal as run_lines
from workbench.core.recordings.exchanges import Exchange
from workbench.core.secrets.heads import of_request
from workbench.core.written.credentials import Credentials
from workbench.io.recordings.eval_reports import ReportWriter
from workbench.io.state_folder import StateFolder
from workbench.testing.evals.golden import RUN, golden_query, parameters, run_id
from workbench.testing.evals.spies import Observed
from workbench.testing.mocks.replies import as_json

if TYPE_CHECKING:
    from workbench.testing.mocks.mock_llm import MockLLM


class EvalResult(TypedDict):
    """The result of one test, as JSON values that pytest-xdist can send between processes.

    Attributes:
        query: the fields of its ``Query``, which has one run unless it was skipped.
        exchanges: its exchanges, as lines of a journal.
    """

    query: dict[str, Any]
    exchanges: list[str]


def eval_result(
    item: pytest.Item,
    report: pytest.TestReport,
    pass_rate: float,
    observed: Observed,
    mocks: Sequence[MockLLM],
) -> EvalResult:
    """The result of an eval that ended, maybe in its setup."""
    golden = golden_query(item)
    query = Query(
        id=golden.id if golden else _without_run(item, item.name),
        query=golden.query if golden else "",
        test=_without_run(item, item.nodeid),
        required=pass_rate,
    )
    match report.longrepr:
        case (_, _, str(reason)) if report.skipped:
            query.skipped = reason.removeprefix("Skipped: ") or "skipped"
            return EvalResult(query=asdict(query), exchanges=[])
    run = _without_keys(asdict(_run(item, report, observed)), mocks)
    exchanges: list[str] = []
    for exchange in [exchange for mock in mocks for exchange in mock.exchanges]:
        with contextlib.suppress(FormatError):
            exchanges.append(run_lines.line(exchange).decode())
    return EvalResult(query={**asdict(query), "runs": [run]}, exchanges=exchanges)


def excuse(item: pytest.Item, report: pytest.TestReport, pass_rate: float) -> None:
    """Prevent a failed run from failing the session, because the pass rate is only known at the
    end.
    """
    if report.failed and RUN in parameters(item) and pass_rate < 1:
        report.outcome = "skipped"
        report.wasxfail = f"one run of an eval; {pass_rate:.0%} of the runs must pass"


def _run(item: pytest.Item, report: pytest.TestReport, observed: Observed) -> QueryRun:
    """The run of a test, without the places of its exchanges."""
    calls = [
        CalledTool(call.name, {name: as_json(value) for name, value in call.arguments.items()})
        for spy in observed.spies
        for call in spy.calls
    ]
    return QueryRun(
        run=parameters(item).get(RUN, 1),
        passed=report.passed,
        seconds=round(report.duration, 6),
        failure=None if report.passed else _reason(report, observed.checks),
        checks=observed.checks,
        calls=calls,
    )


def _without_keys(run: dict[str, Any], mocks: Iterable[MockLLM]) -> dict[str, Any]:
    """A run without the keys that were sent to a mock: an error of a real model may repeat one, and
    a report is written to disk.
    """
    headers = {pair for mock in mocks for call in mock.calls() for pair in call.headers.items()}
    credentials = Credentials(of_request(headers))

    def masked(value: Any) -> Any:
        match value:
            case str():
                return credentials.masked(value)
            case list() | tuple():
                return [masked(item) for item in value]
            case dict():
                return {name: masked(item) for name, item in value.items()}
        return value

    return {name: masked(value) for name, value in run.items()}


def _without_run(item: pytest.Item, name: str) -> str:
    """The name or the id of the test, the same for all its runs."""
    params = parameters(item)
    if RUN not in params:
        return name
    test, _, named = name.partition("[")
    others = named.removesuffix("]").removesuffix(run_id(params[RUN])).removesuffix("-")
    return f"{test}[{others}]" if others else test


def _reason(report: pytest.TestReport, checks: Iterable[Check]) -> str:
    """Why a test failed: the reason of the check that it asserted, or the error's first line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = (crash.message if crash is not None else str(report.longrepr)).strip()
    # The text has the repr of what was asserted, cut in the middle if it is long.
    asserted = [check for check in checks if not check and f"<{check.name}: " in text]
    if not asserted:
        return text.partition("\n")[0]
    return min(asserted, key=lambda check: (repr(check) not in text, check.inconclusive)).reason


class EvalResults:
    """The results of a session's evals, collected from the reports of its tests."""

    def __init__(self, state: StateFolder, *, live: bool, repeat: int) -> None:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        self._report = Report(started, live=live, repeat=repeat)
        self._writer = ReportWriter(state, started)
        self._saved = ""

    def take(self, result: EvalResult) -> None:
        query = checked(Query, result["query"])
        exchanges = [run_lines.parse(line.encode()) for line in result["exchanges"]]
        for run in query.runs:
            with contextlib.suppress(OSError):  # which must not fail the test
                run.exchanges = self._writer.keep(
                    each for each in exchanges if isinstance(each, Exchange)
                )
        kept = self._report.queries.setdefault(query.test, query)
        if kept is not query:
            kept.runs += query.runs
            kept.skipped = query.skipped or kept.skipped

    @property
    def failed(self) -> bool:
        """True if too few runs of an eval passed."""
        return bool(self._report.failed)

    def save(self) -> None:
        """Write the report; the terminal lines contain the error if it cannot be written."""
        try:
            self._saved = str(self._writer.save(self._report))
        except OSError as error:
            self._saved = f"(not saved: {error})"

    def lines(self) -> Iterable[str]:
        """The results for the terminal."""
        return [*terminal_lines(self._report), f"Report: {self._saved}"]


def terminal_lines(report: Report) -> Iterator[str]:
    width = max((len(query.id) for query in report.queries.values()), default=0)
    for query in report.queries.values():
        if query.rate is None:
            yield f"{query.id:{width}}  skipped  {query.skipped}"
            continue
        rate = f"{query.passes}/{len(query.runs)}  {query.percent:>3}%"
        under = "" if query.passed else f"  ({query.required:.0%} required)"
        runs = len(query.runs)
        fewer = f"  ran {runs} of {report.repeat} times" if runs < report.repeat else ""
        yield f"{query.id:{width}}  {rate}{under}{fewer}  {query.first_failure}".rstrip()
        if not query.passed:
            yield f"{'':{width}}  run it: {report.command(query)}"
