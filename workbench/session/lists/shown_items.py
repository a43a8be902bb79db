"""Which items of a list are shown, in which order; the items of a group stand together."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Generic

from workbench.session.lists.filters import Filter, Item
from workbench.session.lists.grouped_order import GroupedOrder, Place


class ShownItems(Generic[Item]):
    """The items of a list that are shown. Of a folded group only the first is.

    Attributes:
        keys: of the items shown; always the same object.
        kept: the item that stays although it is not wanted.
    """

    def __init__(
        self,
        items: dict[str, Item],
        group: Callable[[Item], tuple[str, int]],
        is_done: Callable[[Item], bool],
        *,
        with_done: bool,
    ) -> None:
        self.items = items
        self.keys: list[str] = []
        self.filter: Filter[Item] = Filter()
        self.with_done = with_done
        self.kept: str | None = None
        self._group = group
        self._is_done = is_done
        self._done: set[str] = set()
        self._order = GroupedOrder(group)
        # The names of folded groups, each with the key of one of its items.
        self._folded: dict[str, str] = {}

    # Places and numbers

    def __contains__(self, key: str | None) -> bool:
        """Whether there is such an item, shown or not."""
        return key in self._order.places

    def place(self, key: str | None) -> int:
        """The number of an item, from 0; -1 where it is not shown."""
        place = self._order.places.get(key or "")
        number = len(self.keys) if place is None else self._number(place)
        return number if number < len(self.keys) and self.keys[number] == key else -1

    def place_near(self, key: str, before: int) -> int:
        """The number of the item that stands where another stands, or would stand; one that is gone
        had the number ``before``.
        """
        place = self._order.places.get(key)
        return before if place is None else self._number(place)

    def _number(self, place: Place) -> int:
        """How many of the items shown stand before ``place`` in the order."""
        return bisect_left(self.keys, place, key=self._order.places.__getitem__)

    @property
    def open_count(self) -> int:
        """How many items are not done."""
        return len(self._order.keys) - len(self._done)

    @property
    def filtered_count(self) -> int:
        """How many items the filter hides."""
        candidates = len(self._order.keys) if self._shows_done else self.open_count
        folded = sum(len(self._wanted_members(key)) - 1 for key in self._folded.values())
        return max(candidates - len(self.keys) - folded, 0)

    def is_done(self, key: str) -> bool:
        return key in self._done

    # Groups

    def members(self, key: str) -> list[str]:
        """The items of the group of an item in order, shown or not; itself where it is alone."""
        return self._order.members(key)

    def _wanted_members(self, key: str) -> list[str]:
        return [member for member in self.members(key) if self._is_wanted(member)]

    def are_together(self, one: str, other: str) -> bool:
        """Whether two items are of one group."""
        return self._order.places[one][0] == self._order.places[other][0]

    def begins_group(self, key: str) -> bool:
        """Whether an item is the first shown of its group."""
        place = self.place(key)
        return place <= 0 or not self.are_together(self.keys[place - 1], key)

    def is_folded(self, key: str) -> bool:
        """Whether an item is shown in place of its whole group."""
        return self._name(key) in self._folded and len(self._wanted_members(key)) > 1

    def _fold(self, key: str) -> None:
        self._folded[self._name(key)] = key
        self._show_members(key)

    def _unfold(self, key: str) -> bool:
        """Returns whether the group was folded."""
        was_folded = self._folded.pop(self._name(key), None) is not None
        if was_folded:
            self._show_members(key)
        return was_folded

    def _name(self, key: str) -> str:
        """The name of an item's group."""
        return self._group(self.items[key])[0]

    # Updates

    def _sort(self, rank: Callable[[Item], Any] | None) -> None:
        """Put every item in its place."""
        for key in self.items:
            if key not in self:
                self._note_done(key)
        self._order.sort(self.items, rank)
        self._show_all()

    def _forget(self) -> None:
        """Forget the order and which items are done; ``_sort`` computes both again."""
        self._order.places.clear()
        self._done.clear()

    def _take(self, changed: Iterable[str]) -> None:
        """Update the places of changed items, and add new ones."""
        if not self._order.keys:
            self._sort(None)  # many at once
            return
        for key in sorted(changed, key=self._order.places.__getitem__):
            self._move(key)
            self._note_done(key)
            self._show_or_hide(key)
        new = list(islice(reversed(self.items), max(len(self.items) - len(self._order.keys), 0)))
        for key in reversed(new):
            is_last = self._order.add(key, self.items[key])
            self._note_done(key)
            if self._folded or not is_last:
                self._show_or_hide(key)
            elif self._is_wanted(key):
                self.keys.append(key)

    def _move(self, key: str) -> None:
        """Put an item into its group, if it belongs to another one now."""
        if self._order.belongs_elsewhere(key, self.items[key]):
            number = self.place(key)
            if number >= 0:
                del self.keys[number]
            self._order.move(key, self.items[key])

    def _note_done(self, key: str) -> None:
        if self._is_done(self.items[key]):
            self._done.add(key)
        else:
            self._done.discard(key)

    # Filtering

    @property
    def _shows_done(self) -> bool:
        return self.with_done or self.filter.wants_done

    def _is_wanted(self, key: str) -> bool:
        if key == self.kept:
            return True
        if key in self._done and not self._shows_done:
            return False
        return not self.filter or self.filter.matches(self.items[key])

    def _show_or_hide(self, key: str) -> None:
        """Show an item if it is wanted, and hide it if not."""
        if self._folded and self._name(key) in self._folded:
            self._show_members(key)
            return
        number = self._number(self._order.places[key])
        is_shown = number < len(self.keys) and self.keys[number] == key
        is_wanted = self._is_wanted(key)
        if is_wanted and not is_shown:
            self.keys.insert(number, key)
        elif is_shown and not is_wanted:
            del self.keys[number]

    def _show_members(self, key: str) -> None:
        """Show those of an item's group that are wanted."""
        members, places = self._order.members(key), self._order.places
        start, last = self._number(places[members[0]]), self._number(places[members[-1]])
        end = last + (self.keys[last : last + 1] == members[-1:])
        self.keys[start:end] = self._wanted_of(members)

    def _show_all(self) -> None:
        """Show all that are wanted."""
        self.keys[:] = self._wanted_of(self._order.keys)

    def _wanted_of(self, keys: Iterable[str]) -> list[str]:
        """The wanted ones of keys in order; of a folded group the first, and one that is kept."""
        wanted = [key for key in keys if self._is_wanted(key)]
        if not self._folded:
            return wanted
        found: list[str] = []
        for before, key in zip(["", *wanted], wanted, strict=False):
            is_later = before and self.are_together(before, key)
            if key == self.kept or not is_later or self._name(key) not in self._folded:
                found.append(key)
        return found
