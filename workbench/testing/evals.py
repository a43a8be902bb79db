"""What golden queries reached, for the terminal, and the commands that repeat them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Final

from workbench.core.evals import Report

# What -k of pytest takes as one word.
_WORD: Final = re.compile(r"[\w:+\-.\[\]\\/]+")


def command(test: str, *, repeat: int, live: bool) -> str:
    """What repeats a test in a shell.

    Args:
        test: its id without the number of the run.
    """
    words = ["pytest", *_picked(test, repeat)]
    words += ["--llm-repeat", str(repeat)] if repeat > 1 else []
    return shlex.join([*words, *(["--llm-live"] if live else [])])


def _picked(test: str, repeat: int) -> list[str]:
    """The arguments that pick all runs of a test: the number of a run stands in its brackets."""
    function, bracket, parameters = test.partition("[")
    if repeat == 1 or not bracket:
        return [test]
    named = f"[{parameters[:-1]}-run"
    if _WORD.fullmatch(named):
        return [function, "-k", named]
    return [f"{function}{named}{number}]" for number in range(1, repeat + 1)]


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
            yield f"{'':{width}}  again: {query.command}"
