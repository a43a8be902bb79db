"""The commands that repeat golden queries."""

from __future__ import annotations

import pytest

from workbench.core.runs.eval_command import command

TEST = "tests/test_wine.py::test_search"


@pytest.mark.parametrize(
    ("test", "repeat", "expected"),
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
        ("t.py::t[a];touch X", 1, "pytest 't.py::t[a];touch X'"),
        ("--pdbcls=evil:Pdb", 1, "pytest ./--pdbcls=evil:Pdb"),
    ],
)
def test_the_command_repeats_a_test(test: str, repeat: int, expected: str) -> None:
    assert command(test, repeat=repeat, live=False) == expected
    assert command(test, repeat=repeat, live=True) == f"{expected} --llm-live"
