"""The pane of one run of a golden query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.section_pane import SectionPane, reading_keys


class EvalRunPane(SectionPane):
    """Shows lines about a run."""

    BINDING_GROUP_TITLE = "Run"
    BINDINGS: ClassVar[list[BindingType]] = reading_keys("eval_run")
    DEFAULT_CSS = "EvalRunPane #views { display: none; }"
    FIND_HINT = "find in the run"

    def show(self, lines: Sequence[Line], facts: Content) -> None:
        """Show other lines, from the top unless this pane has the focus; ``facts`` stand in the
        frame.
        """
        self.show_sections(Content(""), facts, lines, keep_place=self.has_focus)
