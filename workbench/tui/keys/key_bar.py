"""The key bar, the last line of the screen."""

from __future__ import annotations

from collections.abc import Callable, Collection

from textual.binding import ActiveBinding
from textual.content import Content

from workbench.tui.keys.command import FIRST, Place, Situation
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import KEY
from workbench.tui.workspace.tab import Tab

# More are not read; help and palette have all.
MOST_KEYS = 9


class KeyBar(SteadyLabel):
    """The keys of the focused pane, each a button, and those of the application: ``MOST_KEYS`` of
    them. Where there is no room for all, the last are left out. In an empty list only those are
    there that need no row. A dialog says its own keys: then there are none.

    Where a command stands follows from its ``Command.bar``.

    Args:
        tab: gives the tab that is shown; None before there is one.
    """

    DEFAULT_CSS = """
    KeyBar { height: 1; width: 1fr; padding: 0 1; background: $panel; }
    """

    def __init__(self, tab: Callable[[], Tab | None]) -> None:
        super().__init__()
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
        parts: dict[str, Content] = {}
        always: dict[str, Content] = {}
        for active in self._shown(tab, situation):
            binding = active.binding
            command = tab.commands.get(binding.id or "")
            label = command.label_in(situation) if command is not None else binding.description
            key = binding.key_display or self.app.get_key_display(binding).partition(" ")[0]
            part = Content.styled(key, KEY) + Content(f" {label}")
            part = part.stylize(f"@click=app.simulate_key('{binding.key}')")
            (always if active.node is self.app else parts).setdefault(binding.action, part)
        shown = list(parts.values())[: max(MOST_KEYS - len(always), 0)]
        room = self.content_size.width
        while shown and sum(p.cell_length + 2 for p in [*shown, *always.values()]) - 2 > room:
            shown.pop()
        return Content("  ").join([*shown, *always.values()])

    def _shown(self, tab: Tab, situation: Collection[Situation]) -> list[ActiveBinding]:
        """The keys: what comes first now, then those of each widget from the focused one outwards,
        commands in the order of their tab.
        """
        keys = [active for active in self.screen.active_bindings.values() if active.enabled]
        nodes = list(dict.fromkeys(active.node for active in keys))
        order = {name: number for number, name in enumerate(tab.commands)}
        placed: list[tuple[tuple[int, ...], ActiveBinding]] = []
        for active in keys:
            name = active.binding.id or ""
            command = tab.commands.get(name)
            place = command.place_in(situation) if command else self._place_of(active, situation)
            if place is not None:
                node = -1 if place is FIRST else nodes.index(active.node)
                placed.append(((node, place, order.get(name, -1)), active))
        return [active for _, active in sorted(placed, key=lambda each: each[0])]

    def _place_of(self, active: ActiveBinding, situation: Collection[Situation]) -> Place | None:
        """Where a key stands that is no command of the tab, but of a widget or the application."""
        binding, rows = active.binding, self.screen.focused
        if binding.id == "pane.zoom":  # the way out of the zoom
            return FIRST if self.screen.maximized is not None else None
        is_filter = binding.id == "list.filter" and isinstance(rows, RowList) and rows.filter_text
        acts = active.node is self.app or is_filter or "no rows" not in situation
        return Place.LATE if binding.show and acts else None
