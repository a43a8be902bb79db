"""The run of a golden query that is looked at, to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from workbench.tui.frame import Framed
from workbench.tui.line_layout import Line
from workbench.tui.line_view import LineView


class EvalRunPane(Framed, Vertical, can_focus=True):
    """Shows lines about a run."""

    BINDING_GROUP_TITLE = "Run"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False, id="eval_run.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", show=False, id="eval_run.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", show=False, id="eval_run.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False,
                id="eval_run.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, id="eval_run.top", tooltip="The beginning"),
        Binding("end,G", "edge(True)", show=False, id="eval_run.end", tooltip="The end"),
    ]
    # fmt: on

    def compose(self) -> ComposeResult:
        yield LineView()

    @property
    def _lines(self) -> LineView:
        return self.query_one(LineView)

    def show(self, lines: Iterable[Line]) -> None:
        """Show other lines, from the top unless this pane has the focus."""
        self._lines.show(lines, keep_place=self.has_focus)

    def action_scroll(self, by: int) -> None:
        self._lines.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self._lines.scroll_relative(y=by * max(self._lines.size.height - 1, 1), animate=False)

    def action_edge(self, end: bool) -> None:
        if end:
            self._lines.scroll_end(animate=False)
        else:
            self._lines.scroll_home(animate=False)
