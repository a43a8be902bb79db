"""The list of misses: one line each, as narrow or wide as there is room."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.session.misses.filter import parse
from workbench.session.misses.listing import SORTS, Listing
from workbench.session.session import Session
from workbench.session.wording import brief_time
from workbench.tui.messages import StatusChanged
from workbench.tui.misses.miss_row import age_of, miss_row
from workbench.tui.widgets.filterable_list import FilterableList
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import HELD, MUTED

# States that a decision made here leads to: such a row goes at once. Any other row that somebody
# looks at stays until it is left.
_DECIDED = frozenset({"saved", "skipped", "ignored"})


class MissList(FilterableList):
    """Every digest that had no fixture, and every request that the server does not speak.
    ``Listing`` knows which are shown and in which order.
    """

    BINDING_GROUP_TITLE = "List of misses"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next_open(1)", "Next open", show=False,
                id="list.next", tooltip="The next row that needs work"),
        Binding("N", "next_open(-1)", "Previous open", show=False,
                id="list.previous", tooltip="The row before that needs work"),
        Binding("o", "sort", "Sort", show=False,
                id="list.sort", tooltip="By first seen, last seen, count, state, model"),
        Binding("f", "toggle_follow", "Follow", show=False,
                id="list.follow", tooltip="Keep the end in view, or no longer"),
    ]
    # fmt: on

    FILTER_HINT = "words  model:  state:  tool:  turn:>1  run:last  from:  -without"

    def __init__(self, session: Session, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._listing = Listing(session)
        self._before_filter: str | None = None
        self._ages: dict[str, str] = {}
        self._mouse_is_down = False
        self.follow = False
        self.waiting_text: list[Content] = []
        self.set_source(self._listing.keys, self._listing.place)

    def on_mount(self) -> None:
        self.set_interval(1, self._tick)

    @property
    def open_count(self) -> int:
        """How many misses need something, shown or not."""
        return self._listing.open_count

    @property
    def with_done(self) -> bool:
        """Whether rows that need nothing more are shown too."""
        return self._listing.with_done

    @property
    def held_row(self) -> str | None:
        """Of the rows that clients wait for, the one they wait for longest."""
        held = self._session.held.digests
        return next((digest for digest in held if self._listing.place(digest) >= 0), None)

    # Rows

    def update_rows(self, changed: Collection[str] = ()) -> None:
        """Show what the session has now. The selected miss stays until it is left, unless a
        decision was made about it.

        Args:
            changed: the misses that are not as they were; new ones need not be named.
        """
        anchor = self.anchor_row()
        if self.cursor in changed:
            self._keep_cursor()
        self._listing.take(changed)
        self.rows_changed(anchor, changed)
        if self.follow:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        self.update_title()

    def _keep_cursor(self) -> None:
        if self.cursor is not None:
            decided = self._session.state(self.cursor).kind in _DECIDED
            self._listing.keep(None if decided else self.cursor)

    def _arrange(self, change: Callable[[], None]) -> None:
        """Change which rows are shown, or their order, because somebody wants it."""
        anchor = self.anchor_row()
        change()
        self.rows_changed(anchor)
        self.update_title()

    def place_near(self, key: str, before: int) -> int:  # noqa: ARG002
        return self._listing.nearest(key)

    def select(self, key: str | None) -> None:
        """Select a miss, one that is hidden too: it is shown until it is left."""
        if key is not None and self._listing.place(key) < 0:
            self._arrange(lambda: self._listing.keep(key))
            if self._listing.place(key) < 0:
                return
        super().select(key)
        if self._listing.kept not in (None, key):
            self._arrange(lambda: self._listing.keep(None))

    # The frame

    def update_title(self) -> None:
        shown = f"Misses [{self.cursor_place + 1:,}/{len(self.keys):,}]"
        left = Content.styled(shown, "bold")
        facts = self._facts()
        room = self.title_room - left.cell_length - 3
        while len(facts) > 1 and sum(f.cell_length + 3 for f in facts) - 3 > room:
            facts.pop()
        self.set_frame(left, Content.styled(" · ", MUTED).join(facts))

    def _facts(self) -> list[Content]:
        """How the list stands, the more important first."""
        listing, marked = self._listing, len(self._session.decisions.marked)
        facts = self.filter_facts(len(self.keys) + listing.hidden_count)
        if hold := self._hold_words():
            facts.append(Content.styled(" · ".join(hold), HELD))
        words = [
            *([f"{marked} marked"] if marked else []),
            *(["all shown"] if listing.with_done else []),
            *(["follow on"] if self.follow else []),
            f"by {listing.sort}",
            *([] if self.follow else ["follow off"]),
        ]
        return [*facts, *(Content.styled(word, MUTED) for word in words)]

    def _hold_words(self) -> list[str]:
        """Whether what is missing waits, and who does."""
        held, words = self._session.held, []
        if held.hold is not None and held.hold.enabled:
            words.append(f"hold on {brief_time(held.hold.timeout_s)}")
        if held:
            words.append(f"{len(held)} held, oldest {brief_time(held.oldest)}")
        return words

    def empty_lines(self) -> list[Content]:
        if not self._listing.filter or not self._listing.hidden_count:
            return self.waiting_text
        hidden = self._listing.hidden_count
        are = "is" if hidden == 1 else "are"
        sentence = f'  No miss matches "{self._listing.filter.text}". {hidden:,} {are} hidden.'
        return [Content(""), one_line(sentence), Content.styled("  esc shows them.", MUTED)]

    def row(self, key: str, *, selected: bool) -> Content:
        age = self._ages[key] = age_of(self._session, key, datetime.now())
        width = self.scrollable_content_region.width
        return miss_row(self._session, key, width, age, selected=selected)

    def _tick(self) -> None:
        """Ages go on: of rows in view, those that show another now, and only while they show."""
        if not self.is_on_screen:
            return
        now = datetime.now()
        in_view = [key for key in self.rows_in_view if key in self._ages]
        older = {key for key in in_view if age_of(self._session, key, now) != self._ages[key]}
        self._ages = {key: self._ages[key] for key in in_view}
        if older:
            self.refresh_rows(older)
        if self._session.held:
            self.update_title()

    # Filter and order

    def set_filter(self, text: str) -> None:
        if not self.filter_text:
            self._before_filter = self.cursor
        wanted = self.read_filter(text, parse)
        found_nothing = self.cursor is None
        self._listing.keep(None)
        self._arrange(lambda: self._listing.set_filter(wanted))
        if not text and found_nothing and self._before_filter is not None:
            self.select(self._before_filter)

    def action_sort(self) -> None:
        """Sort by the next of the orders there are."""
        following = SORTS[(SORTS.index(self._listing.sort) + 1) % len(SORTS)]
        self._arrange(lambda: self._listing.set_sort(following))

    def action_toggle_done(self) -> None:
        """Show the rows that need nothing more, or hide them."""
        self._listing.keep(None)
        self._arrange(lambda: self._listing.set_with_done(not self.with_done))

    def on_focus(self, event: events.Focus) -> None:
        """The list is entered: rows go to their places. Not by the mouse, which is about to choose
        the row it is over; what it does is known after this event.
        """
        if not event.from_app_focus:
            self.call_later(self._entered)

    def _entered(self) -> None:
        if self._listing.moves and not self._mouse_is_down:
            self._keep_cursor()
            self._arrange(self._listing.apply)

    def on_mouse_down(self) -> None:
        self._mouse_is_down = True

    def on_mouse_up(self) -> None:
        self._mouse_is_down = False

    # Moving

    def action_next_open(self, by: int) -> None:
        """Go to the next row that needs work, round the end; to a held one first."""
        count, place = len(self.keys), self.cursor_place
        waiting = [self._listing.place(digest) for digest in self._session.held.digests]
        others = [number for number in waiting if number >= 0 and number != place]
        if others:
            self.select(self.keys[min(others, key=lambda number: (number - place) * by % count)])
            return
        for number in range(1, count):
            key = self.keys[(place + by * number) % count]
            if not self._listing.is_done(key):
                self.select(key)
                return
        self.tell(StatusChanged("Nothing else here needs work."))

    def action_toggle_follow(self) -> None:
        self.follow = not self.follow
        self.update_rows()

    def _go(self, place: int) -> None:
        before = self.cursor_place
        super()._go(place)
        if self.cursor_place < before or self.top < self.max_scroll_y:
            self._stop_following()

    def on_mouse_scroll_up(self) -> None:
        self._stop_following()

    def _stop_following(self) -> None:
        if self.follow:
            self.follow = False
            self.update_title()
