"""The welcome card of the very first start."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from workbench.tui.dialogs.dialog import Dialog
from workbench.tui.widgets.styles import KEY, MUTED


class Welcome(Dialog[None]):
    """Explains in a few lines how the application is used. Any key or a click closes it and does
    nothing else.
    """

    DEFAULT_CSS = """
    Welcome {
        align: center bottom; background: transparent;
        & Static {
            width: 80; max-width: 100%; height: auto; margin-bottom: 2;
            border: round $primary; border-title-color: $text-primary; border-title-style: bold;
            background: $surface; padding: 1 2;
        }
    }
    """

    def __init__(self, *, is_demo: bool = False) -> None:
        super().__init__()
        self._is_demo = is_demo

    def compose(self) -> ComposeResult:
        kept = (
            "This is a demo. Its folder is deleted when you quit."
            if self._is_demo
            else "Esc and Ctrl+Q keep your drafts."
        )
        lines = [
            Content("The list shows every request that had no fixture."),
            Content(""),
            Content.assemble(
                ("Enter", KEY), " writes its answer, ", ("^s", KEY), " saves it and goes on."
            ),
            Content.assemble(("Tab", KEY), " goes on to what the server will send."),
            Content.assemble(
                *(("?", KEY), " shows all keys, ", ("q", KEY), " quits; "),
                *(("^q", KEY), " works anywhere."),
            ),
            Content(""),
            Content(kept),
            Content.styled("Press any key", MUTED),
        ]
        card = Static(Content("\n").join(lines))
        card.border_title = "Welcome"
        yield card

    def on_key(self, event: Key) -> None:
        event.stop()
        self.dismiss()

    def on_click(self) -> None:
        self.dismiss()
