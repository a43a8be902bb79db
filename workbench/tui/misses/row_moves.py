"""Going through the list of misses by conversations and by what needs work."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from workbench.session.misses.held import HeldRequests
from workbench.session.misses.rows import ListedRequest
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import say


class RowMoves:
    """Goes to what needs work and to other conversations, and folds a conversation into one row."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "run('moves', 'open', 1)", "Next open", show=False,
                id="list.next", tooltip="The next row that needs work"),
        Binding("N", "run('moves', 'open', -1)", "Previous open", show=False,
                id="list.previous", tooltip="The previous row that needs work"),
        Binding("left", "run('moves', 'fold')", "Fold", show=False,
                id="list.fold", tooltip="Show a conversation as one row"),
        Binding("right", "run('moves', 'unfold')", "Unfold", show=False,
                id="list.unfold", tooltip="Show all turns of a conversation again"),
        Binding("left_curly_bracket", "run('moves', 'conversation', -1)",
                "Previous conversation", show=False, id="list.previous_conversation",
                tooltip="Go to its first turn, then to the previous conversation"),
        Binding("right_curly_bracket", "run('moves', 'conversation', 1)",
                "Next conversation", show=False, id="list.next_conversation",
                tooltip="The first turn of the next conversation"),
    ]
    # fmt: on

    def __init__(self, rows: RowList[ListedRequest], held: HeldRequests) -> None:
        self._rows = rows
        self._held = held

    def action_open(self, by: int) -> None:
        """Go to the next row that needs work, or the one before, round the end; to a held one
        first.
        """
        query, held = self._rows.list_query, self._held.digests
        # In a folded conversation, or left out by the filter.
        hidden = (digest for digest in held if digest in query and query.place(digest) < 0)
        if first := next(hidden, None):
            self._rows.select(first)
            return
        place = query.next_place(set(held).__contains__, by)
        if place is None:
            place = query.next_place(lambda key: not query.is_done(key), by)
        self._go(place, "Nothing else here needs work.")

    def action_conversation(self, by: int) -> None:
        """Go to the first turn of the next conversation, or the one before, round the end."""
        query = self._rows.list_query
        place = query.next_place(query.begins_group, by)
        self._go(place, "There is no other conversation here.")

    def _go(self, place: int | None, if_none: str) -> None:
        if place is None:
            say(self._rows, if_none)
        else:
            self._rows.select(self._rows.keys[place])

    def action_fold(self) -> None:
        """Show the first row of a conversation for all its turns."""
        self._fold(self._rows.list_query.fold, "There are no other turns here to fold.")

    def action_unfold(self) -> None:
        self._fold(self._rows.list_query.unfold, "There is nothing folded here.")

    def _fold(self, change: Callable[[str], bool], if_not: str) -> None:
        key = self._rows.cursor
        changes: list[bool] = []
        if key is not None:
            self._rows.change_rows(lambda: changes.append(change(key)))
        if not any(changes):
            say(self._rows, if_not)
