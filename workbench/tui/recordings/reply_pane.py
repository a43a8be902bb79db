"""The reply of an exchange, and the editor of the reply that a fork begins with."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from workbench.core.recordings.exchanges import Exchange, Raised, Sent
from workbench.tui.answer.editor import Editor
from workbench.tui.lines.section_pane import SectionPane, section_keys
from workbench.tui.recordings.reply_lines import as_sent, what_it_says
from workbench.tui.widgets.frame import tab_line
from workbench.tui.widgets.styles import MUTED

VIEWS: Final = ("Reply", "As sent")


class ForkEditor(Editor):
    """Edits the reply that a fork begins with."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "write", "Write the fork",
                id="fork.write", tooltip="A child recording that begins with this reply"),
        Binding("escape", "leave", "Back",
                id="fork.leave", tooltip="Back to the exchanges; the text is kept"),
    ]
    # fmt: on

    class WriteAsked(Message):
        """The fork is to be written."""

    class LeaveAsked(Message):
        """The editor is to be left."""

    def action_write(self) -> None:
        self.post_message(self.WriteAsked())

    def action_leave(self) -> None:
        self.post_message(self.LeaveAsked())


class ReplyPane(SectionPane):
    """Shows one reply, or edits another one for a fork."""

    label = "Reply"
    BINDING_GROUP_TITLE = "Reply"
    HELP = "What was answered, as text or as it was sent."
    BINDINGS: ClassVar[list[BindingType]] = section_keys(
        "reply", "Part", "content, call or frame", "what it says, the bytes as sent"
    )

    DEFAULT_CSS = """
    ReplyPane {
        & ForkEditor { display: none; height: 1fr; overflow-y: auto; }
        &.-forking ForkEditor { display: block; }
        &.-forking SectionView { display: none; }
    }
    """

    FIND_HINT = "find in this view of the reply"

    def __init__(self) -> None:
        super().__init__()
        self._exchange: Exchange | None = None
        self._parsed: object = None
        self._view = 0
        self.editor = ForkEditor(numbered=True)

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.editor

    @property
    def is_forking(self) -> bool:
        """Whether the reply of a fork is edited."""
        return self.has_class("-forking")

    def enter(self) -> None:
        self.screen.set_focus(self.editor if self.is_forking else self.entry)

    # What is shown

    def show(self, exchange: Exchange | None, parsed: object = None) -> None:
        """Show the reply of another exchange; None empties the pane.

        Args:
            parsed: what the application made of it; None if that is not known.
        """
        self.remove_class("-forking")
        self._exchange, self._parsed = exchange, parsed
        self._update(keep_place=self.has_focus)

    def fork(self, text: str) -> None:
        """Edit the reply a fork begins with."""
        self.add_class("-forking")
        self.editor.set_text(text)
        self.screen.set_focus(self.editor)
        self._update()

    def _update(self, *, keep_place: bool = False) -> None:
        exchange = self._exchange
        if exchange is None:
            self.show_sections(())
        elif self.is_forking:
            kind = "as response of a fixture" if exchange.is_chat else "a JSON value"
            head = Content.styled(f"The reply of the fork, {kind}", MUTED)
            self.show_sections((), views=head)
        else:
            names = tab_line(VIEWS, self._view, action="focused.view")
            make = partial(what_it_says, exchange, self._parsed)
            if self._view == VIEWS.index("As sent"):
                make = partial(as_sent, exchange)
            facts = _facts(exchange)
            self.show_sections((), make, views=names, facts=facts, keep_place=keep_place)

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a fork is edited, letters are text."""
        return not self.is_forking and super().check_action(action, parameters)

    def searched(self) -> str:
        return "in this view of the reply"

    def action_turn(self, by: int) -> None:
        self.action_view((self._view + by) % len(VIEWS))

    def action_view(self, number: int) -> None:
        self._view = number
        self._update()


def _facts(exchange: Exchange) -> Content:
    """How the reply was sent, and how long it took."""
    facts = [f"{exchange.ms:,.1f} ms"]
    match exchange.outcome:
        case Sent(status=status):
            facts = [f"status {status}", "stream" if exchange.stream else "no stream", *facts]
        case Raised():
            facts = ["raised", *facts]
    return Content.styled(" · ".join(facts), MUTED)
