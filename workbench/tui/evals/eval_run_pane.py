"""The run of a golden query that is looked at, to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.line_view import LineView
from workbench.tui.lines.text_pane import TextPane, moving_keys


class EvalRunPane(TextPane):
    """Shows lines about a run."""

    BINDING_GROUP_TITLE = "Run"
    BINDINGS: ClassVar[list[BindingType]] = moving_keys("eval_run")

    def compose(self) -> ComposeResult:
        yield LineView()

    def show(self, lines: Iterable[Line]) -> None:
        """Show other lines, from the top unless this pane has the focus."""
        self.lines.show(lines, keep_place=self.has_focus)
