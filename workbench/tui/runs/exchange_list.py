"""The exchanges of a run, in order, with the checkpoints and forks between them."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.worker import get_current_worker

from workbench.core.digest import short
from workbench.core.runs.exchanges import Mark
from workbench.session.runs.exchange_listing import ExchangeListing, ExchangeRow
from workbench.session.runs.index import RunBook
from workbench.session.wording import counted
from workbench.tui.services.failures import TellsFailures
from workbench.tui.widgets.column_head import ColumnHead
from workbench.tui.widgets.columns import column
from workbench.tui.widgets.filterable_list import FilterableList
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ACCENT, ERROR, LABEL, MUTED, WARNING

PLACE_WIDTH, TIME_WIDTH, NODE_WIDTH, SOURCE_WIDTH, DIGEST_WIDTH = 6, 9, 15, 10, 13
# What a list of this width has room for, besides the node and the reply.
WITH_DIGEST, WITH_SOURCE = 84, 58
SECOND = 1000.0


class ExchangeList(ColumnHead, FilterableList, TellsFailures):
    """The lines of one run; an exchange is read when its line is drawn."""

    BINDING_GROUP_TITLE = "Exchanges"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", key_display="⏎",
                id="exchanges.open", tooltip="Go to its request and reply"),
    ]
    # fmt: on
    FILTER_HINT = "words of the node, the source, the digest, what was asked, the reply"

    def __init__(self, book: RunBook, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._book = book
        self._left = Content("")
        # The exchanges that the filter shows, and how far they were looked for.
        self._found: list[int] | None = None
        self._searched = 0
        # Where each run was left.
        self._places: dict[str, str] = {}
        self.listing: ExchangeListing | None = None
        self.next_position: int | None = None
        self.waiting_text: list[Content] = []

    # What is shown

    def show_run(self, run: str | None, waiting_text: list[Content]) -> None:
        """Show the lines of another run, or of the same one what it has now.

        Args:
            waiting_text: what stands there where it has none.
        """
        self.waiting_text = waiting_text
        shown = self.listing.run if self.listing is not None else None
        if run is None:
            self.listing = None
        elif run != shown:
            self.listing, self.next_position = ExchangeListing(self._book, run), None
            self._found, self.filter_text = None, ""
        left_at = self._places.get(run) if run is not None else None
        if self.listing is not None:
            self.listing.take()
            if (
                self._found is not None
                and self._searched < self._book.facts[self.listing.run].calls
            ):
                self._look_for(self.listing, self.filter_text, self._searched, self._found)
        self._show_rows()
        if run != shown and self.listing is not None:
            first = "1" if self._book.facts[self.listing.run].calls else next(iter(self.keys), None)
            self.select(left_at if left_at in self.keys else first)

    def _show_rows(self) -> None:
        self.set_keys(self.listing.keys(self._found) if self.listing is not None else [])
        self.update_title()
        self.refresh_all()

    def select(self, key: str | None) -> None:
        super().select(key)
        if key is not None and self.listing is not None:
            self._places[self.listing.run] = key
        self.update_title()

    @property
    def selected(self) -> ExchangeRow | None:
        """The line that is selected."""
        if self.listing is None or self.cursor is None:
            return None
        return self.listing.row(self.cursor)

    @property
    def position(self) -> int:
        """Of the exchange that is selected, or that the selected line stands behind; 0 for none."""
        row = self.selected
        return row.position if row is not None else 0

    def go_to(self, position: int) -> None:
        """Select an exchange, also one that is filtered out."""
        key = str(position)
        if key not in self.keys:
            self.set_filter("")
        self.select(key)

    def set_next(self, position: int | None) -> None:
        """Mark which exchange a step goes to."""
        before, self.next_position = self.next_position, position
        self.refresh_rows({str(before), str(position)})

    def action_move(self, by: int) -> None:
        self.set_next(None)
        super().action_move(by)

    # Filter

    def set_filter(self, text: str) -> None:
        self.filter_text = text
        self.update_title()
        if not text.strip() or self.listing is None:
            self.workers.cancel_group(self, "filter")
            self._take_found(None, 0)
        else:
            self._look_for(self.listing, text, 0, [])

    @work(thread=True, exclusive=True, group="filter", exit_on_error=False)
    def _look_for(self, listing: ExchangeListing, text: str, after: int, found: list[int]) -> None:
        """Add to ``found`` what matches behind the exchange at ``after``."""
        calls = self._book.facts[listing.run].calls
        found = [*found, *listing.matching(text, after)]
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self._take_found_for, listing, text, found, calls)

    def _take_found_for(
        self, listing: ExchangeListing, text: str, found: list[int], searched: int
    ) -> None:
        """Show what was found, unless something else is looked for by now."""
        if listing is self.listing and text == self.filter_text:
            self._take_found(found, searched)

    def _take_found(self, found: list[int] | None, searched: int) -> None:
        self._found, self._searched = found, searched
        self._show_rows()

    def empty_lines(self) -> list[Content]:
        if self._found is None or self.listing is None:
            return self.waiting_text
        said = f'  No exchange matches "{self.filter_text}".'
        return [Content(""), one_line(said), Content.styled("  esc shows all.", MUTED)]

    # The frame

    def set_heading(self, left: Content) -> None:
        """What stands in the frame instead of the run's name."""
        self._left = left
        self.update_title()

    def update_title(self) -> None:
        if self.listing is None or self.listing.run not in self._book.facts:
            self.set_frame(self._left or Content.styled("Exchanges", "bold"), Content(""))
            return
        facts = self._book.facts[self.listing.run]
        place = f"[{self.position:,}/{facts.calls:,}]"
        told = [one_line(text, MUTED) for text in self._relations()]
        if self.filter_text:
            found = "…" if self._found is None else f"{len(self._found):,}"
            told = [one_line(f"/ {self.filter_text}  {found} of {facts.calls:,}", ACCENT)]
        name = Content.styled(one_line(facts.name).plain, "bold")
        if self._left:
            left, told = self._left, [name + Content(f" {place}"), *told]
        else:
            left = name + Content.styled(f"  {place}", "bold")
        room = self.title_room - left.cell_length - 3
        while len(told) > 1 and sum(t.cell_length + 3 for t in told) - 3 > room:
            told.pop()
        self.set_frame(left, Content.styled(" · ", MUTED).join(told))

    def _relations(self) -> list[str]:
        assert self.listing is not None
        run, facts = self.listing.run, self._book.facts[self.listing.run]
        above = self._book.parent_of(run)
        forks = [fork for many in self._book.forks_of(run).values() for fork in many]
        told = []
        if above is not None and facts.parent is not None:
            told.append(f'fork of "{self._book.facts[above].name}" from {facts.parent.at}')
        if len(forks) == 1:
            told.append(f'parent of "{self._book.facts[forks[0]].name}"')
        elif forks:
            told.append(f"parent of {len(forks)} forks")
        return [facts.state, *told]

    # Rows

    def head(self) -> Content:
        width = self.scrollable_content_region.width
        places = self._places_of(self.listing) if self.listing is not None else 0
        line = Content(f"  {'#':>{places}}  {'at':>{TIME_WIDTH - 2}}  ")
        line += column(Content("node"), NODE_WIDTH)
        if width >= WITH_SOURCE:
            line += column(Content("source"), SOURCE_WIDTH)
        if width >= WITH_DIGEST:
            line += column(Content("digest"), DIGEST_WIDTH)
        return line + Content("reply")

    def _places_of(self, listing: ExchangeListing) -> int:
        """How wide the numbers of its exchanges are."""
        return max(PLACE_WIDTH - 2, len(str(self._book.facts[listing.run].calls)))

    def row(self, key: str, *, selected: bool) -> Content:
        listing = self.listing
        if listing is None:
            return Content("")
        row = listing.row(key)
        sign = ">" if selected else "»" if key == str(self.next_position) else " "
        lead = Content(f"{sign} ")
        if row.mark is not None:
            return lead + _mark(row.mark)
        if row.fork is not None:
            return lead + self._fork(listing, row.fork, row.position)
        return self._exchange(listing, row.position, lead)

    def _exchange(self, listing: ExchangeListing, position: int, lead: Content) -> Content:
        width = self.scrollable_content_region.width
        facts = listing.facts(position)
        line = lead + Content(f"{position:>{self._places_of(listing)}}  ")
        if facts.problem:
            return line + one_line(facts.problem, ERROR)
        line += Content.styled(f"{_time(facts.at_ms):>{TIME_WIDTH - 2}}  ", MUTED)
        line += column(one_line(facts.node or "-", LABEL), NODE_WIDTH)
        if width >= WITH_SOURCE:
            style = WARNING if facts.source in ("fallback", "replaced") else MUTED
            line += column(one_line(facts.source, style), SOURCE_WIDTH)
        if width >= WITH_DIGEST:
            digest = short(facts.digest) if facts.digest else "-"
            line += column(Content.styled(digest, MUTED), DIGEST_WIDTH)
        room = max(width - line.cell_length - 1, 0)
        return line + one_line(facts.reply).truncate(room, ellipsis=True)

    def _fork(self, listing: ExchangeListing, fork: str, at: int) -> Content:
        name = self._book.facts[fork].name if fork in self._book.facts else fork
        text = f'    └ fork "{name}"   reply replaced: {listing.replaced(fork, at)}'
        width = max(self.scrollable_content_region.width - 3, 0)
        return one_line(text, ACCENT).truncate(width, ellipsis=True)


def _mark(mark: Mark) -> Content:
    facts = [f"iteration {mark.iteration}", f"state {counted(mark.state_keys, 'key')}"]
    facts += ["complete"] if mark.is_complete else []
    text = f"    ◆ checkpoint after {mark.after}   {'   '.join(facts)}"
    return Content.styled(text, ACCENT)


def _time(ms: float) -> str:
    if ms < 10 * SECOND:
        return f"{ms:.0f} ms"
    return f"{ms / SECOND:.1f} s" if ms < 1000 * SECOND else f"{ms / SECOND / 60:.0f} min"
