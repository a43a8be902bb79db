"""The smallest application that shows something."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Label


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("ready")


if __name__ == "__main__":
    Minimal().run()
