"""The command that repeats a golden query.

It is made from the test's id wherever it is wanted: a command out of a report would be whatever
the report's file says.
"""

from __future__ import annotations

import re
from typing import Final

from workbench.core import shell

# What -k of pytest takes as one word.
_WORD: Final = re.compile(r"[\w:+\-.\[\]\\/]+")


def command(test: str, *, repeat: int, live: bool) -> str:
    """What repeats a test in a shell.

    Args:
        test: its id without the number of the run.
    """
    words = ["pytest", *_picked(test if test[:1] != "-" else f"./{test}", repeat)]
    words += ["--llm-repeat", str(repeat)] if repeat > 1 else []
    return shell.command([*words, *(["--llm-live"] if live else [])])


def _picked(test: str, repeat: int) -> list[str]:
    """The arguments that pick all runs of a test: the number of a run stands in its brackets."""
    function, bracket, parameters = test.partition("[")
    if repeat == 1 or not bracket:
        return [test]
    named = f"[{parameters[:-1]}-run"
    if _WORD.fullmatch(named):
        return [function, "-k", named]
    return [f"{function}{named}{number}]" for number in range(1, repeat + 1)]
