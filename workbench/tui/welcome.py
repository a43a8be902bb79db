"""The hint of the very first start, above real content: any key both closes it and works."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.widgets import Static

from workbench.tui.styles import ACCENT, MUTED


class Welcome(Static):
    """Says in five lines how this is used."""

    DEFAULT_CSS = """
    Welcome {
        layer: welcome; dock: bottom; width: 78; max-width: 96%; height: auto; margin: 0 1 3 1;
        border: round $accent; border-title-color: $text; background: $surface; padding: 1 2;
    }
    """

    def __init__(self) -> None:
        key = f"bold {ACCENT}"
        lines = [
            Content("The list shows each request that had no fixture."),
            Content.styled("⏎", key)
            + Content(" writes its answer, ")
            + Content.styled("^s", key)
            + Content(" saves it; the next one comes up."),
            Content.styled("Tab", key)
            + Content(" goes on to what the server will send.  ")
            + Content.styled("?", key)
            + Content(" all keys.  ")
            + Content.styled("^q", key)
            + Content(" quits."),
            Content(""),
            Content("Drafts are kept as you type. Nothing is lost by esc or ^q."),
            Content.styled("any key closes this", MUTED),
        ]
        super().__init__(Content("\n").join(lines))
        self.border_title = "Welcome"


def is_first_start() -> bool:
    """Whether the hint was never shown to this user; from now on it was."""
    import platformdirs

    mark = Path(platformdirs.user_data_dir("workbench", appauthor=False)) / "welcomed"
    try:
        if mark.exists():
            return False
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False
    return True
