"""What the terminal says of golden queries, and the commands that repeat them."""

from __future__ import annotations

import pytest

from tests.golden_reports import query
from workbench.core.evals import Report, Run
from workbench.testing import evals

TEST = "tests/test_wine.py::test_search"


@pytest.mark.parametrize(
    ("test", "repeat", "command"),
    [
        (TEST, 1, f"pytest {TEST}"),
        (TEST, 3, f"pytest {TEST} --llm-repeat 3"),
        (f"{TEST}[red]", 1, f"pytest '{TEST}[red]'"),
        (f"{TEST}[red]", 3, f"pytest {TEST} -k '[red-run' --llm-repeat 3"),
        # What -k would not read as one word.
        (
            f"{TEST}[a red, or not?]",
            2,
            f"pytest '{TEST}[a red, or not?-run1]' '{TEST}[a red, or not?-run2]' --llm-repeat 2",
        ),
    ],
)
def test_the_command_repeats_a_test(test: str, repeat: int, command: str) -> None:
    assert evals.command(test, repeat=repeat, live=False) == command
    assert evals.command(test, repeat=repeat, live=True) == f"{command} --llm-live"


def test_what_is_not_all_is_not_said_to_be_all() -> None:
    runs = [Run(number, number != 7, 0.1, None if number != 7 else "why") for number in range(200)]
    one = query("q", "q", *runs)
    report = Report("", live=False, repeat=200, queries={one.test: one})
    assert next(iter(evals.lines(report))) == "q  199/200   99%  under 100%  why (run 7)"
