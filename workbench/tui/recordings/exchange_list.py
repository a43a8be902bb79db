"""The exchanges of a recording, in order, with the checkpoints and forks between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.worker import Worker, get_current_worker

from workbench.core.recordings.exchanges import CheckpointMark
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.recordings.exchange_rows import (
    ExchangeFacts,
    ExchangeRow,
    ExchangeRows,
)
from workbench.session.recordings.index import RecordingIndex
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import say_failure
from workbench.tui.widgets.styles import ACCENT, ERROR, LABEL, MUTED, WARNING

NUMBER_DIGITS: Final = 4
# The widths from which a list has room for more than the node and the reply.
WITH_DIGEST, WITH_SOURCE = 84, 58
SECOND: Final = 1000.0


def exchange_columns(index: RecordingIndex, rows: ExchangeRows) -> Sequence[Column[ExchangeRow]]:
    """The columns. A checkpoint, a fork and what cannot be read take the whole line."""

    def number(row: ExchangeRow) -> Content:
        if row.mark is not None:
            return _checkpoint(row.mark)
        if row.fork is not None:
            name = index.facts[row.fork].name if row.fork in index.facts else row.fork
            replaced = rows.replaced(row.fork, row.position)
            return one_line(f'    └ fork "{name}"   reply replaced: {replaced}', ACCENT)
        return Content(str(row.position))

    def time(row: ExchangeRow) -> Content | None:
        if not row.is_exchange:
            return None
        facts = rows.facts(row.position)
        if facts.problem:
            return one_line(facts.problem, ERROR)
        return Content.styled(_time(facts.at_ms), MUTED)

    def of(cell: Callable[[ExchangeFacts], Content]) -> Callable[[ExchangeRow], Content | None]:
        """The cell of an exchange that can be read."""

        def cell_of(row: ExchangeRow) -> Content | None:
            facts = rows.facts(row.position) if row.is_exchange else None
            return None if facts is None or facts.problem else cell(facts)

        return cell_of

    digits = max(NUMBER_DIGITS, len(str(rows.calls)))
    return [
        Column("#", number, digits + 2, align="right", gap=2),
        Column("at", time, 9, align="right", gap=2),
        Column("node", of(lambda facts: one_line(facts.node or "-", LABEL)), 15),
        Column("source", of(_source), 10, from_width=WITH_SOURCE),
        Column("digest", of(_digest), 13, from_width=WITH_DIGEST),
        Column("reply", of(lambda facts: one_line(facts.reply))),
    ]


def _source(facts: ExchangeFacts) -> Content:
    return one_line(facts.source, WARNING if facts.source in ("fallback", "replaced") else MUTED)


def _digest(facts: ExchangeFacts) -> Content:
    return Content.styled(short(facts.digest) if facts.digest else "-", MUTED)


def _checkpoint(mark: CheckpointMark) -> Content:
    facts = [f"iteration {mark.iteration}", f"state {counted(mark.state_keys, 'key')}"]
    facts += ["complete"] if mark.is_complete else []
    text = f"    ◆ checkpoint after {mark.after}   {'   '.join(facts)}"
    return Content.styled(text, ACCENT)


def _time(ms: float) -> str:
    if ms < 10 * SECOND:
        return f"{ms:.0f} ms"
    return f"{ms / SECOND:.1f} s" if ms < 1000 * SECOND else f"{ms / SECOND / 60:.0f} min"


class ExchangeList(RowList[ExchangeRow]):
    """The rows of one recording; an exchange is read when its row is drawn.

    Attributes:
        shown_rows: the rows of the recording that is shown; None for no recording.
        next_position: of the exchange a step goes to.
    """

    BINDING_GROUP_TITLE = "Exchanges"
    HELP = "The calls of a recording in order, and where the application's state was kept."
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open",
                id="exchanges.open", tooltip="Go to its request and reply"),
    ]
    # fmt: on
    TITLE = "Exchanges"
    NOUN = "exchange"
    FILTER_HINT = "words of the node, the source, the digest, what was asked, the reply  -without"
    HEAD_HEIGHT = 1

    def __init__(self, index: RecordingIndex, *, id: str | None = None) -> None:
        super().__init__(_no_rows(), [], id=id)
        self._index = index
        # The row that was selected last in each recording.
        self._places: dict[str, str] = {}
        self.shown_rows: ExchangeRows | None = None
        self.next_position: int | None = None

    # What is shown

    def show_recording(self, recording: str | None, waiting_text: list[Content]) -> None:
        """Show the rows of another recording, or the present rows of the same one.

        Args:
            waiting_text: shown without rows.
        """
        self.waiting_text = waiting_text
        is_another = recording != self.recording
        if is_another:
            if self.recording is not None and self.cursor is not None:
                self._places[self.recording] = self.cursor
            self.next_position = None
            self.shown_rows = (
                ExchangeRows(self._index, recording) if recording is not None else None
            )
        self.change_rows(self._refresh_exchanges)
        exchanges = self.shown_rows
        if exchanges is not None and is_another:
            left_at = self._places.get(exchanges.recording)
            if left_at in self.keys or exchanges.calls:
                self.select(left_at if left_at in self.keys else "1")
        elif self.filter_text:
            self.set_filter(self.filter_text)  # others may match
        self.refresh_all()

    @property
    def recording(self) -> str | None:
        return self.shown_rows.recording if self.shown_rows is not None else None

    def _refresh_exchanges(self) -> None:
        if self.shown_rows is None:
            self.list_query, self.columns = _no_rows(), []
        else:
            self.shown_rows.refresh()
            self.list_query = self.shown_rows.query
            self.columns = exchange_columns(self._index, self.shown_rows)

    @property
    def selected(self) -> ExchangeRow | None:
        return self.list_query.selected_item

    @property
    def position(self) -> int:
        """Of the exchange that is selected, or that the selected row follows; 0 for none."""
        row = self.selected
        return row.position if row is not None else 0

    def go_to(self, position: int) -> None:
        """Select an exchange, also one that is filtered out."""
        key = str(position)
        if key not in self.keys:
            self.set_filter("")
        self.select(key)

    def set_next(self, position: int | None) -> None:
        """Mark the exchange that a step goes to."""
        before, self.next_position = self.next_position, position
        self.refresh_rows({str(before), str(position)})

    def row_start(self, key: str) -> str:
        is_next = key == str(self.next_position) and key != self.cursor
        return "» " if is_next else super().row_start(key)

    def action_move(self, by: int) -> None:
        self.set_next(None)
        super().action_move(by)

    # Filter

    def set_filter(self, text: str) -> None:
        rows = self.shown_rows
        if rows is None or rows.is_read or not text.strip():
            super().set_filter(text)
        else:
            self.list_query.filter_text = text
            self.update_title()
            self._read_texts(rows)

    @work(thread=True, exclusive=True, group="filter", exit_on_error=False, description="reading")
    def _read_texts(self, rows: ExchangeRows) -> None:
        texts = rows.read_texts()
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self._take_texts, rows, texts)

    def _take_texts(self, rows: ExchangeRows, texts: dict[int, str]) -> None:
        """Filter by what was typed until now, unless another recording is shown."""
        rows.texts |= texts
        if rows is self.shown_rows:
            super().set_filter(self.filter_text)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        say_failure(self, event)

    # The frame

    def heading(self) -> Content:
        if self.recording not in self._index.facts:
            return Content.styled(self.TITLE, "bold")
        return self._recording_name("  ", "bold")

    def facts(self) -> list[Content]:
        if self.recording not in self._index.facts:
            return []
        relations = [
            one_line(text, MUTED) for text in relations_of(self._index, self.recording or "")
        ]
        facts = self.filter_facts() or relations
        has_tabs = self.frame is not None and self.frame.tabs
        return [self._recording_name(" ", ""), *facts] if has_tabs else facts

    def _recording_name(self, between: str, style: str) -> Content:
        """The name of the recording and the number of the selected exchange."""
        facts = self._index.facts[self.recording or ""]
        place = Content.styled(f"{between}[{self.position:,}/{facts.calls:,}]", style)
        return Content.styled(one_line(facts.name).plain, "bold") + place

    def filter_facts(self) -> list[Content]:
        rows = self.shown_rows
        if rows is None or not self.filter_text:
            return []
        matches = f"{len(self.keys):,}" if rows.is_read else "…"
        total = len(self.list_query.items)
        return [one_line(f"/ {self.filter_text}  {matches} of {total:,}", ACCENT)]


def _no_rows() -> ListQuery[ExchangeRow]:
    return ListQuery({}, FilterLanguage(lambda _: lambda _: True), [Order("in order")])


def relations_of(index: RecordingIndex, recording: str) -> list[str]:
    """How a recording ended, what it is a fork of, and which are forks of it."""
    facts, above = index.facts[recording], index.parent_of(recording)
    forks = [fork for many in index.forks_of(recording).values() for fork in many]
    relations: list[str] = [facts.state]
    if above is not None and facts.parent is not None:
        relations.append(f'fork of "{index.facts[above].name}" from {facts.parent.at}')
    if len(forks) == 1:
        relations.append(f'parent of "{index.facts[forks[0]].name}"')
    elif forks:
        relations.append(f"parent of {len(forks)} forks")
    return relations
