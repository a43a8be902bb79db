"""The line in which a filter of a list, or a search in a pane, is typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Label

# A possible completion of the text; "" for none.
Completed = Callable[[str], str]


class _Completion(Suggester):
    """Shows a possible completion after the cursor."""

    def __init__(self, completed: Completed) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._completed = completed

    async def get_suggestion(self, value: str) -> str | None:
        return self._completed(value) or None


class SearchField(Input):
    """The field of a search line; each change is posted as ``Input.Changed``."""

    BINDING_GROUP_TITLE = "Search line"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "leave", "Done", id="search.done", tooltip="Keep it and go back"),
        Binding("down", "leave", show=False, id="search.down", tooltip="Keep it and go back"),
        Binding("tab", "complete", show=False, id="search.complete",
                tooltip="Write the state in full that state: begins"),
        Binding("escape", "clear", "Clear", id="search.clear", tooltip="Clear it and go back"),
    ]
    # fmt: on

    @dataclass
    class Left(Message):
        """Typing ended; ``text`` is in the line."""

        text: str

    def __init__(self, placeholder: str, completed: Completed) -> None:
        super().__init__(placeholder=placeholder, compact=True, suggester=_Completion(completed))
        self.cursor_blink = False
        self._completed = completed

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "complete":  # else the key goes to the next pane
            return bool(self._completed(self.value))
        return super().check_action(action, parameters)

    def action_complete(self) -> None:
        self.value = self._completed(self.value)
        self.cursor_position = len(self.value)

    def action_leave(self) -> None:
        self.post_message(self.Left(self.value))

    def action_clear(self) -> None:
        self.value = ""
        self.action_leave()


class SearchLine(Horizontal):
    """The lowest row of its pane while you type."""

    DEFAULT_CSS = """
    SearchLine {
        display: none; dock: bottom; height: 1; width: 1fr; background: $surface;
        & Label { width: auto; color: $text-primary; padding: 0 1; }
        & Input { width: 1fr; height: 1; border: none; padding: 0; background: $surface; }
        & Input:focus { border: none; }
        &.-open { display: block; }
    }
    """

    def __init__(self, placeholder: str, completed: Completed) -> None:
        super().__init__()
        self._field = SearchField(placeholder, completed)

    def compose(self) -> ComposeResult:
        yield Label("/")
        yield self._field

    def open(self, text: str) -> None:
        with self.prevent(Input.Changed):
            self._field.value = text
        self.add_class("-open")
        self.screen.set_focus(self._field)

    def on_descendant_blur(self) -> None:
        self.remove_class("-open")


async def open_search_line(
    pane: Widget, text: str, placeholder: str, completed: Completed = lambda _: ""
) -> None:
    """Open the search line of a pane. It is mounted when it is first needed: most never are."""
    line = next(iter(pane.query_children(SearchLine)), None)
    if line is None:
        line = SearchLine(placeholder, completed)
        await pane.mount(line)
    line.open(text)
