"""Copy text, and report what was copied."""

from __future__ import annotations

from typing import Final

from textual.widget import Widget

from workbench.core.text.wording import counted
from workbench.tui.widgets.status import say

# Terminals cut or drop longer sequences (OSC 52 carries base64).
TERMINAL_LIMIT: Final = 74_994


def clipboard_bytes(text: str) -> bytes:
    """A text as it is copied: with lone surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace")


def fits_terminal(text: str) -> bool:
    """True if a terminal accepts this much text."""
    return len(clipboard_bytes(text)) * 4 // 3 <= TERMINAL_LIMIT


def copy(widget: Widget, text: str, what: str) -> None:
    """Copy text, and report its kind: ``Copied the digest 860363cd34f9.`` The application reports
    the file of long text, and a missing terminal.
    """
    widget.app.copy_to_clipboard(text)
    if text and fits_terminal(text):
        say(widget, f"Copied {what}.")


def characters_of(text: str, place: str) -> str:
    """``64 characters of the request``"""
    return f"{counted(len(text), 'character')} of the {place.casefold()}"
