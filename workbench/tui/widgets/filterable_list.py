"""A list that a filter is typed for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from workbench.session.query import FilterError
from workbench.tui.messages import StatusChanged
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import ACCENT, MUTED, WARNING

_Filter = TypeVar("_Filter")


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
        self._filter_error = ""

    def set_filter(self, text: str) -> None:
        """Show what matches ``text``; a filter that means nothing hides nothing and is told."""
        raise NotImplementedError

    def read_filter(self, text: str, parse: Callable[[str], _Filter]) -> _Filter:
        """The filter in ``text``, which was typed; one that means nothing is told, and taken for
        none.

        Args:
            parse: raises FilterError for one that means nothing.
        """
        self.filter_text = text
        told, self._filter_error = self._filter_error, ""
        try:
            wanted = parse(text)
        except FilterError as error:
            wanted, self._filter_error = parse(""), str(error)
        if self._filter_error or told:
            self.tell(StatusChanged(self._filter_error, "warning"))
        return wanted

    def filter_facts(self, total: int) -> list[Content]:
        """What the frame says of the filter, where there is one.

        Args:
            total: how many rows there are without it.
        """
        if self._filter_error:
            return [one_line(f"/ {self.filter_text}  not understood", WARNING)]
        text = self.filter_text.strip()
        found = Content.styled(f"  {len(self.keys):,} of {total:,}", MUTED)
        return [one_line(f"/ {text}", ACCENT) + found] if text else []

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "clear_filter":
            return bool(self.filter_text)
        return super().check_action(action, parameters)

    def action_filter(self) -> None:
        self.tell(self.FilterRequested())

    def action_clear_filter(self) -> None:
        self.set_filter("")
