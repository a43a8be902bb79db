"""A pane of lines to read: what all such panes do by the same keys."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.containers import Vertical

from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.frame import Framed


def moving_keys(name: str) -> list[BindingType]:
    """The keys that move through the lines of a pane; their ids begin with its name."""
    # fmt: off
    return [
        Binding("up,k", "scroll(-1)", show=False, id=f"{name}.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", show=False, id=f"{name}.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", show=False, id=f"{name}.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False,
                id=f"{name}.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, id=f"{name}.top", tooltip="The beginning"),
        Binding("end,G", "edge(True)", show=False, id=f"{name}.end", tooltip="The end"),
    ]
    # fmt: on


class TextPane(Framed, Vertical, can_focus=True):
    """Holds a view of lines."""

    @property
    def lines(self) -> LineView:
        return self.query_one(LineView)

    def action_scroll(self, by: int) -> None:
        self.lines.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self.lines.scroll_relative(y=by * max(self.lines.size.height - 1, 1), animate=False)

    def action_edge(self, end: bool) -> None:
        if end:
            self.lines.scroll_end(animate=False)
        else:
            self.lines.scroll_home(animate=False)
