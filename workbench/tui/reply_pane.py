"""The reply of an exchange, to read; and the editor of the one a fork begins with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Label, TextArea

from workbench.core.runs import Exchange, Raised, Sent
from workbench.tui.editor import Editor
from workbench.tui.frame import Framed, tab_line
from workbench.tui.reply_lines import VIEWS
from workbench.tui.section_view import SectionView
from workbench.tui.styles import MUTED


class ForkEditor(Editor):
    """Where the reply of a fork is written."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "write", "Write the fork", key_display="^s",
                id="fork.write", tooltip="Write a child run that begins with this reply"),
        Binding("escape", "leave", "Back", key_display="esc",
                id="fork.leave", tooltip="Back to the exchanges; the text is kept"),
    ]
    # fmt: on

    @dataclass
    class Written(Message):
        """The fork is to be written."""

        text: str

    class Left(Message):
        """Editing is over for now."""

    def action_write(self) -> None:
        self.post_message(self.Written(self.whole_text))

    def action_leave(self) -> None:
        self.post_message(self.Left())


class ReplyPane(Framed, Vertical, can_focus=True):
    """Shows one reply, or takes another one for a fork."""

    BINDING_GROUP_TITLE = "Reply"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left_square_bracket", "turn(-1)", show=False,
                id="reply.view_back", tooltip="The view before"),
        Binding("right_square_bracket", "turn(1)", "View", key_display="[ ]",
                id="reply.view", tooltip="The next view: what it says, the bytes as sent"),
        Binding("right_curly_bracket", "go(1)", "Part", key_display="{ }",
                id="reply.forward", tooltip="The next call or frame"),
        Binding("left_curly_bracket", "go(-1)", show=False,
                id="reply.back", tooltip="The call or frame before"),
        Binding("enter", "fold", "Fold", key_display="⏎", show=False,
                id="reply.fold", tooltip="Fold or unfold it"),
        Binding("y", "copy", "Copy", id="reply.copy", tooltip="Copy the content, call or frame"),
        Binding("up,k", "scroll(-1)", show=False, id="reply.up", tooltip="A line up"),
        Binding("down,j", "scroll(1)", show=False, id="reply.down", tooltip="A line down"),
        Binding("pageup", "page(-1)", show=False, id="reply.page_up", tooltip="A page up"),
        Binding("pagedown,space", "page(1)", show=False,
                id="reply.page_down", tooltip="A page down"),
        Binding("home,g", "edge(False)", show=False, id="reply.top", tooltip="The beginning"),
        Binding("end,G", "edge(True)", show=False, id="reply.end", tooltip="The end"),
    ]
    # fmt: on

    DEFAULT_CSS = """
    ReplyPane {
        & #views { height: 1; width: 1fr; margin-bottom: 1; }
        & ForkEditor { display: none; height: 1fr; overflow-y: auto; }
        &.-forking ForkEditor { display: block; }
        &.-forking SectionView { display: none; }
    }
    """

    @dataclass
    class Copied(Message):
        """A part of the reply is to be copied."""

        text: str

    @dataclass
    class ForkTyped(Message):
        """Something was typed into the reply of a fork."""

        text: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._exchange: Exchange | None = None
        self._parsed: object = None
        self._view = 0

    def compose(self) -> ComposeResult:
        yield Label(id="views")
        yield SectionView()
        yield ForkEditor(numbered=True)

    @property
    def _lines(self) -> SectionView:
        return self.query_one(SectionView)

    @property
    def editor(self) -> ForkEditor:
        return self.query_one(ForkEditor)

    @property
    def is_forking(self) -> bool:
        """Whether a reply for a fork is written here."""
        return self.has_class("-forking")

    # What is shown

    def show(self, exchange: Exchange | None, parsed: object = None) -> None:
        """Show the reply of another exchange; None empties the pane.

        Args:
            parsed: what the application made of it, where that is known.
        """
        self.remove_class("-forking")
        self._exchange, self._parsed = exchange, parsed
        self._update(keep_place=self.has_focus)

    def fork(self, text: str) -> None:
        """Edit the reply a fork begins with."""
        self.add_class("-forking")
        self.editor.set_text(text)
        self.editor.focus()
        self._update()

    def _update(self, *, keep_place: bool = False) -> None:
        label = self.query_one("#views", Label)
        exchange = self._exchange
        if exchange is None:
            label.update("", layout=False)
            self._lines.show_sections((), tuple)
            return
        if self.is_forking:
            what = "as response of a fixture" if exchange.is_chat else "a JSON value"
            label.update(Content.styled(f"The reply of the fork, {what}", MUTED), layout=False)
            return
        names = [name for name, _ in VIEWS]
        label.update(tab_line(names, self._view, action="focused.view"), layout=False)
        make = partial(VIEWS[self._view][1], exchange, self._parsed)
        self._lines.show_sections((), make, keep_place=keep_place)

    def facts(self) -> Content:
        """What stands in the frame: how it was sent, and how long it took."""
        exchange = self._exchange
        if exchange is None or self.is_forking:
            return Content("")
        outcome = exchange.outcome
        told = [f"{exchange.ms:,.1f} ms"]
        if isinstance(outcome, Sent):
            shape = "stream" if exchange.stream else "no stream"
            told = [f"status {outcome.status}", shape, *told]
        elif isinstance(outcome, Raised):
            told = ["raised", *told]
        return Content.styled(" · ".join(told), MUTED)

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self._lines.set_marked(has_focus)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.is_forking:
            self.tell(self.ForkTyped(self.editor.whole_text))

    # Keys

    def action_turn(self, by: int) -> None:
        self.action_view((self._view + by) % len(VIEWS))

    def action_view(self, number: int) -> None:
        self._view = number
        self._update()

    def action_go(self, by: int) -> None:
        self._lines.go(by)

    def action_fold(self) -> None:
        self._lines.fold()

    def action_scroll(self, by: int) -> None:
        self._lines.scroll_relative(y=by, animate=False)

    def action_page(self, by: int) -> None:
        self._lines.scroll_relative(y=by * max(self._lines.size.height - 1, 1), animate=False)

    def action_edge(self, end: bool) -> None:
        if end:
            self._lines.scroll_end(animate=False)
        else:
            self._lines.scroll_home(animate=False)

    def action_copy(self) -> None:
        text = self._lines.copied()
        if text:
            self.tell(self.Copied(text))
