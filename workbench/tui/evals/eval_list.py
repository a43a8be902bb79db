"""The list of golden queries: a column per check, the pass rate, the first failure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.evals import Query, Report
from workbench.core.text.wording import counted
from workbench.session.evals.reports import CheckResult, CheckVerdict, ReportIndex, result
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.post_up import post_up
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import ACCENT, ERROR, MUTED, SUCCESS, WARNING

# From this width on the title contains everything about a report.
WIDE = 100

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
    """The columns that fit into a list of ``width`` cells. Checks without room are counted: a check
    that failed gets room first.
    """
    queries = list(queries)
    longest = max((one_line(query.id).cell_length for query in queries), default=0)
    id_width = min(max(longest, LEAST_ID), MOST_ID, max(width // 3, LEAST_ID)) + GAP
    room = width - MARK_WIDTH - id_width - PERCENT_WIDTH - GAP
    check_columns = {name: _check_column(queries, name) for name in checks}
    with_room: set[str] = set()
    for name in sorted(check_columns, key=lambda name: not _fails(queries, name)):
        needed = check_columns[name].width or 0
        if room - needed < FAILURE_WIDTH:
            break
        room -= needed
        with_room.add(name)
    has_bar = room >= FAILURE_WITH_BAR + BAR_WIDTH + 1
    rate_width = PERCENT_WIDTH + GAP + (BAR_WIDTH + 1 if has_bar else 0)
    left_out = len(check_columns) - len(with_room)
    more = f"+{counted(left_out, 'check')}  " if left_out else ""
    return [
        Column("query", lambda query: one_line(query.id), id_width, gap=GAP),
        *(column for name, column in check_columns.items() if name in with_room),
        Column("pass rate" if has_bar else "rate", partial(_rate, has_bar=has_bar), rate_width),
        Column(f"{more}first failure", _first_failure),
    ]


def _fails(queries: Sequence[Query], name: str) -> bool:
    return any(result(query, name).verdict == "fails" for query in queries)


def _check_column(queries: Sequence[Query], name: str) -> Column[Query]:
    """How often one check held, as wide as it needs."""

    def cell(query: Query) -> Content:
        outcome = result(query, name)
        return Content.styled(_result_text(query, outcome), VERDICTS[outcome.verdict].style)

    cells = [one_line(name), *map(cell, queries)]
    return Column(cells[0].plain, cell, max(text.cell_length for text in cells) + GAP, gap=GAP)


def _result_text(query: Query, outcome: CheckResult) -> str:
    glyph = VERDICTS[outcome.verdict].glyph
    if outcome.made:
        return f"{glyph} {outcome.held}/{outcome.made}"
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


class EvalList(RowList[Query]):
    """The queries of the report that is shown; the keys are their tests."""

    BINDING_GROUP_TITLE = "List of queries"
    HELP = "Golden queries, and how often each one passed."
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open",
                id="evals.open", tooltip="The requests of that run, and the replies"),
        Binding("o", "sort", "Sort", show=False,
                id="evals.sort", tooltip="Failures first, by name, as they were collected"),
    ]
    # fmt: on
    TITLE = "Evals"
    NOUN = "query"
    FILTER_HINT = "words  is:failed  is:unsteady  check:  tool:  -without"
    HEAD_HEIGHT = 1

    def __init__(self, index: ReportIndex) -> None:
        super().__init__(index.queries, [])
        self._index = index
        self._fitted_to = -1
        self.waiting_text = [
            Content(""),
            Content("  No report yet. Tests with the mark llm_eval leave one:"),
            Content.styled("  pytest -m llm_eval", ACCENT),
            Content.styled("  --llm-repeat 5 runs each of them five times.", MUTED),
            Content.styled("  workbench manual pytest shows how to write one.", MUTED),
        ]

    def update_rows(self) -> None:
        """Show the report that is chosen now."""
        self._fitted_to = -1
        self.change_rows(lambda: self._index.show(self._index.name))
        self.refresh_all()
        post_up(self, self.LinesChanged())  # why another report cannot be read, too

    def columns_in(self, width: int) -> Sequence[Column[Query]]:
        if width != self._fitted_to:
            self._fitted_to = width
            queries = self.list_query.items.values()
            self.columns = eval_columns(queries, self._index.checks, width)
        return self.columns

    def facts(self) -> list[Content]:
        facts, report = self.filter_facts(), self._index.report
        if self._index.unreadable:
            facts.append(Content.styled(f"! {len(self._index.unreadable):,} damaged", WARNING))
        if report is not None:
            names = self._index.names
            place = f" ({names.index(self._index.name or '') + 1} of {len(names)})"
            which = place if len(names) > 1 else ""
            facts += [one_line(text, MUTED) for text in _summary(report, which, self._is_wide)]
        if self.list_query.order is not self.list_query.orders[0]:
            facts.append(Content.styled(self.list_query.order.name, MUTED))
        return facts

    @property
    def _is_wide(self) -> bool:
        return self.size.width >= WIDE

    def empty_lines(self) -> list[Content]:
        name = self._index.name
        if name not in self._index.unreadable:
            return super().empty_lines()
        return [
            Content(""),
            one_line(f"  {name}.json cannot be read. ( ) shows other reports.", ERROR),
            one_line(f"  {self._index.unreadable[name]}"),
            one_line(f"  {self._index.folder / f'{name}.json'}", MUTED),
        ]


def _summary(report: Report, which: str, is_wide: bool) -> list[str]:
    """A report in short: ``report of 10:12, 3 queries × 5``, ``8 of 10 passed, 5 skipped``."""
    queries = report.queries.values()
    runs = sum(len(query.runs) for query in queries)
    skipped = sum(report.repeat for query in queries if query.rate is None)
    passed = f"{sum(query.passes for query in queries):,} of {runs:,} passed"
    passed += f", {skipped:,} skipped" if skipped else ""
    when = _when(report.started) + which
    if not is_wide:
        return [when, passed]
    many = "query" if len(queries) == 1 else "queries"
    kind = "live report" if report.live else "report"
    return [f"{kind} of {when}, {len(queries):,} {many} × {report.repeat}", passed]


def _when(started: str) -> str:
    """A time of today, or one with its day; as it was written where it cannot be read."""
    try:
        at = datetime.fromisoformat(started).astimezone()
    except (ValueError, OverflowError):
        return started
    return at.strftime("%H:%M" if at.date() == date.today() else "%d %b %H:%M")
