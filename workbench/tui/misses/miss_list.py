"""The list of misses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.misses.miss import Miss
from workbench.session.misses.miss_query import miss_query, with_last_run_toggled
from workbench.session.session import Session
from workbench.tui.command import Command, Place, bindings
from workbench.tui.misses.miss_columns import MissColumns, RowTimes
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import LEGEND
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import say
from workbench.tui.widgets.styles import HELD, MUTED

# The list does not need it.
if TYPE_CHECKING:
    from workbench.tui.misses.miss_parts import MissParts


class MissList(RowList[Miss]):
    """Every digest that had no fixture, and every request that the server does not support.

    Attributes:
        is_following: True if the end stays in view when rows are added, until you move away.
    """

    BINDING_GROUP_TITLE = "List of misses"
    HELP = f"Requests that had no fixture; turns of a conversation are listed together.\n{LEGEND}"
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[MissParts]]] = (
        Command("edit", "enter", "Edit",
                "Edit the answer; of an unsupported request, show what to change",
                lambda parts: parts.choose(),
                bar={"usual": Place.FIRST},
                labels={"broken": "Mend", "held": "Answer", "unsupported": "What to change"}),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(TAB_COMMANDS),
        Binding("n", "next_open(1)", "Next open", show=False,
                id="list.next", tooltip="Go to the next waiting request, or open row"),
        Binding("N", "next_open(-1)", "Previous open", show=False,
                id="list.previous", tooltip="Go to the previous one"),
        Binding("left", "fold(True)", "Fold", show=False,
                id="list.fold", tooltip="Show a conversation as one row"),
        Binding("right", "fold(False)", "Unfold", show=False,
                id="list.unfold", tooltip="Show all turns of a conversation again"),
        Binding("left_curly_bracket", "next_conversation(-1)", "Previous conversation", show=False,
                id="list.previous_conversation",
                tooltip="Go to its first turn, then to the previous conversation"),
        Binding("right_curly_bracket", "next_conversation(1)", "Next conversation", show=False,
                id="list.next_conversation",
                tooltip="The first turn of the next conversation"),
        Binding("o", "sort", "Sort", show=False,
                id="list.sort", tooltip="By conversation, last seen, count, state, model"),
        Binding("l", "toggle_last_run", "Last run", show=False,
                id="list.last_run", tooltip="Show only the last suite run, or all runs"),
        Binding("f", "toggle_follow", "Follow", show=False,
                id="list.follow", tooltip="Turn follow on or off (the newest row stays in view)"),
    ]
    # fmt: on
    TITLE = "Misses"
    NOUN = "miss"
    HEAD_HEIGHT = 1
    FILTER_HINT = "words  model:  state:  tool:  turn:>1  run:last  test:  api:  from:  -without"

    def __init__(self, session: Session) -> None:
        query = miss_query(session)
        super().__init__(query, ())
        self._session = session
        self._miss_columns = MissColumns(session, query)
        self.marked = session.decisions.marked
        self._times = RowTimes(session)
        self.is_following = False
        self._mouse_is_down = False

    def on_mount(self) -> None:
        self.set_interval(1, self._tick)

    # Rows

    def columns_in(self, width: int) -> Sequence[Column[Miss]]:
        return self._miss_columns.in_width(width)

    def block_heading(self) -> Content:
        block, held = self.list_query.block, self._session.held.digests
        hidden = sum(digest in self.list_query for digest in held) - len(block)
        more = Content.styled(f"  {hidden:,} more hidden by the filter" if hidden else "", MUTED)
        return Content.styled(f"Waiting for you {len(block):,}", HELD) + more

    def update_rows(self, changed: Collection[str] = ()) -> None:
        """Show the present state of the session: changed misses, and new ones, which need not be
        listed in ``changed``. The selected miss stays until another is selected, unless a decision
        was made about it.
        """
        self.change_rows(partial(self.list_query.update, changed), changed)
        if self.is_following:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def row(self, key: str, width: int) -> Content:
        self._times.note(key)
        return super().row(key, width)

    def refresh_rows(self, keys: Collection[str]) -> None:
        """Redraw rows with their conversations, because each shows the number of turns."""
        changed, members = set(keys), self.list_query.members
        super().refresh_rows(
            [key for key in self.rows_in_view if not changed.isdisjoint(members(key))]
        )

    def _tick(self) -> None:
        """Draw the rows in view whose times read differently now, if the list is on the screen."""
        if self.is_on_screen and (outdated := self._times.outdated(self.rows_in_view)):
            super().refresh_rows(outdated)

    # The frame

    def facts(self) -> list[Content]:
        query, marked = self.list_query, self._session.decisions.marked
        words = [
            *([f"{len(marked)} marked"] if marked else []),
            *(["all shown"] if query.with_done else []),
            *(["follow on"] if self.is_following else []),
            *([f"by {query.order.name}"] if query.order != query.orders[0] else []),
        ]
        return [*self.filter_facts(), *(Content.styled(word, MUTED) for word in words)]

    # Order

    def on_focus(self, event: events.Focus) -> None:
        """The list is entered: rows go to their places. Not by the mouse, which is about to choose
        the row it is over; what it does is known after this event.
        """
        if not event.from_app_focus:
            self.call_later(self._entered)

    def _entered(self) -> None:
        if self._mouse_is_down:
            return
        if self.list_query.is_volatile:
            self.list_query.keep_selected()
            self.change_rows(self.list_query.sort)
        self.lines.show_block()

    def on_mouse_down(self) -> None:
        self._mouse_is_down = True

    def on_mouse_up(self) -> None:
        self._mouse_is_down = False

    # Moving

    def action_next_open(self, by: int) -> None:
        """Go to the next request that waits, the longest wait first; if none waits, to the next row
        that needs work.
        """
        query = self.list_query
        # Some may be in a folded conversation, or be left out by the filter.
        waiting = [digest for digest in self._session.held.digests if digest in query]
        if not waiting:
            place = query.next_place(lambda key: not query.is_done(key), by)
            self.select_place(place, "End of list: no other row needs work.")
        elif self.cursor not in waiting:
            self.select(waiting[0 if by > 0 else -1])
        elif len(waiting) > 1:
            self.select(waiting[(waiting.index(self.cursor) + by) % len(waiting)])
        else:
            say(self, "No other request is waiting. ↓ goes to the rows below.")

    def action_next_conversation(self, by: int) -> None:
        """Go to the first turn of the next conversation, or of the previous one, wrapping
        around.
        """
        place = self.list_query.next_place(self.list_query.begins_group, by)
        self.select_place(place, "There is no other conversation here.")

    def action_fold(self, is_folded: bool) -> None:
        """Show the first row of a conversation for all its turns, or all of them again."""
        query, key = self.list_query, self.cursor
        change = query.fold if is_folded else query.unfold
        changes: list[bool] = []
        if key is not None:
            self.change_rows(lambda: changes.append(change(key)))
        if not any(changes):
            nothing = "There are no other turns here to fold."
            say(self, nothing if is_folded else "There is nothing folded here.")

    def action_toggle_last_run(self) -> None:
        """Turn the filter for the last suite run on or off."""
        self.set_filter(with_last_run_toggled(self.filter_text))

    def action_toggle_follow(self) -> None:
        self.is_following = not self.is_following
        self.update_rows()

    def move_to(self, place: int) -> bool:
        before = self.cursor_place
        is_another = super().move_to(place)
        if self.cursor_place < before or self.top < self.max_scroll_y:
            self._stop_following()
        return is_another

    def on_mouse_scroll_up(self) -> None:
        self._stop_following()

    def _stop_following(self) -> None:
        if self.is_following:
            self.is_following = False
            self.update_title()
