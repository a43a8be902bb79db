"""The list of golden queries: those of one report that a filter shows."""

from __future__ import annotations

from datetime import date, datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.runs.evals import Report
from workbench.session.evals.filter import parse
from workbench.session.evals.listing import EVAL_SORTS, EvalListing
from workbench.session.evals.reports import EvalBook
from workbench.tui.evals.eval_table import EvalTable
from workbench.tui.widgets.column_head import ColumnHead
from workbench.tui.widgets.empty_states import no_evals
from workbench.tui.widgets.filterable_list import FilterableList
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, WARNING

# From this width on the title says all there is to say of a report.
WIDE = 100
# Between the title and the facts: a blank on each side of a line.
FACTS_MARGIN = 3


class EvalList(ColumnHead, FilterableList):
    """The queries of the report that is shown; the keys are their tests."""

    BINDING_GROUP_TITLE = "List of queries"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Exchange", key_display="⏎",
                id="evals.open", tooltip="What that run asked, and the reply"),
        Binding("o", "sort", "Sort", show=False,
                id="evals.sort", tooltip="Failures first, by name, as they were collected"),
    ]
    # fmt: on
    FILTER_HINT = "words  is:failed  is:unsteady  check:  tool:  -without"

    def __init__(self, book: EvalBook, listing: EvalListing, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._book = book
        self._listing = listing
        self._table = EvalTable.fitted((), (), 0)
        self._is_read = False

    def update_rows(self) -> None:
        """Show what the report holds; the selection stays."""
        self._is_read = True
        self._show_rows()

    def _show_rows(self) -> None:
        self._fit()
        self.set_keys(self._listing.tests())
        self.update_title()
        self.refresh()

    def _fit(self) -> None:
        report, width = self._listing.report, self.scrollable_content_region.width
        queries = report.queries.values() if report else ()
        self._table = EvalTable.fitted(queries, self._listing.checks, width)

    def on_resize(self) -> None:
        super().on_resize()
        self._fit()
        self.refresh()

    # Drawing

    def row(self, key: str, *, selected: bool) -> Content:
        query = self._listing.query(key)
        return self._table.row(query, selected=selected) if query else Content("")

    def head(self) -> Content:
        return self._table.head()

    def update_title(self) -> None:
        left = Content.styled(f"Evals [{self.cursor_place + 1:,}/{len(self.keys):,}]", "bold")
        facts, between = self._facts(), Content.styled(" · ", MUTED)
        room = self.title_room - left.cell_length - FACTS_MARGIN
        while len(facts) > 1 and between.join(facts).cell_length > room:
            facts.pop()
        self.set_frame(left, between.join(facts))

    def _facts(self) -> list[Content]:
        listing = self._listing
        facts = self.filter_facts(len(listing.report.queries) if listing.report else 0)
        if self._book.damaged:
            facts.append(Content.styled(f"! {len(self._book.damaged):,} damaged", WARNING))
        if listing.report is not None:
            names = self._book.names
            place = f" ({names.index(listing.shown or '') + 1} of {len(names)})"
            which = place if len(names) > 1 else ""
            is_wide = self.size.width >= WIDE
            told = _summary(listing.report, which, is_wide)
            facts += [one_line(fact, MUTED) for fact in told]
        if listing.sort != EVAL_SORTS[0]:
            facts.append(Content.styled(listing.sort, MUTED))
        return facts

    def empty_lines(self) -> list[Content]:
        shown, listing = self._listing.shown, self._listing
        if shown in self._book.damaged:
            return [
                one_line(f"  {shown}.json cannot be read. ( ) shows other reports.", ERROR),
                one_line(f"  {self._book.damaged[shown]}"),
                one_line(f"  {self._book.folder / f'{shown}.json'}", MUTED),
            ]
        if listing.report is not None and listing.report.queries:
            hidden = len(listing.report.queries)
            are = "is" if hidden == 1 else "are"
            sentence = f'  No query matches "{listing.filter.text}". {hidden:,} {are} hidden.'
            return [one_line(sentence), Content.styled("  esc shows them.", MUTED)]
        return no_evals() if self._is_read else []

    # Filter and order

    def set_filter(self, text: str) -> None:
        self._listing.filter = self.read_filter(text, parse)
        self._show_rows()

    def action_sort(self) -> None:
        """Sort by the next of the orders there are."""
        place = EVAL_SORTS.index(self._listing.sort)
        self._listing.sort = EVAL_SORTS[(place + 1) % len(EVAL_SORTS)]
        self._show_rows()


def _summary(report: Report, which: str, is_wide: bool) -> list[str]:
    """How a report stands: ``report of 10:12, 3 queries × 5``, ``8 of 10 passed, 5 skipped``."""
    queries = report.queries.values()
    runs = sum(len(query.runs) for query in queries)
    skipped = sum(report.repeat for query in queries if query.rate is None)
    told = f"{sum(query.passes for query in queries):,} of {runs:,} passed"
    told += f", {skipped:,} skipped" if skipped else ""
    when = _when(report.started) + which
    if not is_wide:
        return [when, told]
    many = "query" if len(queries) == 1 else "queries"
    kind = "live report" if report.live else "report"
    return [f"{kind} of {when}, {len(queries):,} {many} × {report.repeat}", told]


def _when(started: str) -> str:
    """A time of today, or with its day; as it stands where it is none, or none here."""
    try:
        at = datetime.fromisoformat(started).astimezone()
    except (ValueError, OverflowError):
        return started
    return at.strftime("%H:%M" if at.date() == date.today() else "%d %b %H:%M")
