"""A heading that fills the width with a line."""

from __future__ import annotations

from textual.content import Content

from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import LINE, MUTED


class Rule(SteadyLabel):
    """``content ─────────── 1:59 ──``: a heading that fills the width."""

    DEFAULT_CSS = """
    Rule { width: 1fr; height: 1; color: $text-muted; }
    """

    def set_parts(self, left: Content, right: str = "") -> None:
        width = self.size.width or (self.parent.size.width if self.parent else 0)  # type: ignore[attr-defined]
        end = Content("")
        if right:
            end = Content.styled(f" {right} ", MUTED) + Content.styled("──", LINE)
        line = "─" * max(width - left.cell_length - end.cell_length - 1, 2)
        self.update(left + Content(" ") + Content.styled(line, LINE) + end)
