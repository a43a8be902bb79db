"""The key bar, the last line of the screen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from textual.binding import ActiveBinding, Binding
from textual.content import Content
from textual.keys import REPLACED_KEYS, key_to_character

from workbench.tui.command import Place, Situation
from workbench.tui.widgets.labels import SteadyLabel, named_key
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace.tab import Tab

# More are not read; help and palette have all.
MOST_KEYS: Final = 9
# The actions that always have their keys there.
_ALWAYS: Final = frozenset({"help", "command_palette"})
_BETWEEN: Final = Content("  ")


class KeyBar(SteadyLabel):
    """The keys for the selected row and the focused pane, each a button, with help and palette at
    the right edge: ``MOST_KEYS`` at most. If there is not enough room, the last ones on the left
    are left out. In an empty list only keys that need no row are shown. A dialog shows its own
    keys, so the bar is empty.

    The place of a command is determined by its ``Command.bar``.

    Args:
        tab: returns the shown tab; None before there is one.

    Attributes:
        now: the keys for the row and the pane, with their labels; also keys left out for room.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $panel; }
    """

    def __init__(self, tab: Callable[[], Tab | None]) -> None:
        super().__init__()
        self.now: Sequence[tuple[Binding, str]] = ()
        self._tab = tab
        self._is_due = False

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self._update_soon())

    def on_resize(self) -> None:
        self._update_soon()

    def _update_soon(self) -> None:
        """Draw the keys once for all that changes now."""
        if not self._is_due:
            self._is_due = True
            self.call_later(self._update)

    def _update(self) -> None:
        self._is_due = False
        # The same keys are not drawn again: with the header, all between the two bars would be.
        self.update(self._keys())

    def _keys(self) -> Content:
        tab = self._tab()
        if tab is None or self.app.screen is not self.screen:
            return Content("")
        situation = tab.situation
        left: dict[str, Content] = {}
        right: dict[str, Content] = {}
        now: dict[str, tuple[Binding, str]] = {}
        labels: set[str] = set()
        for active in self._shown(tab, situation):
            binding = active.binding
            command = tab.commands.get(binding.id or "")
            label = command.label_in(situation) if command is not None else binding.description
            # A command's first key, whichever of them is in the order of the bindings.
            named = binding if command is None else replace(binding, key=command.keys)
            key = self.app.get_key_display(named)
            key = key if binding.key_display else key.partition(" ")[0]
            if active.node is self.app and label in labels:
                continue  # the tab has a key of its own for the same
            labels.add(label)
            if active.node is not self.app:
                now.setdefault(binding.action, (replace(named, key_display=key), label))
            part = named_key(key, label).stylize(f"@click=app.simulate_key('{binding.key}')")
            (right if binding.action in _ALWAYS else left).setdefault(binding.action, part)
        self.now = list(now.values())
        always = _BETWEEN.join(right.values())
        shown = list(left.values())[: MOST_KEYS - len(right)]
        room = self.content_size.width - always.cell_length
        while shown and sum(part.cell_length + len(_BETWEEN) for part in shown) > room:
            shown.pop()
        keys = _BETWEEN.join(shown)
        return keys.pad_right(max(room - keys.cell_length, 0)) + always

    def _shown(self, tab: Tab, situation: Collection[Situation]) -> list[ActiveBinding]:
        """The keys by their places. In one place they are ordered from the focused widget outwards,
        the keys of a widget in the order of its tab.
        """
        keys = [active for active in self.screen.active_bindings.values() if active.enabled]
        nodes = (self.screen.focused or self.screen).ancestors_with_self
        order = {name: number for number, name in enumerate(tab.commands)}
        placed: list[tuple[tuple[int, ...], ActiveBinding]] = []
        for active in keys:
            name = active.binding.id or ""
            command = tab.commands.get(name)
            place = command.place_in(situation) if command else self._place_of(active, situation)
            if place is not None:
                placed.append(((place, nodes.index(active.node), order.get(name, -1)), active))
        return [active for _, active in sorted(placed, key=lambda each: each[0])]

    def _is_text(self, key: str) -> bool:
        """True if the focused field accepts a key as text. Textual does not count "slash"."""
        focused, character = self.screen.focused, key_to_character(REPLACED_KEYS.get(key, key))
        return focused is not None and focused.check_consume_key(key, character)

    def _place_of(self, active: ActiveBinding, situation: Collection[Situation]) -> Place | None:
        """The place of a key of a widget or the application, instead of the tab."""
        binding, rows = active.binding, self.screen.focused
        if binding.id == "pane.zoom":  # the way out of the zoom
            return Place.FIRST if self.screen.maximized is not None else None
        if not binding.show or self._is_text(binding.key):
            return None
        if active.node is self.app:
            return Place.LATE
        if binding.id == "list.filter":
            is_of_use = "no rows" not in situation or (
                isinstance(rows, RowList) and rows.filter_text
            )
            return Place.EARLY if is_of_use else None
        return Place.FIRST if "no rows" not in situation else None
