"""The Recordings tab: the list, the exchanges of one, and request and reply of one exchange."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.content import Content

from workbench.core.fixture.recorded import NoFixtureError
from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import Exchange
from workbench.core.text.digests import short
from workbench.io.files.path_text import why_unreadable
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.reply_saver import HasFixtureError
from workbench.session.answers.promotion import promote_recorded
from workbench.session.session import Session
from workbench.tui.command import SHOWN, Command, Place, bindings
from workbench.tui.recordings.exchange_list import ExchangeList
from workbench.tui.recordings.fork_actions import ForkActions
from workbench.tui.recordings.fork_view import ForkView
from workbench.tui.recordings.notices import (
    brief,
    call_lines,
    difference_lines,
    ending,
    no_exchanges,
    unreadable,
)
from workbench.tui.recordings.recording_list import RecordingList
from workbench.tui.recordings.reply_pane import ReplyPane
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.copying import copy
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import MUTED
from workbench.tui.workspace.draft_actions import DraftActions
from workbench.tui.workspace.pane_layout import LIST, PaneRow
from workbench.tui.workspace.tab import Tab
from workbench.tui.workspace.undo_actions import UndoActions


class ExchangesPane(FilteredList):
    """The exchanges of the selected recording."""

    EMPTY = "The exchanges of a recording are listed here."


class RecordingsTab(Tab):
    """Recordings and their exchanges: step, fork, compare and promote."""

    DEFAULT_CSS = """
    RecordingsTab #detail {
        height: auto; width: 1fr; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis;
    }
    RecordingsTab.-large ForkView { width: 2fr; }
    """

    BINDING_GROUP_TITLE = "Recordings"
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[RecordingsTab]]] = (
        Command("recordings.step", "full_stop", "Step",
                "Step to the next exchange",
                lambda tab: tab.step(1), bar=SHOWN),
        Command("recordings.back", "B", "Back",
                "Step to the previous exchange",
                lambda tab: tab.step(-1)),
        Command("recordings.fork", "f", "Fork",
                "Begin a fork: a recording with another reply to this exchange",
                lambda tab: tab.forks.begin(), bar=SHOWN),
        Command("recordings.write_fork", "ctrl+s,f2", "Write the fork",
                "Save the fork as a recording that begins with this reply",
                lambda tab: tab.start("fork", tab.forks.write(), once=True),
                bar={"usual": Place.FIRST},
                in_fields=True, acts=lambda tab: tab.forks.is_active),
        Command("recordings.compare", "d", "Diff",
                "Show or hide the diff with its parent, or of two marked recordings",
                lambda tab: tab.start("compare", tab.compare(), once=True), bar=SHOWN),
        Command("recordings.mark", "m", "Mark",
                "Mark or unmark the recording for a diff",
                lambda tab: tab.mark()),
        Command("recordings.promote", "P", "Promote",
                "Save the reply as the fixture of its request",
                lambda tab: tab.promote(), bar=SHOWN),
        Command("recordings.undo", "u", "Undo",
                "Undo the last promotion or save",
                lambda tab: tab.undoing.undo()),
        Command("recordings.copy", "y", "Copy",
                "Copy the digest of the exchange, or the id of the recording",
                lambda tab: tab.copy_id()),
    )
    # fmt: on
    BINDINGS: ClassVar[list[BindingType]] = bindings(TAB_COMMANDS)

    forks: ForkActions
    undoing: UndoActions

    def __init__(self, session: Session) -> None:
        self.index = session.recordings
        self.recordings = RecordingList(self.index, id="recording-list")
        self.exchanges = ExchangeList(self.index, id="exchange-list")
        self.request, self.reply = RequestPane(), ReplyPane()
        self._detail = SteadyLabel(id="detail")
        # None before the first one.
        self._displayed: tuple[str | None, int] | None = None
        # The fixture, and its state, that a second P overwrites.
        self._warned: tuple[str, FileStamp | None] | None = None
        # True if the request pane shows a comparison of recordings.
        self.shows_comparison = False
        self.exchanges_pane = ExchangesPane(self.exchanges, self._detail)
        panes = {
            LIST: FilteredList(self.recordings),
            "exchanges": self.exchanges_pane,
            "request": self.request,
            "reply": self.reply,
        }
        super().__init__(session, panes)
        self.view = ForkView(session, self.panes)
        self.draft = DraftActions(self.view)
        self.forks = ForkActions(self)
        self.undoing = UndoActions(self, lambda _: self.post_message(self.CountsChanged()))

    async def open(self) -> None:
        self.view.display = False
        await self.query_one(PaneRow).mount(self.view)

    def show_news(self) -> None:
        self.recordings.update_rows()
        self._show_recording()

    # What is shown

    @property
    def recording(self) -> str | None:
        """The recording that is shown, if it can be read."""
        return self.recordings.recording

    @property
    def position(self) -> int:
        """Of the exchange that is shown; 0 for none."""
        return self.exchanges.position if self.recording is not None else 0

    def exchange(self) -> Exchange | None:
        """The shown exchange, read from its journal; None, with a message, where that fails."""
        if self.recording is None or not self.position:
            return None
        try:
            return self.index.recordings[self.recording].exchange(self.position)
        except (FormatError, LookupError, OSError) as error:
            self.say(f"Exchange {self.position} cannot be read: {why_unreadable(error)}.", "error")
            return None

    def _parsed(self) -> object:
        """The application's own parse of the shown reply, if it was recorded."""
        if self.recording is None:
            return None
        try:
            return self.index.recordings[self.recording].parsed(self.position)
        except (FormatError, OSError):
            return None

    @on(RowList.Highlighted, "#recording-list")
    def _recording_selected(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.recordings.cursor:
            self._show_recording()

    def _show_recording(self) -> None:
        recording, waiting = self.recording, list[Content]()
        if recording is not None:
            waiting = no_exchanges(self.index.facts[recording])
        elif self.recordings.cursor is not None:
            waiting = unreadable(self.index, self.recordings.cursor)
        self.exchanges.show_recording(recording, waiting)
        self.exchanges_pane.set_empty(recording is None and not waiting)
        if (recording, self.position) != self._displayed:
            self.show_exchange()
        self._show_detail()
        self.recordings.update_title()

    @on(RowList.Highlighted, "#exchange-list")
    def _exchange_selected(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.exchanges.cursor:
            if self.shows_comparison or (self.recording, self.position) != self._displayed:
                self.show_exchange()
            self._show_detail()

    def show_exchange(self) -> None:
        """Show request and reply of the selected exchange; a fork is not edited any more."""
        self.forks.end()
        exchange = self.exchange()
        self._displayed = self.recording, self.position
        self._name_request(is_comparison=False)
        if exchange is None:
            self.request.show((), [])
            self.reply.show(None)
            return
        if exchange.is_chat and isinstance(exchange.request, dict):
            self.request.show((exchange.request,), [])
        else:
            self.request.show((), call_lines(exchange))
        self.reply.show(exchange, self._parsed())

    def go_to(self, recording: str, position: int) -> None:
        """Show an exchange of a recording, which may be new."""
        self.show_news()
        self.recordings.select(recording)
        self._show_recording()
        self.exchanges.go_to(position)

    def _show_detail(self) -> None:
        rows, lines = self.exchanges.shown_rows, [Content("")]
        if self.recording is not None and rows is not None:
            if self.position:
                lines = [brief(self.position, rows.facts(self.position))]
            lines += filter(None, [ending(self.index.facts[self.recording])])
        self._detail.update(Content("\n").join(lines), layout=True)

    @on(RowList.Chosen, "#recording-list")
    def _recording_entered(self, event: RowList.Chosen) -> None:
        event.stop()
        self.panes.focus("exchanges")

    @on(RowList.Chosen, "#exchange-list")
    def _exchange_entered(self, event: RowList.Chosen) -> None:
        """Show the whole exchange; for the line of a fork, that recording."""
        event.stop()
        row = self.exchanges.selected
        if row is not None and row.fork is not None:
            self.recordings.select(row.fork)
        else:
            self.panes.focus("request")

    def _name_request(self, *, is_comparison: bool) -> None:
        """Show in the frame of the request pane what it contains."""
        self.shows_comparison = is_comparison
        self.request.label = "Difference" if is_comparison else "Request"
        rows, position = self.exchanges.shown_rows, self.position
        shown = rows.facts(position).digest if rows is not None and position else None
        digest = short(shown) if shown and not is_comparison else ""
        self.request.set_about(Content.styled(digest, MUTED))
        self.panes.fit()

    # Stepping

    def step(self, by: int) -> None:
        """Go to the next exchange, or the previous one, and show what follows."""
        if self.recording is None or not self.index.facts[self.recording].calls:
            self.say("This recording has no exchanges.")
            return
        last = self.index.facts[self.recording].calls
        position = min(max(self.position + by, 1), last)
        try:
            message = self.index.stepped(self.recording, position)
        except (FormatError, OSError) as error:
            message = f"At {position} of {last}; the next cannot be read: {why_unreadable(error)}."
        self.exchanges.go_to(position)
        self.exchanges.set_next(position + 1 if position < last else None)
        self.say(message)

    # The answer in which a fork is written

    def write_back(self) -> None:
        self.view.write_back()

    async def add_call(self) -> None:
        """Add a tool call to the reply of the fork."""
        await self.draft.add_call()

    async def allow(self) -> None:
        """Allow the rule of the chosen problem."""
        await self.draft.allow()

    def leave(self) -> None:
        """Leave the form of a fork; what was typed is kept."""
        if self.screen.maximized is not None:
            self.action_leave()
        else:
            self.forks.leave()

    async def action_pane(self, by: int) -> None:
        """Tab key: in the form of a fork the next hole or field, else the next pane."""
        if not (self.forks.is_active and await self.view.go_to_field(by)):
            await super().action_pane(by)

    # Promoting

    def promote(self) -> None:
        """Save the shown reply as the fixture of its request; a second press overwrites an existing
        one.
        """
        exchange = self.exchange()
        if exchange is None:
            self.say("Select the exchange to promote.")
            return
        digest = exchange.digest or ""
        now = digest, self.session.store.stamp(digest) if digest else None
        was_warned, self._warned = self._warned == now, None
        try:
            left_out = promote_recorded(self.session, exchange, overwrite=was_warned)
        except HasFixtureError:
            self._warned = now
            self.say(f"{short(digest)} has a fixture. P again overwrites it.", "warning")
        except NoFixtureError as error:
            self.say(f"Not promoted: {error}.", "error")
        else:
            more = f" It is {left_out}." if left_out else ""
            self.say(f"Promoted to {short(digest)}….json.{more} u undoes.")
            self.post_message(self.CountsChanged())

    # Comparing

    def mark(self) -> None:
        """Mark the selected recording to be compared, or take its mark off."""
        recording, marked = self.recording, self.index.marked
        if recording is None:
            return
        if recording in marked:
            marked.remove(recording)
        else:
            marked.append(recording)
            del marked[:-2]
        self.recordings.refresh_rows(self.recordings.keys)
        self.recordings.update_title()
        advice = "d compares them." if len(marked) == 2 else "d compares two that are marked."
        self.say(f"{len(marked)} marked. {advice}")

    async def compare(self) -> None:
        """Show the differences of a fork and its parent, or of the two marked recordings, or
        the exchange again.
        """
        if self.shows_comparison and self.panes.is_in_view("request"):
            self.show_exchange()
            self.say("")
            return
        recording, before, after = self.recording, "", ""
        if len(self.index.marked) == 2:
            before, after = self.index.marked
        elif recording is not None:
            before, after = self.index.parent_of(recording) or "", recording
        if not before:
            self.say("This recording is not a fork. m marks two recordings to compare.")
            return
        self.say("Comparing…")
        try:
            differences = await asyncio.to_thread(self.index.differences, before, after)
        except OSError as error:
            self.say(f"Cannot be compared: {error.strerror}.", "error")
            return
        names = self.index.facts[before].name, self.index.facts[after].name
        self.request.show((), difference_lines(*names, differences))
        self._name_request(is_comparison=True)
        self.panes.show("request")
        self.say(
            f"The first difference is at {differences[0]}."
            if differences
            else "No exchange differs."
        )

    def copy_id(self) -> None:
        exchange = None if self.recordings.has_focus else self.exchange()
        digest = exchange.digest if exchange is not None else None
        if digest:
            copy(self, digest, f"the digest {short(digest)}")
        else:
            copy(self, self.recording or "", "the id of the recording")
