"""The panes of the Runs tab: runs, the exchanges of one, and request and reply of one exchange."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content

from workbench.core.digest import short
from workbench.core.runs.exchanges import Exchange, RunFormatError
from workbench.session.session import Session
from workbench.tui.request.pane import RequestPane
from workbench.tui.runs.exchange_list import ExchangeList
from workbench.tui.runs.reply_pane import ReplyPane
from workbench.tui.runs.run_list import RunList
from workbench.tui.runs.run_notices import (
    brief,
    call_lines,
    how_it_stands,
    no_exchanges,
    unreadable,
)
from workbench.tui.tab import Tab
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import MUTED


class RunPanes(Tab):
    """Shows the runs of the project, and the selected exchange of the selected run."""

    def __init__(self, session: Session) -> None:
        self.book = session.runs
        self.runs = RunList(self.book, id="run-list")
        self.exchanges = ExchangeList(self.book, id="exchange-list")
        self.exchange_box = FilteredList(self.exchanges)
        self.request, self.reply = RequestPane(), ReplyPane()
        self._detail = SteadyLabel(id="detail")
        self._displayed: tuple[str | None, int] = (None, 0)
        # Whether the request pane shows a comparison of runs.
        self.compares = False
        panes = {
            "exchanges": self.exchange_box.frame,
            "request": self.request,
            "reply": self.reply,
        }
        super().__init__(session, self.runs, panes, id="runs", has_pair=False)

    def contents(self) -> ComposeResult:
        yield self.box
        with Vertical(id="exchanges"):
            yield self.exchange_box
            yield self._detail
        yield self.request
        yield self.reply

    def show_rows(self) -> None:
        self.runs.update_rows()
        self._show_run()

    # What is shown

    @property
    def run(self) -> str | None:
        """The run that is shown, if it can be read."""
        run = self.runs.cursor
        return run if run in self.book.runs else None

    @property
    def position(self) -> int:
        """Of the exchange that is shown; 0 for none."""
        return self.exchanges.position if self.run is not None else 0

    def exchange(self) -> Exchange | None:
        """The shown exchange, read from its journal; None, with a message, where that fails."""
        if self.run is None or not self.position:
            return None
        try:
            return self.book.runs[self.run].exchange(self.position)
        except (RunFormatError, LookupError, OSError) as error:
            self.say(f"Exchange {self.position} cannot be read: {error}.", "error")
            return None

    def _parsed(self) -> object:
        """The application's own parse of the shown reply, if it was recorded."""
        if self.run is None:
            return None
        try:
            return self.book.runs[self.run].parsed(self.position)
        except (RunFormatError, OSError):
            return None

    @on(RowList.Highlighted, "#run-list")
    def _run_selected(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.runs.cursor:
            self._show_run()

    def _show_run(self) -> None:
        run, waiting = self.run, list[Content]()
        if run is not None:
            waiting = no_exchanges(self.book.facts[run])
        elif self.runs.cursor is not None:
            waiting = unreadable(self.book, self.runs.cursor)
        self.exchanges.show_run(run, waiting)
        if (run, self.position) != self._displayed:
            self._show_exchange()
        self._show_detail()
        self.runs.update_title()
        self.update_frames()

    @on(RowList.Highlighted, "#exchange-list")
    def _exchange_selected(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.exchanges.cursor:
            if self.compares or (self.run, self.position) != self._displayed:
                self._show_exchange()
            self._show_detail()
            self.update_frames()

    def _show_exchange(self) -> None:
        exchange, self.compares = self.exchange(), False
        self._displayed = self.run, self.position
        if exchange is None:
            self.request.show((), [])
            self.reply.show(None)
            return
        if exchange.is_chat and isinstance(exchange.request, dict):
            self.request.show((exchange.request,), [])
        else:
            self.request.show((), call_lines(exchange))
        self.reply.show(exchange, self._parsed())

    def _show_detail(self) -> None:
        rows, lines = self.exchanges.exchanges, [Content(""), Content("")]
        if self.run is not None and rows is not None:
            if self.position:
                lines[0] = brief(self.position, rows.facts(self.position))
            lines[1] = how_it_stands(self.book.facts[self.run])
        self._detail.update(Content("\n").join(lines))

    @on(RowList.Chosen, "#run-list")
    def _run_entered(self, event: RowList.Chosen) -> None:
        event.stop()
        self.panes.focus_on(self.exchange_box.frame)

    @on(RowList.Chosen, "#exchange-list")
    def _exchange_entered(self, event: RowList.Chosen) -> None:
        """Show the whole exchange; for the line of a fork, that run."""
        event.stop()
        row = self.exchanges.selected
        if row is not None and row.fork is not None:
            self.runs.select(row.fork)
        else:
            self.panes.focus_on(self.request)

    # Panes

    def update_frames(self) -> None:
        names = ["Exchanges", "Difference" if self.compares else "Request", "Reply"]
        titles = self.panes.titles(names)
        self.exchanges.set_heading(titles[0] if self.has_class("-small") else Content(""))
        rows, position = self.exchanges.exchanges, self.position
        found = rows.facts(position).digest if rows is not None and position else None
        digest = f"{short(found)}  " if found and not self.compares else ""
        which = Content.styled(digest, MUTED)
        self.request.set_frame(titles[1], which + self.request.facts())
        self.reply.set_frame(titles[2], self.reply.facts())
