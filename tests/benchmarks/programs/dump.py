"""The JSON file named, shown by Rich in a Static when ``o`` is pressed."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.json import JSON
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static


class Dump(App[None]):
    BINDINGS = [("o", "open", "Open")]  # noqa: RUF012

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static("ready")

    def action_open(self) -> None:
        self.query_one(Static).update(JSON(self._path.read_text("utf-8")))


if __name__ == "__main__":
    Dump(Path(sys.argv[1])).run()
