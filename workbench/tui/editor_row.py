"""One row of an editor as it is drawn, styled by the columns of its line."""

from __future__ import annotations

from rich.console import Console
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from workbench.tui.editor_document import cells, drawn


class EditorRow:
    """The part of a line that stands in one row.

    Args:
        line: the whole line.
        start, end: the columns between which the row is; the last row of a line has a blank behind
            it, where the cursor may stand.
    """

    def __init__(self, line: str, start: int, end: int) -> None:
        self._plain = line[start:end]
        self._start, self._end = start, end
        self.is_last = end == len(line)
        self._drawn = drawn(self._plain)
        self._text = Text(self._drawn + " " * self.is_last, end="", no_wrap=True)

    def stylize(self, style: Style | None, first: int, behind: int) -> None:
        """Style what is in this row of the columns from ``first`` to before ``behind``."""
        if style is not None:
            self._text.stylize(style, self._place(first), self._place(behind))

    def has(self, column: int) -> bool:
        """Whether a column is in this row, the one behind a line's end too."""
        return self._start <= column < self._end + self.is_last

    def _place(self, column: int) -> int:
        """Where a column stands in what is drawn."""
        inside = min(max(column - self._start, 0), len(self._plain) + self.is_last)
        if len(self._drawn) == len(self._plain):
            return inside
        return len(drawn(self._plain[:inside])) + (inside > len(self._plain))

    def strip(self, console: Console) -> Strip:
        return Strip(self._text.render(console), cell_length=cells(self._text.plain))
