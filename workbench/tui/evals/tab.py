"""The Evals tab: golden queries, how often each passed, and the exchanges of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from workbench.core.evals import Query, QueryRun
from workbench.core.recordings.exchanges import Exchange
from workbench.session.session import Session
from workbench.tui.command import SHOWN, Command, bindings
from workbench.tui.evals.eval_lines import query_lines, run_lines
from workbench.tui.evals.eval_list import EvalList
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.section_pane import ReadingPane, reading_keys
from workbench.tui.recordings.reply_pane import ReplyPane
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.copying import copy
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import MUTED
from workbench.tui.workspace.pane_layout import LIST
from workbench.tui.workspace.tab import Tab


class EvalRunPane(ReadingPane):
    """Shows one run of a golden query."""

    label = "Run"
    BINDING_GROUP_TITLE = "Run"
    EMPTY = "A run of the selected query is shown here."
    HELP = "One run of the query: its tool calls, its checks, its requests."
    BINDINGS: ClassVar[list[BindingType]] = reading_keys("eval_run")
    FIND_HINT = "find in the run"

    def show(self, lines: Sequence[Line], place: str) -> None:
        """Show other lines, from the top unless this pane has the focus; the ``place`` of the run
        is in the frame.
        """
        facts = [Content.styled(place, MUTED)] if place else []
        self.show_lines(lines, facts=facts, keep_place=self.has_focus)


def _has_query(tab: EvalsTab) -> bool:
    """The keys have another meaning in the request and the reply."""
    return tab.queries.has_focus or tab.run_pane.has_focus


class EvalsTab(Tab):
    """Shows a report, the newest first, and a run of the selected query."""

    BINDING_GROUP_TITLE = "Evals"
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[EvalsTab]]] = (
        Command("evals.run_back", "left_square_bracket", "Previous run",
                "The previous run of the same query",
                lambda tab: tab.step_run(-1), acts=_has_query),
        Command("evals.run", "right_square_bracket", "Run",
                "The next run of the same query",
                lambda tab: tab.step_run(1), bar=SHOWN, key_display="[ ]", acts=_has_query),
        Command("evals.report", "left_parenthesis", "Report",
                "An older report",
                lambda tab: tab.step_report(1), bar=SHOWN, key_display="( )", acts=_has_query),
        Command("evals.report_back", "right_parenthesis", "Newer report",
                "A newer report",
                lambda tab: tab.step_report(-1), acts=_has_query),
        Command("evals.copy", "y", "Copy",
                "Copy the command that repeats the query",
                lambda tab: tab.copy_command(), bar=SHOWN, acts=_has_query),
        Command("evals.exchange", "J", "Exchange",
                "The next exchange of the run, in the same view",
                lambda tab: tab.step_exchange(1), bar=SHOWN, key_display="J K"),
        Command("evals.exchange_back", "K", "Previous exchange",
                "The previous exchange of the run, in the same view",
                lambda tab: tab.step_exchange(-1)),
    )
    # fmt: on
    BINDINGS: ClassVar[list[BindingType]] = bindings(TAB_COMMANDS)

    def __init__(self, session: Session) -> None:
        self.shown = session.evals
        self.queries = EvalList(self.shown)
        self.run_pane, self.request, self.reply = EvalRunPane(), RequestPane(), ReplyPane()
        panes = {
            LIST: FilteredList(self.queries),
            "run": self.run_pane,
            "request": self.request,
            "reply": self.reply,
        }
        super().__init__(session, panes)

    def show_news(self) -> None:
        self.queries.update_rows()
        self._show_query()

    # What is shown

    @property
    def selected(self) -> Query | None:
        return self.queries.list_query.selected_item

    @property
    def run(self) -> QueryRun | None:
        """The run of the selected query that is shown."""
        return self.shown.run(self.selected) if self.selected is not None else None

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.queries.cursor:
            self._show_query()

    def _show_query(self) -> None:
        """Show the selected query, its run and the exchanges of that."""
        query, run, place = self.selected, self.run, ""
        lines: list[Line] = []
        if query is not None:
            lines += query_lines(query, self.shown.rates(query))
        exchange: Exchange | None = None
        if query is not None and run is not None:
            place = f"run {query.runs.index(run) + 1} of {len(query.runs)}"
            number, exchanges = self.shown.exchange_number(query), self.shown.exchanges(run)
            lines += run_lines(query, run, exchanges, number)
            shown = exchanges[number] if exchanges else None
            exchange = shown if isinstance(shown, Exchange) else None
        self.run_pane.show(lines, place)
        if exchange is not None and isinstance(exchange.request, dict):
            self.request.show((exchange.request,), [])
        else:
            why = "mock_llm answered no request of this run." if run else ""
            if run is not None and run.exchanges:
                why = "The requests of this run cannot be read."
            self.request.show((), [Content.styled(why, MUTED)] if why else [])
        self.reply.show(exchange)
        self.queries.update_title()
        for pane in (self.request, self.reply):
            pane.set_about(self._exchange_place())

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.panes.focus("request" if self.run is not None and self.run.exchanges else "run")

    # Keys

    def step_run(self, by: int) -> None:
        query = self.selected
        if query is not None and query.runs:
            self.shown.step_run(query, by)
            self._show_query()
        else:
            self.say("There is no run here.")

    def step_exchange(self, by: int) -> None:
        if self.selected is not None and self.shown.step_exchange(self.selected, by):
            self._show_query()
        else:
            self.say("This run has no other exchange there.")

    def step_report(self, by: int) -> None:
        if self.shown.step_report(by):
            self.say("")
            self.show_news()
        elif not self.shown.names:
            self.say("There is no report yet.")
        else:
            self.say("No older report is kept." if by > 0 else "This is the newest report.")

    def copy_command(self) -> None:
        query, report = self.selected, self.shown.report
        command = report.command(query) if query and report else ""
        copy(self, command, f"the command {command}")

    def _exchange_place(self) -> Content:
        """Which of several exchanges is shown, for the frames."""
        run = self.run
        if self.selected is None or run is None or len(run.exchanges) < 2:
            return Content("")
        number = self.shown.exchange_number(self.selected) + 1
        return Content.styled(f"{number} of {len(run.exchanges)}", MUTED)
