"""What a list shows: which items of a collection, in which order, and which one is selected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from workbench.session.lists.filters import Filter, FilterError, FilterLanguage, Item
from workbench.session.lists.shown_items import ShownItems


@dataclass(frozen=True)
class Order(Generic[Item]):
    """An order that can be chosen.

    Attributes:
        rank: what an item is sorted by; None for the order in which the items came.
        is_volatile: the rank of an item may change while it is listed.
    """

    name: str
    rank: Callable[[Item], Any] | None = None
    is_volatile: bool = False


class ListQuery(ShownItems[Item]):
    """Filters, sorts, counts and selects the items of one list, which are known by their keys.

    ``update`` takes in that some items changed: each keeps its place and new ones are added at the
    end, or at the end of their group, so that nothing moves while somebody uses the list; it costs
    what changed, not what there is. ``sort`` puts every item in its place. ``refresh`` does both
    for all items. The selection stays on its key; where that is gone, the item that took its place
    is selected.

    Args:
        items: by key, in the order in which they came; the caller's own, which may change.
        language: of the filter; None where ``set_filter`` alone is used.
        orders: the first is the one to begin with.
        is_done: whether an item is hidden unless somebody asks for those that are done.
        leaves: whether the selected item goes at once when it is no longer wanted; else it stays
            until another is selected.
        group: the name of an item's group, and its place there; "" for an item that stands alone.

    Attributes:
        filter_text: the filter as it was typed, understood or not.
        error: why it is not understood, "" where it is; it hides nothing then.
    """

    def __init__(
        self,
        items: dict[str, Item],
        language: FilterLanguage[Item] | None,
        orders: Sequence[Order[Item]],
        *,
        is_done: Callable[[Item], bool] = lambda _: False,
        leaves: Callable[[Item], bool] = lambda _: False,
        group: Callable[[Item], tuple[str, int]] = lambda _: ("", 0),
        with_done: bool = False,
    ) -> None:
        super().__init__(items, group, is_done, with_done=with_done)
        self.language = language
        self.orders = orders
        self.order = orders[0]
        self.filter_text = ""
        self.error = ""
        self.selected: str | None = None
        self._rests = False
        self._leaves = leaves
        # The item that was selected before a filter was typed; the last place of the selected item.
        self._before_filter: str | None = None
        self._selected_place = -1

    # The selected item

    @property
    def selected_place(self) -> int:
        """The number of the selected item, from 0; -1 for none."""
        return self.place(self.selected)

    @property
    def selected_item(self) -> Item | None:
        return self.items.get(self.selected) if self.selected is not None else None

    def next_place(self, is_wanted: Callable[[str], bool], by: int) -> int | None:
        """The number of the next item with a wanted key, or with -1 of the one before; after the
        last comes the first. None where no other item has one.
        """
        count, at = len(self.keys), self.place(self.selected)
        numbers = ((at + by * step) % count for step in range(1, count))
        return next((number for number in numbers if is_wanted(self.keys[number])), None)

    # Filters and orders

    def set_with_done(self, with_done: bool) -> None:
        self.with_done, self.kept = with_done, None
        self._select_keys()

    def set_filter_text(self, text: str) -> None:
        """Show what matches ``text``, as it was typed."""
        if not self.filter_text:
            self._before_filter = self.selected
        found_nothing = self.selected is None
        wanted: Filter[Item] = Filter()
        self.error = ""
        if self.language is not None:
            try:
                wanted = self.language.parse(text)
            except FilterError as error:
                self.error = str(error)
        self.filter_text = text
        self.set_filter(wanted)
        if not text and found_nothing and self._before_filter is not None:
            self.select(self._before_filter)

    def set_filter(self, wanted: Filter[Item]) -> None:
        self.filter, self.kept = wanted, None
        self._select_keys()

    def set_order(self, name: str) -> None:
        """Sort by the order of that name."""
        self.order = next(order for order in self.orders if order.name == name)
        self.sort()

    def next_order(self) -> None:
        """Sort by the order after the one that is chosen."""
        place = self.orders.index(self.order) + 1
        self.set_order(self.orders[place % len(self.orders)].name)

    @property
    def is_volatile(self) -> bool:
        """Whether ``sort`` may move, hide or show items without a new filter or order."""
        return self.order.is_volatile or self.filter.is_volatile

    # The selection

    def select(self, key: str | None) -> None:
        """Select an item; one that is hidden is shown until another is selected. A key that is not
        known changes nothing.
        """
        if key is not None and key not in self:
            return
        before = self.kept
        if key != before:
            self.kept = key if self.place(key) < 0 else None
        for concerned in (before, key):
            if concerned is not None and concerned in self:
                self._show_or_hide(concerned)
        self.selected = key
        self._selected_place = self.selected_place
        self._rests = False

    def rest(self) -> None:
        """Select nothing, until ``select`` is called again."""
        self.select(None)
        self._rests = True

    def keep_selected(self) -> None:
        """Let the selected item stay until another is selected, unless it leaves at once."""
        item = self.selected_item
        self.kept = None if item is None or self._leaves(item) else self.selected

    def _hold_selection(self) -> None:
        """Where the selected item is gone, select the one that took its place."""
        if self.keys and self.selected_place < 0 and not self._rests:
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
        self._forget()
        self.sort()

    def sort(self) -> None:
        """Put every item in its place. Changes before this must have gone through ``update``."""
        self._sort(self.order.rank)
        self._hold_selection()

    def update(self, changed: Iterable[str] = ()) -> None:
        """Update after items changed or were added; added ones need not be in ``changed``."""
        changed = [key for key in changed if key in self]
        if self.selected in changed:
            self.keep_selected()
        self._take(changed)
        self._hold_selection()

    def _select_keys(self) -> None:
        self._show_all()
        self._hold_selection()

    # Groups

    def fold(self, key: str) -> bool:
        """Show the first item of a group for all of them, and select it; returns whether there are
        others.
        """
        wanted = self._wanted_members(key)
        if len(wanted) > 1:
            self.select(wanted[0])
            self._fold(key)
            self._hold_selection()
        return len(wanted) > 1

    def unfold(self, key: str) -> bool:
        """Show all items of a group again; returns whether it was folded."""
        was_folded = self._unfold(key)
        self._hold_selection()
        return was_folded
