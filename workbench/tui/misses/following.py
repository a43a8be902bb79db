"""Keeping the end of the list of misses in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.tui.misses.miss_list import MissList


class Following:
    """Keeps the end in view when rows are added, until you move away from it."""

    def __init__(self, rows: MissList) -> None:
        self._rows = rows
        self.is_on = False

    def toggle(self) -> None:
        self.is_on = not self.is_on
        self._rows.update_rows()

    def show_end(self) -> None:
        """Bring the end into view, where it is to stay there."""
        if self.is_on:
            self._rows.scroll_to(y=self._rows.max_scroll_y, animate=False, force=True)

    def moved(self, before: int) -> None:
        """Handle a person's move to another row, from the one with the number ``before``."""
        if self._rows.cursor_place < before or self._rows.top < self._rows.max_scroll_y:
            self.stop()

    def stop(self) -> None:
        if self.is_on:
            self.is_on = False
            self._rows.update_title()
