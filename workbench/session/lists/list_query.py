"""The state of a list: the shown items of a collection, their order, and the selection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any, Generic, NamedTuple

from workbench.session.lists.filters import Filter, FilterError, FilterLanguage, Item
from workbench.session.lists.grouped_order import GroupedOrder, Place


class Order(NamedTuple, Generic[Item]):
    """A selectable order.

    Attributes:
        rank: sort key of an item; None for the order of insertion.
        is_volatile: the rank of an item may change while it is listed.
    """

    name: str
    rank: Callable[[Item], Any] | None = None
    is_volatile: bool = False


class ListQuery(Generic[Item]):
    """Filters, sorts, counts and selects the items of one list, which are identified by their keys.

    ``update`` handles changes of some items: each keeps its place and new ones are added at the
    end, or at the end of their group, so that nothing moves while the list is used; filters check
    only changed items. ``sort`` puts every item in its place. ``refresh`` does both for all items.
    The selection stays on its key; if that is gone, the item in its place is selected. The items of
    a group are together; of a folded group only the first is shown. Priority items are a block at
    the top, whatever the order is and wherever the rest of their groups is. One that joins the
    block is selected, unless a person chose another.

    Args:
        items: by key, in the order of insertion; the caller's own, which may change.
        language: language of the filter.
        orders: the first is the initial one.
        is_done: returns True if an item is hidden unless done items are included.
        leaves: returns True if the selected item disappears at once when it no longer matches; else
            it stays until another is selected.
        group: returns the group of an item, and its place in the group; "" for an item without a
            group.
        first: the keys of the priority items, in their order.

    Attributes:
        keys: keys of the items shown; always the same object.
        block: the priority items among them.
        is_chosen: a person chose the selected item.
        kept: the item that stays although it does not match.
        filter_text: the filter as typed, valid or not.
        error: why it is invalid, or ""; an invalid filter hides nothing.
    """

    def __init__(
        self,
        items: dict[str, Item],
        language: FilterLanguage[Item],
        orders: Sequence[Order[Item]],
        *,
        is_done: Callable[[Item], bool] = lambda _: False,
        leaves: Callable[[Item], bool] = lambda _: False,
        group: Callable[[Item], tuple[str, int]] = lambda _: ("", 0),
        first: Callable[[], Iterable[str]] = tuple,
        with_done: bool = False,
    ) -> None:
        self.items = items
        self.keys: list[str] = []
        self.block: Sequence[str] = ()
        self.is_chosen = False
        self.filter: Filter[Item] = Filter()
        self.with_done = with_done
        self.kept: str | None = None
        self.language = language
        self.orders = orders
        self.order = orders[0]
        self.filter_text = ""
        self.error = ""
        self.selected: str | None = None
        self._selects_nothing = False
        self._leaves = leaves
        # The item that was selected before a filter was typed; the last place of the selected item.
        self._before_filter: str | None = None
        self._selected_place = -1
        self._group = group
        self._first = first
        self._is_done = is_done
        self._done: set[str] = set()
        # The items that do not match now.
        self._hidden: set[str] = set()
        self._order = GroupedOrder(group)
        # The names of folded groups.
        self._folded: set[str] = set()

    # Places and numbers

    def __contains__(self, key: str | None) -> bool:
        """True if the item exists, shown or not."""
        return key in self._order.places

    def place(self, key: str | None) -> int:
        """The number of an item, from 0; -1 where it is not shown."""
        if key in self.block:
            return self.block.index(key)
        place = self._order.places.get(key or "")
        number = len(self.keys) if place is None else self._number(place)
        return number if number < len(self.keys) and self.keys[number] == key else -1

    def place_near(self, key: str, before: int) -> int:
        """The number of the shown item at or after the place of another; if that is gone, it had
        the number ``before``.
        """
        place = self._order.places.get(key)
        return before if place is None else self._number(place)

    def _number(self, place: Place) -> int:
        """The number of shown items before ``place`` in the order, or in the block."""
        return self._number_in(self.keys, place, len(self.block))

    def _number_in(self, keys: Sequence[str], place: Place, begin: int = 0) -> int:
        return bisect_left(keys, place, begin, key=self._order.places.__getitem__)

    @property
    def open_count(self) -> int:
        """How many items are not done."""
        return len(self._order.keys) - len(self._done)

    @property
    def filtered_count(self) -> int:
        """How many items the filter hides."""
        candidates = len(self._order.keys) if self._shows_done else self.open_count
        return max(candidates - (len(self._order.keys) - len(self._hidden)), 0)

    def is_done(self, key: str) -> bool:
        return key in self._done

    # The selected item

    @property
    def selected_place(self) -> int:
        """The number of the selected item, from 0; -1 for none."""
        return self.place(self.selected)

    @property
    def selected_item(self) -> Item | None:
        return self.items.get(self.selected) if self.selected is not None else None

    def next_place(self, is_wanted: Callable[[str], bool], by: int) -> int | None:
        """The number of the next item with a wanted key, or with -1 of the previous one, wrapping
        around. None if no other item has one.
        """
        count, at = len(self.keys), self.place(self.selected)
        numbers = ((at + by * step) % count for step in range(1, count))
        return next((number for number in numbers if is_wanted(self.keys[number])), None)

    # Filters and orders

    def set_with_done(self, with_done: bool) -> None:
        self.with_done, self.kept = with_done, None
        self._show_all()

    def set_filter_text(self, text: str) -> None:
        """Show what matches ``text``, as it was typed."""
        if not self.filter_text:
            self._before_filter = self.selected
        found_nothing = self.selected is None
        parsed: Filter[Item] = Filter()
        self.error = ""
        try:
            parsed = self.language.parse(text)
        except FilterError as error:
            self.error = str(error)
        self.filter_text = text
        self.filter, self.kept = parsed, None
        self.is_chosen = True
        self._show_all()
        if not text and found_nothing and self._before_filter is not None:
            self.select(self._before_filter)

    def set_order(self, name: str) -> None:
        """Sort by the order of that name."""
        self.order = next(order for order in self.orders if order.name == name)
        self.sort()

    def next_order(self) -> None:
        """Switch to the next order."""
        place = self.orders.index(self.order) + 1
        self.set_order(self.orders[place % len(self.orders)].name)

    @property
    def is_volatile(self) -> bool:
        """True if ``sort`` may move, hide or show items without a new filter or order."""
        return self.order.is_volatile or self.filter.is_volatile

    # The selection

    def select(self, key: str | None) -> None:
        """Select an item for a person; one that is hidden is shown until another is selected. A key
        that is not known changes nothing.
        """
        if key is not None and key not in self:
            return
        self.is_chosen = True
        before = self.kept
        if key != before:
            self.kept = key if self.place(key) < 0 else None
        if self.kept != before:
            self._note_wanted(
                item for item in (before, self.kept) if item is not None and item in self
            )
            self._show()
        self.selected = key
        self._selected_place = self.selected_place
        self._selects_nothing = False

    def offer(self, key: str | None) -> None:
        """Select an item, or nothing, until a person selects one or one joins the block."""
        self.select(key)
        self.is_chosen, self._selects_nothing = False, key is None

    def keep_selected(self) -> None:
        """Let the selected item stay until another is selected, unless it leaves at once."""
        item = self.selected_item
        self.kept = None if item is None or self._leaves(item) else self.selected

    def _hold_selection(self) -> None:
        """If the selected item is gone, select the item in its place."""
        if self.keys and self.selected_place < 0 and not self._selects_nothing:
            near = self.place_near(self.selected, self._selected_place) if self.selected else 0
            self.selected = self.keys[min(near, len(self.keys) - 1)]
        elif not self.keys:
            self.selected = None
        self._selected_place = self.selected_place

    # Updates

    def set_items(self, items: dict[str, Item]) -> None:
        """Show other items."""
        self.items = items
        self.refresh()

    def refresh(self) -> None:
        """Update after any items changed, were added or removed, and sort all items."""
        self._order.places.clear()
        self._done.clear()
        self.sort()

    def sort(self) -> None:
        """Put every item in its place. Changes before this must have gone through ``update``."""
        for key in self.items:
            if key not in self:
                self._note_done(key)
        self._order.sort(self.items, self.order.rank)
        self._show_all()

    def update(self, changed: Iterable[str] = ()) -> None:
        """Update after items changed or were added; added ones need not be in ``changed``."""
        if not self._order.keys:
            self.sort()  # many at once
            return
        changed = [key for key in changed if key in self]
        if self.selected in changed:
            self.keep_selected()
        new = list(islice(reversed(self.items), max(len(self.items) - len(self._order.keys), 0)))
        for key in (*changed, *reversed(new)):
            self._order.put(key, self.items[key])
            self._note_done(key)
        self._note_wanted((*changed, *new))
        self._show()

    def _note_done(self, key: str) -> None:
        if self._is_done(self.items[key]):
            self._done.add(key)
        else:
            self._done.discard(key)

    # Groups

    def members(self, key: str) -> list[str]:
        """The items of the group of an item in order, shown or not; itself without a group."""
        return self._order.members(key)

    def _wanted_members(self, key: str) -> list[str]:
        """The matching items that are together with this one in its group; only itself in the
        block.
        """
        if key in self.block:
            return [key]
        hidden, block = self._hidden, self.block
        return [m for m in self.members(key) if m not in hidden and m not in block]

    def are_together(self, key: str, other: str) -> bool:
        """True if two items belong to the same group."""
        return self._order.places[key][0] == self._order.places[other][0]

    def begins_group(self, key: str) -> bool:
        """True if an item is the first shown of its group."""
        place = self.place(key)
        starts_list = place <= 0 or place == len(self.block)
        return starts_list or not self.are_together(self.keys[place - 1], key)

    def is_folded(self, key: str) -> bool:
        """True if an item is shown instead of its whole group."""
        return self._name(key) in self._folded and len(self._wanted_members(key)) > 1

    def _name(self, key: str) -> str:
        """The name of an item's group."""
        return self._group(self.items[key])[0]

    def fold(self, key: str) -> bool:
        """Show only the first item of a group, and select it. Return True if there are others."""
        members = self._wanted_members(key)
        if len(members) > 1:
            self.select(members[0])
            self._folded.add(self._name(key))
            self._show()
        return len(members) > 1

    def unfold(self, key: str) -> bool:
        """Show all items of a group again. Return True if it was folded."""
        was_folded = self._name(key) in self._folded
        self._folded.discard(self._name(key))
        self._show()
        return was_folded

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

    def _note_wanted(self, keys: Iterable[str]) -> None:
        for key in keys:
            if self._is_wanted(key):
                self._hidden.discard(key)
            else:
                self._hidden.add(key)

    def _show_all(self) -> None:
        """Show all that are to be shown, after any of them may have become so or ceased to be."""
        self._hidden = {key for key in self._order.keys if not self._is_wanted(key)}
        self._show()

    def _show(self) -> None:
        """Show those that are not hidden: first the block, then, of a folded group, the first item,
        and one that is kept.
        """
        hidden, keys, shown = self._hidden, self.keys, self._order.keys
        keys[:] = [key for key in shown if key not in hidden] if hidden else shown
        block = [key for key in self._first() if key in self and key not in hidden]
        for key in block:
            del keys[self._number_in(keys, self._order.places[key])]
        if self._folded:
            keys[:] = self._without_folded(keys)
        keys[:0] = block
        came = [key for key in block if key not in self.block]
        self.block = block
        if came and self.selected not in block and not (self.is_chosen and self.selected):
            self.selected, self._selects_nothing = came[0], False
        self._hold_selection()

    def _without_folded(self, keys: Sequence[str]) -> list[str]:
        """Of a folded group, only the first item, and one that is kept."""
        folded = self._folded
        return [
            key
            for before, key in pairwise(["", *keys])
            if key == self.kept
            or not (before and self.are_together(before, key))
            or self._name(key) not in folded
        ]
