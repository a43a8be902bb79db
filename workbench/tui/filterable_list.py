"""A list that a filter is typed for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from workbench.tui.row_list import RowList


class FilterableList(RowList):
    """Rows of which a filter shows some.

    Attributes:
        filter_text: what was typed, whether or not it means anything.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "Filter", id="list.filter", tooltip="Show only what matches"),
        Binding(
            "escape",
            "clear_filter",
            "Clear filter",
            show=False,
            id="list.all",
            tooltip="Show what it hides",
        ),
    ]

    # What can be typed, in a line.
    FILTER_HINT: ClassVar[str] = ""

    @dataclass
    class FilterRequested(Message):
        """A filter should be typed."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filter_text = ""

    def set_filter(self, text: str) -> None:
        """Show what matches ``text``; a filter that means nothing hides nothing and is told."""
        raise NotImplementedError

    def action_filter(self) -> None:
        self.tell(self.FilterRequested())

    def action_clear_filter(self) -> None:
        if not self.filter_text:
            raise SkipAction
        self.set_filter("")
