"""The hint of the very first start, above real content: any key closes it and does no more."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from workbench.tui.widgets.styles import ACCENT, MUTED


class Welcome(Static):
    """Says in a few lines how this is used. At 80x24 it takes the place of the pane below the
    list.
    """

    DEFAULT_CSS = """
    Welcome {
        layer: welcome; width: 80; max-width: 100%; height: auto; margin-bottom: 2;
        border: round $accent; border-title-color: $text-accent; border-title-style: bold;
        background: $surface; padding: 1 2;
    }
    """

    def __init__(self) -> None:
        enter, save, tab, help_, quit_ = (
            Content.styled(key, f"bold {ACCENT}") for key in ("⏎", "^s", "Tab", "?", "^q")
        )
        lines = [
            Content("The list shows each request that had no fixture."),
            Content(""),
            enter
            + Content(" writes its answer, ")
            + save
            + Content(" saves it; the next comes up."),
            tab + Content(" goes on to what the server will send."),
            help_ + Content(" shows all keys, ") + quit_ + Content(" quits."),
            Content(""),
            Content("Drafts are kept as you type. Nothing is lost by esc or ^q."),
            Content.styled("any key closes this", MUTED),
        ]
        super().__init__(Content("\n").join(lines))
        self.border_title = "Welcome"
