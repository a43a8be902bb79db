"""What golden queries reached, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.runs.evals import Report


def lines(report: Report) -> Iterable[str]:
    """The report for the terminal."""
    width = max((len(query.id) for query in report.queries.values()), default=0)
    for query in report.queries.values():
        if query.rate is None:
            yield f"{query.id:{width}}  skipped  {query.skipped}"
            continue
        rate = f"{query.passes}/{len(query.runs)}  {query.percent:>3}%"
        wanted = "" if query.passed else f"  under {query.required:.0%}"
        yield f"{query.id:{width}}  {rate}{wanted}  {query.first_failure}".rstrip()
        if not query.passed:
            yield f"{'':{width}}  again: {report.command(query)}"
