"""A question that a line of text answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Label

from workbench.tui.widgets.obscured import is_covered


class LineQuestion(Horizontal):
    """Takes the next line that is typed. Escape leaves without an answer, and so does who goes
    elsewhere, but to another question.
    """

    DEFAULT_CSS = """
    LineQuestion {
        display: none; height: 1; width: 1fr;
        & Label { width: auto; color: $text-accent; }
        & Input { width: 1fr; height: 1; border: none; padding: 0; }
        & Input:focus { border: none; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self) -> None:
        super().__init__()
        self._answered: Callable[[str], None] | None = None
        self._return_to: Widget | None = None
        self._question = Label()
        self._field = Input(compact=True, placeholder="⏎ takes it, esc cancels")

    def compose(self) -> ComposeResult:
        yield self._question
        yield self._field

    def ask(self, question: str, answered: Callable[[str], None]) -> None:
        """Ask, and give the focus back with the answer."""
        self._answered = answered
        if self.screen.focused is not self._field:
            self._return_to = self.screen.focused
        self._question.update(Content(f"{question} "))
        self._show(True)
        self._field.value = ""
        self.screen.set_focus(self._field)

    def _show(self, is_shown: bool) -> None:
        self.display = is_shown
        if self.parent is not None:
            self.parent.set_class(is_shown, "-asking")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        answered = self._answered
        self.action_leave()
        if answered is not None:
            answered(event.value)

    def action_leave(self) -> None:
        back = self._return_to
        self.screen.set_focus(back if back is not None and back.is_attached else None)
        self._close()

    def _close(self) -> None:
        self._answered = None
        self._show(False)

    def on_descendant_blur(self) -> None:
        # Where nobody sees it, the question stays.
        focused = self.screen.focused
        if not is_covered(self) and (focused is None or self.parent not in focused.ancestors):
            self._close()
