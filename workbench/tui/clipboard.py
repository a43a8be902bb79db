"""Copying through the terminal, which works over SSH too; long text goes to a file."""

from __future__ import annotations

from textual.app import App

from workbench.io.atomic import write_atomic
from workbench.io.state_folder import StateFolder

# Terminals cut or drop longer sequences (OSC 52 carries base64).
TERMINAL_LIMIT = 74_994


def copy(app: App[None], state_folder: StateFolder, text: str) -> str:
    """Copy ``text``, with lone surrogates as escapes; returns a sentence about it."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) * 4 // 3 <= TERMINAL_LIMIT:
        app.copy_to_clipboard(data.decode())
        return f"Copied {len(text):,} characters."
    try:
        file = state_folder.ensure() / "clip.txt"
        write_atomic(file, data)
    except OSError as error:
        return f"Too long for the terminal's clipboard, and no file for it: {error.strerror}."
    return f"Too long for the terminal's clipboard: written to {file}."
