"""The help: the flow in five lines, then every key of the application, the focused pane's first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen

from workbench.tui.line_view import LineView
from workbench.tui.styles import ACCENT, LABEL, MUTED

FLOW = (
    (
        "Enter",
        "writes the answer of a miss: what a forced tool or a schema demands is there already",
    ),
    ("^t", "adds a call of an offered tool; its arguments are checked as you type"),
    ("Tab", "goes on to the preview: the bytes the server will send, in both shapes"),
    ("^s", "saves <digest>.json; the server answers with it at once, the next miss comes up"),
    ("Escape", "goes back to the list and keeps the draft; u takes back the last decision"),
)

GROUPS: dict[str, str] = {
    "MissesTab": "Misses",
    "FixturesTab": "Fixtures",
    "MissList": "List",
    "FixtureList": "List of fixtures",
    "RowList": "List",
    "RequestPane": "Request",
    "AnswerPane": "Answer",
    "PreviewPane": "Preview",
    "Workspace": "Panes",
    "WorkbenchApp": "Everywhere",
}


class HelpScreen(ModalScreen[None]):
    """Shows what the keys do; any of its own closes it."""

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


def help_lines(app: App[object], focused: DOMNode | None) -> Iterator[Content]:
    """The flow, then the keys of the focused pane and what stands round it, then the others'."""
    for key, what in FLOW:
        yield Content.styled(f"{key:<9}", f"bold {ACCENT}") + Content(what)
    chain = [] if focused is None else [n for n in focused.ancestors_with_self if _title(n)]
    others = [node for node in app.screen_stack[0].walk_children() if _title(node)]
    seen: set[str] = set()
    for node in [*chain, *others, app]:
        title = _title(node)
        if not title or title in seen:
            continue
        seen.add(title)
        keys = list(_keys(app, node))
        if keys:
            yield Content("")
            yield Content.styled(title, f"bold {LABEL}")
            yield from keys


def _title(node: DOMNode) -> str:
    return GROUPS.get(type(node).__name__, "")


def _keys(app: App[object], node: DOMNode) -> Iterator[Content]:
    by_action: dict[str, list[Binding]] = {}
    for bindings in node._bindings.key_to_bindings.values():
        for binding in bindings:
            if binding.description or binding.tooltip:
                by_action.setdefault(binding.action, []).append(binding)
    for bindings in by_action.values():
        first = bindings[0]
        keys = " ".join(dict.fromkeys(app.get_key_display(b) for b in bindings))
        what = first.tooltip or first.description
        yield Content.styled(f"  {keys:<14}", ACCENT) + Content.styled(what, "" if what else MUTED)
