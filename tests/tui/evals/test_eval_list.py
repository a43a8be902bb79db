"""The columns of the table of golden queries, for any queries and widths."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from tests.core.test_evals import queries
from tests.golden_reports import query
from workbench.core.evals import Check, Query, QueryRun
from workbench.tui.evals.eval_list import eval_columns
from workbench.tui.widgets.columns import Column, row_line

NAMES = ["tool", "filters", "grounded", "relevant", "ordered"]


def steady(passes: int, runs: int) -> Query:
    return query("q", "q", *(QueryRun(n, n <= passes, 0.1) for n in range(1, runs + 1)))


def shown(columns: Sequence[Column[Query]], query: Query | None, width: int) -> str:
    """A row of a list; the titles of its columns for None."""
    if query is None:
        return row_line(columns, [Content(column.title) for column in columns], width).plain
    return row_line(columns, [column.cell(query) for column in columns], width).plain


@given(st.lists(queries, max_size=3), st.integers(0, 200))
def test_every_line_has_room_and_the_columns_stand_below_each_other(
    found: list[Query], width: int
) -> None:
    names = list(dict.fromkeys(c.name for q in found for run in q.runs for c in run.checks))
    columns = eval_columns(found, names, width)
    *_, last = columns
    left_out = int(re.sub(r"\D", "", last.title) or 0)
    assert len(columns) - 3 + left_out == len(names)
    for one in (None, *found):
        text = shown(columns, one, max(width - 2, 0))
        assert cell_len(text) <= max(width - 2, 0)
        assert "\n" not in text


def test_what_gives_way_as_room_gets_short() -> None:
    checks = [Check(name, True) for name in NAMES]
    found = [query("red-under-30", "red", QueryRun(1, True, 0.1, checks=checks))]
    titles = {
        width: [column.title for column in eval_columns(found, NAMES, width)][1:-1]
        for width in (30, 60, 80, 120)
    }
    assert titles == {
        30: ["rate"],
        60: [*NAMES[:2], "rate"],
        80: [*NAMES[:4], "rate"],
        120: [*NAMES, "pass rate"],
    }


def test_a_check_that_failed_has_room_first() -> None:
    checks = [Check(name, name != "ordered") for name in NAMES]
    found = [query("red-under-30", "red", QueryRun(1, False, 0.1, checks=checks))]
    titles = [column.title for column in eval_columns(found, NAMES, 60)]
    assert titles == ["query", "tool", "ordered", "rate", "+3 checks  first failure"]


def test_what_has_no_room_is_counted() -> None:
    found = [query("red-under-30", "red", QueryRun(1, True, 0.1))]
    titles = [eval_columns(found, NAMES, width)[-1].title for width in (60, 80)]
    assert titles == ["+3 checks  first failure", "+1 check  first failure"]


def test_what_is_not_all_is_not_drawn_as_all() -> None:
    columns = eval_columns([], [], 100)
    assert "━━━━━━━━━━ 100%" in shown(columns, steady(200, 200), 100)
    assert "━━━━━━━━━─  99%" in shown(columns, steady(199, 200), 100)
    assert "──────────   0%" in shown(columns, steady(0, 3), 100)
    assert "━━━━━━──── " in shown(columns, steady(2, 3), 100)
