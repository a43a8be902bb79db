"""Golden queries as rows of a table: a column per check, the pass rate, the first failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from workbench.core.runs.evals import Query
from workbench.session.evals.reports import CheckResult, CheckVerdict, result
from workbench.session.wording import counted
from workbench.tui.widgets.columns import column
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, SUCCESS, WARNING

VERDICTS: Final[Mapping[CheckVerdict, StateLook]] = {
    "holds": StateLook("✓", "v", SUCCESS),
    "fails": StateLook("×", "x", ERROR),
    "inconclusive": StateLook("?", "?", WARNING),
    "not made": StateLook("-", "-", MUTED),
}
MARK_WIDTH = 2
GAP = 2
ID_WIDTHS = (5, 28)
BAR_WIDTH = 10
PERCENT_WIDTH = 4
# The first failure has so much room before the bar, and before any check, gives way.
FAILURE_WITH_BAR = 30
FAILURE_WIDTH = 16


@dataclass(frozen=True, slots=True)
class EvalTable:
    """How wide the columns are.

    Attributes:
        checks: the width of the column of each check that has room.
        left_out: how many checks have none.
        has_bar: the pass rate is drawn, too.
    """

    width: int
    id_width: int
    checks: Mapping[str, int]
    left_out: int
    has_bar: bool

    @classmethod
    def fitted(cls, queries: Iterable[Query], checks: Iterable[str], width: int) -> EvalTable:
        """The columns that fit into ``width`` cells. Checks without room stand in the run."""
        queries = list(queries)
        least, most = ID_WIDTHS
        longest = max((one_line(query.id).cell_length for query in queries), default=0)
        id_width = min(max(longest, least), most, max(width // 3, least)) + GAP
        wanted = {}
        for name in checks:
            texts = [name, *(_result_text(query, result(query, name)) for query in queries)]
            wanted[name] = max(one_line(text).cell_length for text in texts) + GAP
        room = width - MARK_WIDTH - id_width - PERCENT_WIDTH - GAP
        shown: dict[str, int] = {}
        for name, needed in wanted.items():
            if sum(shown.values()) + needed > room - FAILURE_WIDTH:
                break
            shown[name] = needed
        left = room - sum(shown.values())
        return cls(
            width,
            id_width,
            shown,
            len(wanted) - len(shown),
            left >= FAILURE_WITH_BAR + BAR_WIDTH + 1,
        )

    @property
    def _rate_width(self) -> int:
        return PERCENT_WIDTH + GAP + (BAR_WIDTH + 1 if self.has_bar else 0)

    def head(self) -> Content:
        """The names of the columns."""
        line = column(Content(" " * MARK_WIDTH + "query"), MARK_WIDTH + self.id_width)
        for name, width in self.checks.items():
            line += column(one_line(name), width)
        line += column(Content("pass rate" if self.has_bar else "rate"), self._rate_width)
        more = f"+{counted(self.left_out, 'check')}  " if self.left_out else ""
        return self._cut(line + Content(f"{more}first failure"))

    def row(self, query: Query, *, selected: bool) -> Content:
        """The row of a query."""
        line = Content("> " if selected else "  ") + column(one_line(query.id), self.id_width)
        for name, width in self.checks.items():
            found = result(query, name)
            style = VERDICTS[found.verdict].style
            cell = Content.styled(_result_text(query, found), style)
            line += column(cell, width)
        line += column(self._rate(query), self._rate_width)
        why = query.first_failure if query.rate is not None else query.skipped or ""
        style = MUTED if query.rate is None else ""
        return self._cut(line + one_line(why, style))

    def _rate(self, query: Query) -> Content:
        if query.rate is None:
            text = "skipped" if self.has_bar else "skip"
            return Content.styled(text, MUTED)
        style = rate_style(query)
        line = Content.styled(f"{query.percent:>3}%", style)
        if not self.has_bar:
            return line
        full = query.passes * BAR_WIDTH // len(query.runs)
        bar = Content.styled("━" * full, style)
        rest = Content.styled("─" * (BAR_WIDTH - full), MUTED)
        return bar + rest + Content(" ") + line

    def _cut(self, line: Content) -> Content:
        return line.truncate(max(self.width - 1, 0), ellipsis=True)


def rate_style(query: Query) -> str:
    """How a pass rate looks: enough, enough with failures, too little."""
    if not query.passed:
        return ERROR
    return SUCCESS if query.passes == len(query.runs) else WARNING


def _result_text(query: Query, found: CheckResult) -> str:
    glyph = VERDICTS[found.verdict].glyph
    if found.made:
        return f"{glyph} {found.held}/{found.made}"
    return f"{glyph} skip" if query.rate is None else glyph
