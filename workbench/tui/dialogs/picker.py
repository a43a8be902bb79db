"""One of several: typing narrows the list, Enter picks, Escape leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from workbench.core.text.name_match import NameMatch, name_match
from workbench.tui.dialogs.dialog import Dialog
from workbench.tui.widgets.inert import one_line

Value = TypeVar("Value")


class Choice(NamedTuple, Generic[Value]):
    """One of the things to pick.

    Attributes:
        name: what it is found by.
        line: its text in the list, in bold and plain: no colour can be read on each ground.
    """

    name: str
    line: Content
    value: Value


class Picker(Dialog[Value | None], Generic[Value]):
    """Asks for one of several choices.

    Args:
        title: the title of the list.
        noun: what one of them is called.
        highlighted: the place of the choice that is highlighted first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        # With priority, since the field scrolls by these keys.
        Binding("down", "cursor_down", show=False, priority=True),
        Binding("up", "cursor_up", show=False, priority=True),
    ]

    DEFAULT_CSS = """
    Picker {
        align: center middle; background: $background 60%;
        & Vertical {
            width: 64; max-width: 90%; height: auto; max-height: 16; border: heavy $primary;
            border-title-color: $foreground; background: $surface; padding: 0 1;
        }
        & Input { height: 1; border: none; padding: 0; }
        & OptionList { height: auto; max-height: 12; border: none; background: transparent; }
        & Label { color: $foreground-muted; }
    }
    """

    def __init__(
        self, title: str, noun: str, choices: Sequence[Choice[Value]], highlighted: int = 0
    ) -> None:
        super().__init__()
        self._title = title
        self._noun = noun
        self._choices = choices
        self._fitting = choices
        self._highlighted_first = highlighted

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = f"{self._title}   (esc leaves)"
            yield Input(placeholder="type to narrow", compact=True)
            yield OptionList()
            yield Label()

    def on_mount(self) -> None:
        self._narrow("")
        self.query_one(OptionList).highlighted = self._highlighted_first
        self.set_focus(self.query_one(Input))

    def on_input_changed(self, event: Input.Changed) -> None:
        self._narrow(event.value)

    def _narrow(self, text: str) -> None:
        self._fitting = fitting(self._choices, text)
        options = self.query_one(OptionList)
        options.set_options(Option(choice.line) for choice in self._fitting)
        options.highlighted = 0 if self._fitting else None
        none = self.query_one(Label)
        none.display = not self._fitting
        none.update(one_line(f'No {self._noun} of {len(self._choices)} has "{text}" in its name.'))

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_cursor_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_cursor_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    @property
    def highlighted(self) -> Choice[Value] | None:
        """The choice that Enter picks."""
        place = self.query_one(OptionList).highlighted
        return None if place is None else self._fitting[place]

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _pick(self) -> None:
        if self.highlighted is not None:
            self.dismiss(self.highlighted.value)


def fitting(choices: Sequence[Choice[Value]], typed: str) -> list[Choice[Value]]:
    """The choices whose names fit what was typed, the best first."""
    matches = [(name_match(typed, choice.name), choice) for choice in choices]
    matches.sort(key=lambda match: match[0], reverse=True)
    return [choice for match, choice in matches if match is not NameMatch.NONE]
