"""What golden queries reached, for the terminal, and the commands that repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from workbench.core.evals import Report


def command(test: str, *, repeat: int, live: bool) -> str:
    """What repeats a test in a shell.

    Args:
        test: its id without the number of the run.
    """
    function, bracket, parameters = test.partition("[")
    words = ["pytest", test]
    if repeat > 1:
        # The run's number stands in the brackets: picked by what stands before it.
        named = ["-k", f"[{parameters[:-1]}-run"] if bracket else []
        words = ["pytest", function, *named, "--llm-repeat", str(repeat)]
    return shlex.join([*words, *(["--llm-live"] if live else [])])


def lines(report: Report) -> Iterable[str]:
    """The report for the terminal."""
    width = max((len(query.id) for query in report.queries.values()), default=0)
    for query in report.queries.values():
        if query.rate is None:
            yield f"{query.id:{width}}  skipped  {query.skipped}"
            continue
        rate = f"{query.passes}/{len(query.runs)}  {query.rate:4.0%}"
        wanted = "" if query.passed else f"  under {query.required:.0%}"
        yield f"{query.id:{width}}  {rate}{wanted}  {query.first_failure}".rstrip()
        if not query.passed:
            yield f"{'':{width}}  again: {query.command}"
