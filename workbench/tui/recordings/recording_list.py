"""The list of recordings: name, start, calls, checkpoints, end; forks below their parents."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.text.wording import counted
from workbench.session.recordings.index import RecordingIndex
from workbench.session.recordings.recording_query import (
    NOT_OPENED,
    RecordingFacts,
    RecordingRow,
    RecordingState,
    recording_query,
)
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import ACCENT, ERROR, MUTED, SUCCESS, WARNING

RECORDING_STATES: Final[dict[RecordingState, StateLook]] = {
    "complete": StateLook("✓", SUCCESS),
    "died": StateLook("╳", ERROR),
    "was cut": StateLook("!", WARNING),
    "no end yet": StateLook("○", MUTED),
}
# In a narrower list, the checkpoints leave their room to the name. The exchanges below show them.
WIDE: Final = 77


def _name(row: RecordingRow) -> Content:
    stem = Content.styled("  " * (row.depth - 1) + "└ " if row.depth else "", MUTED)
    return stem + one_line(row.facts.name if row.facts else row.id)


def _of(cell: Callable[[RecordingFacts], Content]) -> Callable[[RecordingRow], Content | None]:
    """The cell of a recording that can be read; else None, for the message in the cell before."""
    return lambda row: cell(row.facts) if row.facts else None


def _started(row: RecordingRow) -> Content:
    if row.facts is None:
        return Content.styled(f"╳ {NOT_OPENED}", ERROR)
    return Content.styled(started_at(row.facts), MUTED)


def _calls(facts: RecordingFacts) -> Content:
    return Content.styled(counted(facts.calls, "call"), MUTED)


def _checkpoints(facts: RecordingFacts) -> Content:
    return Content.styled(f"◆{facts.checkpoints}" if facts.checkpoints else "", MUTED)


def _state(facts: RecordingFacts) -> Content:
    look = RECORDING_STATES[facts.state]
    return Content.styled(f"{look.glyph} {facts.state}", look.style)


def started_at(facts: RecordingFacts) -> str:
    """The time a recording began, or its day if that is not today; "" if unknown."""
    try:
        began = datetime.fromisoformat(facts.started)
    except ValueError:
        return ""
    same_day = began.date() == datetime.now(began.tzinfo).date()
    return f"{began:%H:%M:%S}" if same_day else f"{began:%b %d}"


COLUMNS: Final = [
    Column("name", _name),
    Column("started", _started, 10, gap=2),
    Column("calls", _of(_calls), 12, align="right", gap=2),
    Column("checkpoints", _of(_checkpoints), 13, from_width=WIDE),
    Column("state", _of(_state), 13),
]


class RecordingList(RowList[RecordingRow]):
    """Every journal of the folder; the keys are the ids of the recordings."""

    BINDING_GROUP_TITLE = "List of recordings"
    HELP = (
        "What applications sent and received. A fork is listed below its parent. "
        "◆ counts checkpoints."
    )
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open",
                id="recordings.open", tooltip="Go to its exchanges"),
        Binding("o", "sort", "Sort", show=False,
                id="recordings.sort",
                tooltip="Newest first, by name, by calls, those that died first"),
    ]
    # fmt: on
    TITLE = "Recordings"
    NOUN = "recording"
    HEAD_HEIGHT = 1
    FILTER_HINT = "words of the name, the id, or how it ended  is:died  -without"

    def __init__(self, index: RecordingIndex, *, id: str | None = None) -> None:
        super().__init__(recording_query(), COLUMNS, id=id)
        self._index = index
        self.marked = index.marked
        self.waiting_text = [
            Content(""),
            Content("  No recordings yet. Record one:"),
            Content.styled("  workbench run --record --upstream URL -- pytest", ACCENT),
            Content.styled("  or Run.record of workbench.testing.", MUTED),
        ]

    @property
    def recording(self) -> str | None:
        """The selected recording, if it can be read."""
        return self.cursor if self.cursor in self._index.recordings else None

    def update_rows(self) -> None:
        """Show the recordings there are now."""
        self.change_rows(partial(self.list_query.set_items, self._index.rows()))
        self.refresh_all()

    def facts(self) -> list[Content]:
        marked = len(self._index.marked)
        return [
            *([Content.styled(f"{marked} marked", MUTED)] if marked else []),
            *(self.filter_facts() or [Content.styled(self.list_query.order.name, MUTED)]),
        ]
