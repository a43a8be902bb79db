"""The header, with tabs and facts."""

from __future__ import annotations

from textual.content import Content

from workbench.tui.widgets.labels import Buttons
from workbench.tui.widgets.styles import ACCENT, MUTED

# Blanks before a fact, and the shortest the last may be cut to.
FACT_MARGIN, FACT_LEAST = 3, 8
# Room for them; without it the tabs are shortened.
FACTS_LEAST = 40


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
