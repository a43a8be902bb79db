"""Going from one row that needs work to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.tui.widgets.status import say

if TYPE_CHECKING:
    from workbench.tui.misses.miss_list import MissList


def go_to_open(rows: MissList, held: Sequence[str], by: int) -> None:
    """Go to the next request that waits, or with -1 to the previous one, wrapping around; if none
    waits, to the next row that needs work.

    Args:
        held: the digests of the requests that wait, the longest wait first.
    """
    query = rows.list_query
    if waiting := [digest for digest in held if digest in query]:
        _go_to_waiting(rows, waiting, by)
    else:
        place = query.next_place(lambda key: not query.is_done(key), by)
        rows.select_place(place, "End of list: no other row needs work.")


def _go_to_waiting(rows: MissList, waiting: Sequence[str], by: int) -> None:
    """Some may be in a folded conversation, or be left out by the filter."""
    if rows.cursor not in waiting:
        rows.select(waiting[0 if by > 0 else -1])
    elif len(waiting) > 1:
        rows.select(waiting[(waiting.index(rows.cursor) + by) % len(waiting)])
    else:
        say(rows, "No other request is waiting. ↓ goes to the rows below.")
