"""The header with tabs and facts, and the key bar."""

from __future__ import annotations

from collections.abc import Callable, Collection

from textual.binding import ActiveBinding
from textual.content import Content

from workbench.tui.command import FIRST, Place, Situation
from workbench.tui.widgets.labels import Buttons, SteadyLabel
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import ACCENT, KEY, MUTED
from workbench.tui.workspace.tab import Tab

# Blanks before a fact, and the shortest the last may be cut to.
FACT_MARGIN, FACT_LEAST = 3, 8
# Room for them; without it the tabs are shortened.
FACTS_LEAST = 40
# More in the key bar are not read; help and palette have all.
MOST_KEYS = 9


class TopBar(Buttons):
    """``[1 Misses 108]  2 Fixtures 4      server up  ● live mock-llm.log``. With the state of a
    suite in a narrow terminal: ``[1 Misses 108]  2  3  4  5 ● 00:07``.
    """

    DEFAULT_CSS = """
    TopBar { height: 1; width: 1fr; background: $panel; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._tabs: list[tuple[str, str, int | None]] = []
        self._chosen = ""
        self._state = Content("")
        self._facts: list[Content] = []
        self._is_last_cut = False

    def show_tabs(
        self,
        tabs: list[tuple[str, str, int | None]],
        chosen: str,
        state: Content = Content(""),  # noqa: B008
    ) -> None:
        """Show tabs as (id, title, number of open items or None), and the state after the last
        one.
        """
        if (tabs, chosen, state) != (self._tabs, self._chosen, self._state):
            self._tabs, self._chosen, self._state = tabs, chosen, state
            self.refresh()

    def show_facts(self, facts: list[Content], *, is_last_cut: bool) -> None:
        """Show facts on the right; where room is short, the first are left out. With
        ``is_last_cut`` the last one gives way to the two before it.
        """
        if (facts, is_last_cut) != (self._facts, self._is_last_cut):
            self._facts, self._is_last_cut = facts, is_last_cut
            self.refresh()

    def render(self) -> Content:
        left = self._left(is_short=False)
        if self._state and left.cell_length + FACTS_LEAST > self.size.width:
            left = self._left(is_short=True)
        shown: list[Content] = []
        room = self.size.width - left.cell_length
        for fact in reversed(self._facts_for(room)):
            if room >= fact.cell_length + FACT_MARGIN:
                shown.insert(0, fact)
                room -= fact.cell_length + FACT_MARGIN
        return left + Content(" " * (room + 2)) + Content("   ").join(shown) if shown else left

    def _facts_for(self, room: int) -> list[Content]:
        """The facts, the last one cut to make room for the two before it, or for one; without the
        last one if even that is too little room.
        """
        if not self._is_last_cut:
            return self._facts
        *others, last = self._facts
        for beside in (others[-2:], others[-1:]):
            width = room - FACT_MARGIN - sum(fact.cell_length + FACT_MARGIN for fact in beside)
            if width >= min(FACT_LEAST, last.cell_length):
                return [*others, last.truncate(width, ellipsis=True)]
        return others

    def _left(self, *, is_short: bool) -> Content:
        """The tabs; if short, of tabs that are not shown the number alone."""
        parts = []
        for number, (name, title, count) in enumerate(self._tabs, start=1):
            text = Content.styled(f"{number}", ACCENT)
            if name == self._chosen or not is_short:
                text = Content.styled(f"{number} ", ACCENT) + Content(title)
                if count is not None:
                    text += Content.styled(f" {count:,}", MUTED)
            if name == self._chosen:
                text = Content.styled(f"[{text.plain}]", "bold $text-primary")
            parts.append(text.stylize(f"@click=app.show_tab('{name}')"))
        state = self._state
        return Content(" ") + Content("  ").join(parts) + state


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
