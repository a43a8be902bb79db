"""The list of misses with the line its filter is typed into."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.tui.miss_list import MissList
from workbench.tui.search_line import SearchLine


class FilteredList(Vertical):
    """Applies the filter as it is typed."""

    DEFAULT_CSS = """
    FilteredList {
        layers: default search; align-vertical: bottom;
        & > MissList { height: 1fr; width: 1fr; }
        & > SearchLine { margin: 0 2; }
    }
    """

    def __init__(self, misses: MissList) -> None:
        super().__init__()
        self._misses = misses

    def compose(self) -> ComposeResult:
        yield self._misses
        yield SearchLine("words  model:  state:  tool:  turn:>1  run:last  from:  -without")

    def on_miss_list_filter_requested(self, event: MissList.FilterRequested) -> None:
        event.stop()
        self.screen.minimize()
        self.query_one(SearchLine).open(self._misses.filter_text)

    def on_search_line_changed(self, event: SearchLine.Changed) -> None:
        event.stop()
        self._misses.set_filter(event.text)

    def on_search_line_left(self, event: SearchLine.Left) -> None:
        event.stop()
        self._misses.focus()
