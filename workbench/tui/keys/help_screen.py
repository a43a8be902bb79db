"""The help: the keys of the selected row, of the focused pane and around it, the flow in three
lines, and all other keys by search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.dom import DOMNode
from textual.widgets import Input

from workbench.tui.dialogs.dialog import Dialog
from workbench.tui.keys.palette import MOVES, KeyCommand, groups, titled
from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.styles import ACCENT, MUTED

FLOW = (
    ("Enter", "writes the answer; ^t adds a tool call, checked as you type"),
    ("Tab", "goes on to the preview of the bytes that the server will send"),
    ("^s", "saves the answer and goes on to the next miss"),
)
# Narrower, the text of a key is cut.
LEAST_TEXT = 20
MOVING = (
    ("↑ ↓  k j", "A row or a line up, down"),
    ("PgUp PgDn", "A page up, down; so does Space"),
    ("Home End", "The beginning, the end; so do g and G"),
    ("Tab", "The next pane or field; Shift+Tab the one before"),
    # The terminal marks there: a list takes the mouse for its rows.
    ("Drag", "Marks text, ^c copies it; in a list, hold Shift (macOS: Option)"),
)


class KeySearch(Input):
    """Finds keys by what they do; the question mark is a command."""

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return key != "question_mark" and super().check_consume_key(key, character)


class HelpScreen(Dialog[None]):
    """Shows what the keys do; typing finds some of them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", "Back"),
        Binding("question_mark", "manual", "Manual"),
        Binding("up", "scroll(-1)", show=False),
        Binding("down", "scroll(1)", show=False),
        Binding("pageup", "scroll(-15)", show=False),
        Binding("pagedown", "scroll(15)", show=False),
    ]

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $background 60%;
        & Vertical {
            width: 90; max-width: 96%; height: 100%; border: heavy $primary; padding: 0 1;
            border-title-color: $foreground; background: $surface;
        }
        & Input { height: 1; border: none; padding: 0; }
    }
    """

    def __init__(self, focused: DOMNode | None, now: Sequence[tuple[Binding, str]] = ()) -> None:
        super().__init__()
        self._focused = focused
        self._now = now

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Keys   (? opens the manual, esc closes)"
            yield KeySearch(placeholder="type to find a key of any pane", compact=True)
            yield LineView()

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: the next key may be text
        self._show("")

    def on_input_changed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, sought: str) -> None:
        none = [Content.styled("No key does that. ^p lists all commands.", MUTED)]
        view = self.query_one(LineView)
        view.show_for_width(
            lambda width: (
                list(help_lines(self.app, self._focused, sought, width, now=self._now)) or none
            )
        )
        view.scroll_home(animate=False)

    def action_manual(self) -> None:
        from workbench.tui.dialogs.manual import ManualScreen

        self.app.switch_screen(ManualScreen())

    def action_scroll(self, by: int) -> None:
        self.query_one(LineView).scroll_relative(y=by, animate=False)


def help_lines(
    app: App[Any],
    focused: DOMNode | None,
    sought: str = "",
    width: int = 80,
    *,
    now: Sequence[tuple[Binding, str]] = (),
) -> Iterator[Content]:
    """The purpose of the focused pane, the keys of the key bar, the keys of the pane and its
    containers, and the flow; or, of all panes, the lines that contain ``sought``. Text is wrapped
    beside its keys.

    Args:
        now: the keys of the key bar, with their labels there.
    """
    first = [] if sought else now
    actions = {binding.action for binding, _ in first}
    chain = focused.ancestors_with_self if focused is not None else []
    around = {app, *chain}

    def is_listed(command: KeyCommand) -> bool:
        is_else = command.action_name not in MOVES and command.action not in actions
        return bool(command.keys) and is_else and (command.in_help or bool(sought))

    listed: list[tuple[str, Sequence[tuple[str, str]]]] = [
        (title, [(command.keys, command.title) for command in filter(is_listed, commands)])
        for title, commands in groups(app, focused)
        if sought or around.intersection(command.owner for command in commands)
    ]
    listed.append(("Moving, in lists and texts", MOVING))
    about = next((node.HELP for node in chain if node.HELP), None)
    if about and not sought:
        yield from (Content.styled(line, MUTED) for line in about.splitlines())
        yield Content("")
    if sought or listed[0][0] == "List of misses":
        listed.insert(0 if first else 1, ("From a miss to its fixture", FLOW))
    here = [(binding.key_display or "", titled(label, binding.tooltip)) for binding, label in first]
    listed.insert(0, ("In this pane", here))
    for title, keys in listed:
        matches = [pair for pair in keys if sought.casefold() in " ".join(pair).casefold()]
        if matches:
            yield from _group(title, matches, width)


def _group(title: str, keys: Sequence[tuple[str, str]], width: int) -> Iterator[Content]:
    yield Content.styled(title, "bold")
    for key, what in keys:
        shown = Content.styled(f"  {key:<9} ", ACCENT)
        beside = shown.cell_length
        for part in wrap(what, max(width - beside, LEAST_TEXT), break_on_hyphens=False):
            yield shown + Content(part)
            shown = Content(" " * beside)
