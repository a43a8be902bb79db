"""The welcome card of the very first start."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from workbench.tui.widgets.styles import KEY, MUTED


class Welcome(Container):
    """Explains in a few lines how the application is used. It lies above the panes and takes
    neither keys nor clicks: the application removes it with the first of them.
    """

    # The row beside the card is hidden, so that the panes are seen there.
    DEFAULT_CSS = """
    Welcome {
        layer: card; dock: bottom; height: auto; margin-bottom: 2;
        align: center bottom; visibility: hidden;
        & Static {
            width: 80; max-width: 100%; height: auto; visibility: visible;
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
            Content.assemble(("^b", KEY), " shows what the server will send."),
            Content.assemble(
                *(("?", KEY), " shows all keys. "),
                *(("q", KEY), " quits, or ", ("^q", KEY), " while you type."),
            ),
            Content(""),
            Content(kept),
            Content.styled("This box closes when you press a key.", MUTED),
        ]
        card = Static(Content("\n").join(lines))
        card.border_title = "Welcome"
        yield card
