"""The columns of the table of golden queries, for any queries and widths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.core.runs.test_evals import queries
from tests.golden_reports import query
from workbench.core.runs.evals import Check, Query, Run
from workbench.tui.evals.eval_table import EvalTable

NAMES = ["tool", "filters", "grounded", "relevant", "ordered"]


def steady(passes: int, runs: int) -> Query:
    return query("q", "q", *(Run(n, n <= passes, 0.1) for n in range(1, runs + 1)))


@given(st.lists(queries, max_size=3), st.integers(0, 200), st.booleans())
def test_every_line_has_room_and_the_columns_stand_below_each_other(
    found: list[Query], width: int, selected: bool
) -> None:
    names = list(dict.fromkeys(c.name for q in found for run in q.runs for c in run.checks))
    table = EvalTable.fitted(found, names, width)
    assert len(table.checks) + table.left_out == len(names)
    for line in (table.head(), *(table.row(one, selected=selected) for one in found)):
        assert line.cell_length <= max(width - 1, 0)
        assert "\n" not in line.plain


def test_what_gives_way_as_room_gets_short() -> None:
    checks = [Check(name, True) for name in NAMES]
    found = [query("red-under-30", "red", Run(1, True, 0.1, checks=checks))]
    shown = {
        width: (len(table.checks), table.has_bar)
        for width in (30, 60, 80, 120)
        for table in [EvalTable.fitted(found, NAMES, width)]
    }
    assert shown == {30: (0, False), 60: (2, False), 80: (4, False), 120: (5, True)}


def test_what_has_no_room_is_counted() -> None:
    found = [query("red-under-30", "red", Run(1, True, 0.1))]
    heads = [EvalTable.fitted(found, NAMES, width).head().plain for width in (60, 80)]
    assert "+3 checks  first" in heads[0]
    assert "+1 check  first" in heads[1]


def test_what_is_not_all_is_not_drawn_as_all() -> None:
    table = EvalTable.fitted([], [], 100)
    assert "━━━━━━━━━━ 100%" in table.row(steady(200, 200), selected=False).plain
    assert "━━━━━━━━━─  99%" in table.row(steady(199, 200), selected=False).plain
    assert "──────────   0%" in table.row(steady(0, 3), selected=False).plain
    assert "━━━━━━──── " in table.row(steady(2, 3), selected=False).plain
