"""The list of fixtures: those a filter shows, in an order that can be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from workbench.session.fixtures.filter import parse
from workbench.session.fixtures.index import EntryKind, FixtureBook
from workbench.session.fixtures.listing import FIXTURE_SORTS, FixtureListing
from workbench.session.misses.miss_index import Hits
from workbench.tui.column_head import ColumnHead
from workbench.tui.filterable_list import FilterableList
from workbench.tui.fixture_row import fixture_head, fixture_row, last_hit
from workbench.tui.inert import one_line
from workbench.tui.messages import StatusChanged
from workbench.tui.styles import MUTED

_NEED_WORK: frozenset[EntryKind] = frozenset({"broken", "error", "warning"})


class FixtureList(ColumnHead, FilterableList):
    """Every ``*.json`` file of the fixtures folder; the keys are their names.

    Args:
        served: the digests a log tells were served.
    """

    BINDING_GROUP_TITLE = "List of fixtures"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "sort", "Sort", show=False,
                id="fixtures.sort", tooltip="By file, findings, last hit, what is answered"),
        Binding("n", "next_problem(1)", "Next problem", show=False,
                id="fixtures.next", tooltip="The next file with a problem"),
        Binding("N", "next_problem(-1)", "Previous problem", show=False,
                id="fixtures.previous", tooltip="The file before with a problem"),
        Binding("g", "show_request", "Request",
                id="fixtures.request", tooltip="The request that it answers"),
    ]
    # fmt: on

    @dataclass
    class RequestWanted(Message):
        """The request of the selected fixture is to be read."""

    FILTER_HINT = "words  is:error  is:broken  rule:  model:  tool:  -without"

    def __init__(
        self, book: FixtureBook, served: Mapping[str, Hits], *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._book = book
        self._served = served
        self._listing = FixtureListing(book, served)
        self._counts = self._listing.counts()
        self._known_names = -1
        self.reading = ""
        self.waiting_text: list[Content] = []

    @property
    def only_unused(self) -> bool:
        """Whether those that were served are hidden."""
        return self._listing.only_unused

    def update_rows(self) -> None:
        """Show what the book has now."""
        if self._listing.depends_on_findings or self._known_names != self._book.names_changed:
            self._known_names = self._book.names_changed
            self.set_keys(self._listing.names())
        self._counts = self._listing.counts()
        self.update_title()
        self.refresh_all()

    def update_title(self) -> None:
        facts = self.filter_facts(len(self._book.entries))
        words = [self.reading] if self.reading else []
        words += [
            f"{count:,} {kind}{'s' * (kind in ('error', 'warning') and count != 1)}"
            for kind, count in reversed(self._counts.items())
            if count or kind == "fine"
        ]
        if self.only_unused:
            words.append("only unused")
        if self._listing.sort != "file":
            words.append(f"by {self._listing.sort}")
        facts += [Content.styled(word, MUTED) for word in words]
        left = f"Fixtures [{self.cursor_place + 1:,}/{len(self.keys):,}]"
        self.set_frame(Content.styled(left, "bold"), Content.styled(" · ", MUTED).join(facts))

    def empty_lines(self) -> list[Content]:
        hidden = len(self._book.entries)
        if not hidden:
            return self.waiting_text
        if self.only_unused and not self._listing.filter:
            return [Content(""), Content("  Every fixture was served. U shows them.")]
        sentence = f'  No fixture matches "{self._listing.filter.text}". {hidden:,} are hidden.'
        return [Content(""), one_line(sentence), Content.styled("  esc shows them.", MUTED)]

    def row(self, key: str, *, selected: bool) -> Content:
        entry = self._book.entries[key]
        digest = entry.digest
        hit = "never" if digest else "-"
        if digest is not None and digest in self._served:
            hit = last_hit(self._served[digest], datetime.now())
        width = self.scrollable_content_region.width
        return fixture_row(entry, width, hit, selected=selected)

    def head(self) -> Content:
        return fixture_head(self.scrollable_content_region.width)

    def _arrange(self) -> None:
        """Other rows are wanted, or in another order."""
        self._known_names = -1
        self.update_rows()

    # Filter and order

    def set_filter(self, text: str) -> None:
        self._listing.filter = self.read_filter(text, parse)
        self._arrange()

    def action_sort(self) -> None:
        """Sort by the next of the orders there are."""
        place = FIXTURE_SORTS.index(self._listing.sort)
        self._listing.sort = FIXTURE_SORTS[(place + 1) % len(FIXTURE_SORTS)]
        self._arrange()

    def action_show_request(self) -> None:
        self.tell(self.RequestWanted())

    def toggle_unused(self) -> None:
        """Show only those that were not served, or all again."""
        self._listing.only_unused = not self.only_unused
        self._arrange()

    def action_next_problem(self, by: int) -> None:
        """Go to the next row that needs work, round the end."""
        count, place = len(self.keys), self.cursor_place
        for number in range(1, count):
            key = self.keys[(place + by * number) % count]
            if self._book.entries[key].kind in _NEED_WORK:
                self.select(key)
                return
        self.tell(StatusChanged("No other fixture here has a problem."))
