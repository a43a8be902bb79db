"""The columns of the list of golden queries: one per check, the pass rate, the first failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from textual.content import Content

from workbench.core.runs.evals import Query
from workbench.session.evals.reports import CheckResult, CheckVerdict, result
from workbench.session.wording import counted
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, SUCCESS, WARNING

VERDICTS: Final[Mapping[CheckVerdict, StateLook]] = {
    "holds": StateLook("✓", SUCCESS),
    "fails": StateLook("×", ERROR),
    "inconclusive": StateLook("?", WARNING),
    "not made": StateLook("-", MUTED),
}
GAP: Final = 2
MARK_WIDTH: Final = 2
LEAST_ID, MOST_ID = 5, 28
BAR_WIDTH: Final = 10
PERCENT_WIDTH: Final = 4
# The bar, and before it any check, is left out where the first failure would have less room.
FAILURE_WITH_BAR: Final = 30
FAILURE_WIDTH: Final = 16


def eval_columns(
    queries: Iterable[Query], checks: Iterable[str], width: int
) -> Sequence[Column[Query]]:
    """The columns that fit into a list of ``width`` cells; checks without room are counted."""
    queries = list(queries)
    longest = max((one_line(query.id).cell_length for query in queries), default=0)
    id_width = min(max(longest, LEAST_ID), MOST_ID, max(width // 3, LEAST_ID)) + GAP
    room = width - MARK_WIDTH - id_width - PERCENT_WIDTH - GAP
    wanted = [_check_column(queries, name) for name in checks]
    shown: list[Column[Query]] = []
    for column in wanted:
        if room - (column.width or 0) < FAILURE_WIDTH:
            break
        room -= column.width or 0
        shown.append(column)
    has_bar = room >= FAILURE_WITH_BAR + BAR_WIDTH + 1
    rate_width = PERCENT_WIDTH + GAP + (BAR_WIDTH + 1 if has_bar else 0)
    left_out = len(wanted) - len(shown)
    more = f"+{counted(left_out, 'check')}  " if left_out else ""
    return [
        Column("query", lambda query: one_line(query.id), id_width, gap=GAP),
        *shown,
        Column("pass rate" if has_bar else "rate", partial(_rate, has_bar=has_bar), rate_width),
        Column(f"{more}first failure", _first_failure),
    ]


def _check_column(queries: Sequence[Query], name: str) -> Column[Query]:
    """How often one check held, as wide as it needs."""

    def cell(query: Query) -> Content:
        found = result(query, name)
        return Content.styled(_result_text(query, found), VERDICTS[found.verdict].style)

    cells = [one_line(name), *map(cell, queries)]
    return Column(cells[0].plain, cell, max(one.cell_length for one in cells) + GAP, gap=GAP)


def _result_text(query: Query, found: CheckResult) -> str:
    glyph = VERDICTS[found.verdict].glyph
    if found.made:
        return f"{glyph} {found.held}/{found.made}"
    return f"{glyph} skip" if query.rate is None else glyph


def _rate(query: Query, *, has_bar: bool) -> Content:
    if query.rate is None:
        return Content.styled("skipped" if has_bar else "skip", MUTED)
    style = rate_style(query)
    percent = Content.styled(f"{query.percent:>3}%", style)
    if not has_bar:
        return percent
    full = query.passes * BAR_WIDTH // len(query.runs)
    bar = Content.styled("━" * full, style) + Content.styled("─" * (BAR_WIDTH - full), MUTED)
    return bar + Content(" ") + percent


def rate_style(query: Query) -> str:
    """The style of a pass rate: enough, enough with failures, too little."""
    if not query.passed:
        return ERROR
    return SUCCESS if query.passes == len(query.runs) else WARNING


def _first_failure(query: Query) -> Content:
    if query.rate is None:
        return one_line(query.skipped or "", MUTED)
    return one_line(query.first_failure)
