"""The switch of how JSON is saved."""

from __future__ import annotations

from textual.content import Content
from textual.message import Message

from workbench.tui.widgets.steady_label import SteadyLabel
from workbench.tui.widgets.styles import ACCENT, MUTED


class LinesSwitch(SteadyLabel):
    """Whether JSON is saved on one line or with its lines as typed; shown where it matters."""

    DEFAULT_CSS = """
    LinesSwitch { width: 1fr; height: 1; display: none; margin-top: 0; }
    """

    class Toggled(Message):
        """The other way was chosen."""

    def show(self, keep_lines: bool, *, matters: bool) -> None:
        self.display = matters
        now, other = (
            ("saved with its lines as typed", "save on one line")
            if keep_lines
            else ("saved on one line", "keep the lines as typed")
        )
        switch = Content(f"[{other}]").stylize(f"{ACCENT} @click=switch")
        self.update(Content.styled(f"{now}   ", MUTED) + switch)

    def action_switch(self) -> None:
        self.post_message(self.Toggled())
