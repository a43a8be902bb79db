"""What came of an eval that ran as a test of pytest."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from workbench.core.credentials import Credentials, of_request
from workbench.core.runs import lines
from workbench.core.runs.evals import CalledTool, Check, Run
from workbench.core.runs.exchanges import RunFormatError
from workbench.testing.evals.parameters import RUN, golden, parameters, run_id

if TYPE_CHECKING:
    from workbench.testing.evals.watching import Watched
    from workbench.testing.mocks.mock_llm import MockLLM


def query(item: pytest.Item, pass_rate: float) -> dict[str, Any]:
    """The arguments of ``Report.query`` for an eval that needs that pass rate."""
    asked = golden(item)
    return {
        "id": asked.id if asked else item.name.partition("[")[0],
        "query": asked.query if asked else "",
        "test": _without_run(item),
        "required": pass_rate,
    }


def run(item: pytest.Item, report: pytest.TestReport, watched: Watched) -> dict[str, Any]:
    """The run of a test that ran, as JSON values; where its exchanges are kept is not known yet."""
    calls = [
        CalledTool(call.name, _plain(call.arguments)) for spy in watched.spies for call in spy.calls
    ]
    return asdict(
        Run(
            run=parameters(item).get(RUN, 1),
            passed=report.passed,
            seconds=round(report.duration, 6),
            failure=None if report.passed else _reason(report, watched.checks),
            checks=watched.checks,
            calls=calls,
        )
    )


def without_keys(run: Any, mocks: Iterable[MockLLM]) -> Any:
    """A run, or a part of one, with three dots for each key that was sent to one of the mocks: an
    error of a real model may repeat it, and a report is written to disk.
    """
    headers = {pair for mock in mocks for call in mock.calls() for pair in call.headers.items()}
    return _masked(run, Credentials(of_request(headers)))


def _masked(value: Any, credentials: Credentials) -> Any:
    match value:
        case str():
            return credentials.masked(value)
        case list() | tuple():
            return [_masked(item, credentials) for item in value]
        case dict():
            return {name: _masked(item, credentials) for name, item in value.items()}
    return value


def why_skipped(report: pytest.TestReport) -> str | None:
    """Why a test was skipped, wherever it was; None where it was not."""
    match report.longrepr:
        case (_, _, str(reason)) if report.skipped:
            return reason.removeprefix("Skipped: ") or "skipped"
    return None


def exchanges(mocks: Iterable[MockLLM]) -> list[str]:
    """What was asked of mocks and answered, as lines of a journal."""
    found = []
    for exchange in (exchange for mock in mocks for exchange in mock.exchanges):
        with contextlib.suppress(RunFormatError):
            found.append(lines.line(exchange).decode())
    return found


def excuse(item: pytest.Item, report: pytest.TestReport, pass_rate: float) -> None:
    """Let a failed run not fail the session: whether enough runs pass is seen at its end."""
    if report.failed and RUN in parameters(item) and pass_rate < 1:
        report.outcome = "skipped"
        report.wasxfail = f"a run of an eval that needs {pass_rate:.0%}"


def _without_run(item: pytest.Item) -> str:
    """The id of the test that is the same for all its runs."""
    given = parameters(item)
    if RUN not in given:
        return item.nodeid
    test, _, named = item.nodeid.partition("[")
    others = named.removesuffix("]").removesuffix(run_id(given[RUN])).removesuffix("-")
    return f"{test}[{others}]" if others else test


def _reason(report: pytest.TestReport, checks: Iterable[Check]) -> str:
    """Why a test failed: the reason of the check that it asserted, or the first line it ended
    with.
    """
    crash = getattr(report.longrepr, "reprcrash", None)
    text = (crash.message if crash is not None else str(report.longrepr)).strip()
    # What was asserted stands in the text as its repr, cut in the middle where it is long.
    asserted = [check for check in checks if not check and f"<{check.name}: " in text]
    if not asserted:
        return text.partition("\n")[0]
    return min(asserted, key=lambda check: (repr(check) not in text, check.inconclusive)).reason


def _plain(value: Any) -> Any:
    """``value`` as JSON has it; what has no such form as its text.

    Nothing stays of a subclass, as that of an enum: workers cannot send it.
    """
    match value:
        case None | bool():
            return value
        case str():
            return str.__str__(value)
        case int():
            return int(value)
        case float() if math.isfinite(value):
            return float(value)
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    return repr(value)
