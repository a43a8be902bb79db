"""A TextArea with highlighted JSON, read from the file named; the cursor stands behind
"begun ".
"""

from __future__ import annotations

import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import TextArea


class Text(App[None]):
    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        yield TextArea(self._text, language="json")

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        before = self._text[: self._text.index("begun ") + 6]
        area.move_cursor((before.count("\n"), len(before) - before.rfind("\n") - 1))
        area.focus()


if __name__ == "__main__":
    Text(Path(sys.argv[1]).read_text("utf-8")).run()
