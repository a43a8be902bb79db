"""The list of runs: name, start, calls, checkpoints, how each ended; forks below their parents."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.session.runs.facts import RunFacts, RunState
from workbench.session.runs.index import RUN_SORTS, RunBook, RunRow
from workbench.tui.widgets.empty_states import no_runs
from workbench.tui.widgets.filterable_list import FilterableList
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, SUCCESS, WARNING

RUN_STATES: Final[dict[RunState, StateLook]] = {
    "complete": StateLook("✓", "v", SUCCESS),
    "died": StateLook("╳", "#", ERROR),
    "was cut": StateLook("!", "!", WARNING),
    "no end yet": StateLook("○", "o", MUTED),
}
# From this width on a row has the word of its state, not its glyph alone.
WORDS_WIDTH = 56
STATE_WIDTH = 12


class RunList(FilterableList):
    """Every journal of the folder; the keys are the ids of the runs."""

    BINDING_GROUP_TITLE = "List of runs"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", key_display="⏎",
                id="runs.open", tooltip="Go to its exchanges"),
        Binding("o", "sort", "Sort", show=False,
                id="runs.sort", tooltip="Newest first, by name, by calls, those that died first"),
    ]
    # fmt: on
    FILTER_HINT = "words of the name, the id, or how it ended"

    def __init__(self, book: RunBook, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._book = book
        self._rows: dict[str, RunRow] = {}
        self._sort = RUN_SORTS[0]
        self._is_read = False

    def update_rows(self) -> None:
        """Show what the book has now; the selection stays."""
        self._is_read = True
        self._show_rows()

    def _show_rows(self) -> None:
        self._rows = {row.id: row for row in self._book.rows(self._sort, self.filter_text)}
        self.set_keys(list(self._rows))
        self.update_title()
        self.refresh_all()

    def set_filter(self, text: str) -> None:
        self.filter_text = text
        self._show_rows()

    def action_sort(self) -> None:
        """Sort by the next of the orders there are."""
        self._sort = RUN_SORTS[(RUN_SORTS.index(self._sort) + 1) % len(RUN_SORTS)]
        self._show_rows()

    def update_title(self) -> None:
        facts = self.filter_facts(len(self._book)) or [Content.styled(self._sort, MUTED)]
        if self._book.marked:
            facts.insert(0, Content.styled(f"{len(self._book.marked)} marked", MUTED))
        self.set_frame(
            Content.styled(f"Runs [{self.cursor_place + 1:,}/{len(self.keys):,}]", "bold"),
            Content.styled(" · ", MUTED).join(facts),
        )

    def empty_lines(self) -> list[Content]:
        if self.filter_text and len(self._book):
            hidden = len(self._book)
            are = "is" if hidden == 1 else "are"
            said = f'  No run matches "{self.filter_text}". {hidden:,} {are} hidden.'
            return [Content(""), one_line(said), Content.styled("  esc shows them.", MUTED)]
        return no_runs() if self._is_read else []

    def row(self, key: str, *, selected: bool) -> Content:
        width = self.scrollable_content_region.width
        mark = "*" if key in self._book.marked else " "
        line = Content(f"{'>' if selected else ' '}{mark}")
        facts = self._book.facts.get(key)
        if facts is None:
            end = Content.styled("╳ not opened ", ERROR)
            return _fill(line, one_line(key), end, width)
        depth = self._rows[key].depth
        stem = "  " * (depth - 1) + "└ " if depth else ""
        end = _end(facts, with_word=width >= WORDS_WIDTH)
        return _fill(line + Content.styled(stem, MUTED), one_line(facts.name), end, width)


def _end(facts: RunFacts, *, with_word: bool) -> Content:
    look = RUN_STATES[facts.state]
    marks = f"◆{facts.checkpoints}" if facts.checkpoints else ""
    calls = f"{facts.calls:,} call{'s' * (facts.calls != 1)}" if with_word else f"{facts.calls:,}"
    numbers = f" {started_at(facts)}  {calls:>{9 if with_word else 5}} {marks:<3} "
    word = f"{look.glyph} {facts.state}".ljust(STATE_WIDTH + 1) if with_word else f"{look.glyph} "
    return Content.styled(numbers, MUTED) + Content.styled(word, look.style)


def started_at(facts: RunFacts) -> str:
    """The time a run began, with its day where that is not today; "" where it does not say."""
    try:
        began = datetime.fromisoformat(facts.started)
    except ValueError:
        return ""
    same_day = began.date() == datetime.now(began.tzinfo).date()
    return f"{began:%H:%M:%S}" if same_day else f"{began:%b %d}  "


def _fill(line: Content, name: Content, end: Content, width: int) -> Content:
    room = max(width - line.cell_length - end.cell_length, 0)
    name = name.truncate(room, ellipsis=True)
    return line + name.pad_right(max(room - name.cell_length, 0)) + end
