"""The picker of an offered tool: type to narrow, Enter takes, Escape leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from workbench.core.requests.view import Tool
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import MUTED


class ToolPicker(ModalScreen[Tool | None]):
    """Picks one of several tools."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        # Before the field, which would scroll.
        Binding("down", "move(1)", show=False, priority=True),
        Binding("up", "move(-1)", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    ToolPicker {
        align: center middle; background: $background 60%;
        & Vertical {
            width: 64; max-width: 90%; height: auto; max-height: 16; border: heavy $primary;
            border-title-color: $text; background: $surface; padding: 0 1;
        }
        & Input { height: 1; border: none; padding: 0; }
        & OptionList { height: auto; max-height: 12; border: none; background: transparent; }
    }
    """

    def __init__(self, tools: Sequence[Tool]) -> None:
        super().__init__()
        self._tools = tools
        self._shown: list[Tool] = []

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = "Tool call"
            yield Input(placeholder="type to narrow", compact=True)
            yield OptionList()

    def on_mount(self) -> None:
        self._narrow("")
        self.set_focus(self.query_one(Input))

    def on_input_changed(self, event: Input.Changed) -> None:
        self._narrow(event.value)

    def _narrow(self, text: str) -> None:
        self._shown = [t for t in self._tools if text.lower() in t.name.lower()]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(_prompt(tool)) for tool in self._shown])
        options.highlighted = 0 if self._shown else None

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            options.highlighted = (options.highlighted + by) % len(self._shown)

    def on_input_submitted(self) -> None:
        highlighted = self.query_one(OptionList).highlighted
        if highlighted is not None:
            self._pick(highlighted)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._pick(event.option_index)

    def _pick(self, place: int) -> None:
        self.dismiss(self._shown[place])


def _prompt(tool: Tool) -> Content:
    return one_line(tool.signature, "bold") + Content("  ") + one_line(tool.description, MUTED)
