"""Which misses a list shows, and in which order: kept by what changed, not walked anew."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Final, Literal, get_args

from workbench.session.misses.filter import NO_FILTER, Filter
from workbench.session.misses.rows import Row
from workbench.session.misses.states import StateKind
from workbench.session.session import Session

Sort = Literal["first seen", "last seen", "count", "state", "model"]
SORTS: Final[tuple[Sort, ...]] = get_args(Sort)
_MOVING_SORTS: Final[frozenset[Sort]] = frozenset({"last seen", "count", "state"})
_MOVING_FIELDS: Final = frozenset({"state", "run"})
_STATE_ORDER: Final = {kind: number for number, kind in enumerate(get_args(StateKind))}


class Listing:
    """The keys of a list of misses.

    An order is applied when it is chosen, and by ``apply``; until then every row keeps its place
    and new ones are added at the end, so that nothing moves under the hands.

    Attributes:
        kept: a miss that stays although it would be hidden: the one somebody looks at.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._filter = NO_FILTER
        self._sort: Sort = "first seen"
        self._with_done = False
        self.kept: str | None = None
        # Every miss in the order applied last, and each one's place in it.
        self._order: list[str] = []
        self._places: dict[str, int] = {}
        self._done: set[str] = set()
        self._keys: list[str] = []
        self._last_run = session.book.last_run

    # What is shown

    @property
    def keys(self) -> Sequence[str]:
        """The digests shown; the same object for as long as it lives."""
        return self._keys

    def place(self, digest: str) -> int:
        """The number of a row, from 0; -1 where it is not shown."""
        place = self._places.get(digest)
        if place is None:
            return -1
        number = self._number(place)
        found = number < len(self._keys) and self._keys[number] == digest
        return number if found else -1

    def nearest(self, digest: str) -> int:
        """The number of the row that stands where a miss stands, or would."""
        return self._number(self._places.get(digest, 0))

    def _number(self, place: int) -> int:
        """How many of the rows shown stand before ``place`` in the order."""
        return bisect_left(self._keys, place, key=self._places.__getitem__)

    @property
    def open_count(self) -> int:
        """How many misses need something."""
        return len(self._order) - len(self._done)

    @property
    def hidden_count(self) -> int:
        """How many misses the filter hides."""
        shown_anyway = len(self._order) if self._wants_done else self.open_count
        return max(shown_anyway - len(self._keys), 0)

    def is_done(self, digest: str) -> bool:
        return digest in self._done

    # What is wanted

    @property
    def filter(self) -> Filter:
        return self._filter

    def set_filter(self, wanted: Filter) -> None:
        self._filter = wanted
        self._select_keys()

    @property
    def sort(self) -> Sort:
        return self._sort

    def set_sort(self, sort: Sort) -> None:
        self._sort = sort
        self.apply()

    @property
    def with_done(self) -> bool:
        """Whether rows that need nothing more are shown too."""
        return self._with_done

    def set_with_done(self, with_done: bool) -> None:
        self._with_done = with_done
        self._select_keys()

    @property
    def _wants_done(self) -> bool:
        return self._with_done or self._filter.asks_done

    @property
    def moves(self) -> bool:
        """Whether ``apply`` may change anything: the order or the filter depends on what happens
        to a miss.
        """
        return self._sort in _MOVING_SORTS or not self._filter.fields.isdisjoint(_MOVING_FIELDS)

    # What changes

    def apply(self) -> None:
        """Put every row in its place."""
        book = self._session.book.rows
        self._take_new()
        self._order = list(book)
        if self._sort != "first seen":
            self._order.sort(key=lambda digest: self._rank(book[digest]))
        self._places = {digest: number for number, digest in enumerate(self._order)}
        self._select_keys()

    def take(self, changed: Iterable[str]) -> None:
        """Take in that these misses changed, or are new."""
        known = len(self._order)
        self._take_new()
        for digest in changed:
            if self._places.get(digest, known) < known:
                self._note_done(digest)
                self._show_or_hide(digest)
        if self._last_run != self._session.book.last_run and "run" in self._filter.fields:
            self._select_keys()

    def keep(self, digest: str | None) -> None:
        """Show this miss whatever the filter and its state, and no longer the one before."""
        before, self.kept = self.kept, digest
        for concerned in (before, digest):
            if concerned is not None and concerned in self._places:
                self._show_or_hide(concerned)

    def _take_new(self) -> None:
        book = self._session.book.rows
        new = list(islice(reversed(book), len(book) - len(self._order)))
        for digest in reversed(new):
            self._places[digest] = len(self._order)
            self._order.append(digest)
            self._note_done(digest)
            if self._is_wanted(digest):
                self._keys.append(digest)

    def _note_done(self, digest: str) -> None:
        if self._session.state(digest).is_done:
            self._done.add(digest)
        else:
            self._done.discard(digest)

    def _show_or_hide(self, digest: str) -> None:
        number = self._number(self._places[digest])
        is_shown = number < len(self._keys) and self._keys[number] == digest
        wanted = self._is_wanted(digest)
        if wanted and not is_shown:
            self._keys.insert(number, digest)
        elif is_shown and not wanted:
            del self._keys[number]

    def _select_keys(self) -> None:
        self._last_run = self._session.book.last_run
        self._keys[:] = [digest for digest in self._order if self._is_wanted(digest)]

    def _is_wanted(self, digest: str) -> bool:
        if digest == self.kept:
            return True
        if digest in self._done and not self._wants_done:
            return False
        if not self._filter:
            return True
        return self._filter.matches(self._session.book.rows[digest], self._session)

    def _rank(self, row: Row) -> Any:
        """What decides a row's place; equals stand in the order first seen."""
        match self._sort:
            case "last seen":
                return -row.asked
            case "count":
                return -row.count
            case "state":
                return _STATE_ORDER[self._session.state(row.key).kind]
            case "model":
                # Those whose request is not known come last.
                return (row.summary is None, row.summary.model.casefold() if row.summary else "")
            case "first seen":
                return 0
