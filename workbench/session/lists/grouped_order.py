"""The order of all items of a list, with the items of a group together."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from typing import Any, Generic

from workbench.session.lists.filters import Item

Place = tuple[int, ...]
"""What items are ordered by: the number of the group, the place in it, the item's own number. An
item without a group is a group by itself."""


class GroupedOrder(Generic[Item]):
    """Keeps every key in order. Adding or moving one costs no Python code for the others.

    Args:
        group: returns the group of an item, and its place in the group; "" for an item without a
            group.

    Attributes:
        keys: all, in order.
        places: the sort key of each.
    """

    def __init__(self, group: Callable[[Item], tuple[str, int]]) -> None:
        self.keys: list[str] = []
        self.places: dict[str, Place] = {}
        self._group = group
        self._groups: dict[str, int] = {}

    def sort(self, items: Mapping[str, Item], rank: Callable[[Item], Any] | None) -> None:
        """Put all items in order. A group takes the place of its first item.

        Args:
            rank: sort key of items; None keeps the order of insertion.
        """
        ranked = list(items)
        if rank is not None:
            ranked.sort(key=lambda key: rank(items[key]))
        self._groups.clear()
        self.places = {key: self._place(items[key], n) for n, key in enumerate(ranked)}
        ranked.sort(key=self.places.__getitem__)
        self.keys = ranked

    def put(self, key: str, item: Item) -> None:
        """Put a new item into its group, or at the end; and one that changed where it belongs now,
        in case that is another group or another place in it.
        """
        before = self.places.get(key)
        place = self._place(item, len(self.keys) if before is None else before[-1])
        if place == before:
            return
        if before is not None:
            del self.keys[bisect_left(self.keys, before, key=self.places.__getitem__)]
        is_last = not self.keys or self.places[self.keys[-1]] < place
        self.places[key] = place
        if is_last:
            self.keys.append(key)
        else:
            insort(self.keys, key, key=self.places.__getitem__)

    def members(self, key: str) -> list[str]:
        """The items of the group of an item, in order; only itself where it has none."""
        group = self.places[key][0]
        start: Place = (group,)
        end: Place = (group + 1,)
        first, after = (
            bisect_left(self.keys, p, key=self.places.__getitem__) for p in (start, end)
        )
        return self.keys[first:after]

    def _place(self, item: Item, number: int) -> Place:
        name, place = self._group(item)
        return self._groups.setdefault(name, number) if name else number, place, number
