"""The help: the flow in three lines, then all keys, those of the focused pane first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen

from workbench.tui.commands import MOVES, groups
from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.styles import ACCENT, LABEL

FLOW = (
    ("⏎", "writes the answer; ^t adds a tool call, checked as you type"),
    ("Tab", "goes on to the preview: the bytes the server will send"),
    ("^s", "saves: the server answers with it, the next miss comes up"),
)
MOVING = (
    ("↑ ↓  k j", "A row or a line up, down"),
    ("PgUp PgDn", "A page up, down; so does Space"),
    ("Home End", "The beginning, the end; so do g and G"),
    ("Tab", "The next pane or field; Shift+Tab the one before"),
)


class HelpScreen(ModalScreen[None]):
    """Shows what the keys do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss", "Back"),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-15)", show=False),
        Binding("pagedown,space", "scroll(15)", show=False),
    ]

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $background 60%;
        & LineView {
            width: 90; max-width: 96%; height: 90%; border: heavy $primary; padding: 0 1;
            border-title-color: $text; background: $surface;
        }
    }
    """

    def __init__(self, focused: DOMNode | None) -> None:
        super().__init__()
        self._focused = focused

    def compose(self) -> ComposeResult:
        yield LineView(id="keys")

    def on_mount(self) -> None:
        view = self.query_one(LineView)
        view.border_title = "Keys   (esc closes)"
        view.show(list(help_lines(self.app, self._focused)))

    def action_scroll(self, by: int) -> None:
        self.query_one(LineView).scroll_relative(y=by, animate=False)


def help_lines(app: App[Any], focused: DOMNode | None) -> Iterator[Content]:
    """The flow, then the keys of the focused pane and of what contains it, then all others."""
    yield from (_line(key, what, "bold") for key, what in FLOW)
    for title, commands in groups(app, focused):
        yield from _group(title, [(c.keys, c.title) for c in commands if c.verb not in MOVES])
    yield from _group("Moving, in lists and texts", MOVING)


def _group(title: str, keys: Sequence[tuple[str, str]]) -> Iterator[Content]:
    yield Content("")
    yield Content.styled(title, f"bold {LABEL}")
    yield from (_line(f"  {key}", what) for key, what in keys)


def _line(key: str, what: str, style: str = "") -> Content:
    return Content.styled(f"{key:<11} ", f"{style} {ACCENT}".strip()) + Content(what)
