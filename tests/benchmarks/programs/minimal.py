"""The smallest application that shows something, and something else at a key."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.events import Key
from textual.widgets import Label


class Minimal(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("ready")

    def on_key(self, event: Key) -> None:  # noqa: ARG002
        self.query_one(Label).update("pressed")


if __name__ == "__main__":
    Minimal().run()
