"""The output of a suite's command, in its colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Self

from textual import events, on
from textual.binding import BindingType
from textual.content import Content

from workbench.session.suite.output import LINES_KEPT, STYLE, SuiteOutput
from workbench.session.suite.suite import Suite
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.section_pane import ReadingPane, reading_keys
from workbench.tui.suite.ansi import from_ansi
from workbench.tui.widgets.inert import one_line, picture, side_by_side
from workbench.tui.widgets.styles import MUTED

# Seconds between two updates while there is output.
DRAW_AFTER: Final = 0.2
_PICTURES = {code: picture(chr(code)) for code in (*range(0x20), *range(0x7F, 0xA0))}


class OutputLine(TextLine):
    """The text of a line, ``written`` with the escape sequences of its styles. Its colours are read
    only when a part of it is drawn.
    """

    __slots__ = ("written",)

    written: str

    @classmethod
    def of(cls, line: str) -> Self:
        """A line of ``SuiteOutput``. An escape character that begins no style becomes visible."""
        line = side_by_side(line.expandtabs(8))
        parts = STYLE.split(line)
        if len(parts) == 1:
            made = cls(_visible(line))
            made.written = str(made)
            return made
        texts = list(map(_visible, parts))
        made = cls("".join(texts))
        styles = [*STYLE.findall(line), ""]
        made.written = "".join(text + style for text, style in zip(texts, styles, strict=True))
        return made

    def cut(self, start: int, end: int) -> Content:
        return from_ansi(self.written)[start:end]


def _visible(text: str) -> str:
    return text if text.isprintable() else text.translate(_PICTURES)


class OutputPane(ReadingPane):
    """Shows the output of the suite, and stays at its end until you scroll up. While it is
    searched, new output waits.
    """

    BINDING_GROUP_TITLE = "Output"
    HELP = "What the command prints."
    label = "Output"
    BINDINGS: ClassVar[list[BindingType]] = reading_keys("suite")
    FIND_HINT = "find in the output"

    def __init__(self, suite: Suite) -> None:
        super().__init__()
        self._suite = suite
        self._output: SuiteOutput | None = None
        self._lines: list[OutputLine] = []
        self._taken = 0  # how many lines of it
        self._end = 0  # the first row in view when the end was shown last
        self._is_scheduled = False

    def on_mount(self) -> None:
        self.show_output()

    def facts(self) -> Sequence[Content]:
        facts = [self._suite.state, *(["watch on"] if self._suite.is_watching else [])]
        return [*super().facts(), *(Content.styled(fact, MUTED) for fact in facts)]

    def searched(self) -> str:
        return "in what is kept of the output" if self._suite.output.is_partial else "in the output"

    @property
    def is_at_end(self) -> bool:
        """True if its end is in view."""
        lines = self.lines
        below = lines.virtual_size.height - lines.top - lines.rows_high
        return below <= 0 or lines.top >= self._end

    def update_soon(self) -> None:
        """Show what is new within ``DRAW_AFTER``."""
        if not self._is_scheduled:
            self._is_scheduled = True
            self.set_timer(DRAW_AFTER, self._update)

    def _update(self) -> None:
        self._is_scheduled = False
        if self.is_on_screen and not self.lines.sought:
            self.show_output()

    @on(events.Show)
    @on(events.Resize)
    def _fit(self) -> None:
        self.update_soon()

    def show_output(self) -> None:
        output, lines = self._suite.output, self.lines
        if output is not self._output:
            self._output, self._lines, self._taken, self._end = output, [], 0, 0
        is_at_end = self.is_at_end
        self._lines += map(OutputLine.of, output.since(self._taken))
        self._taken = output.ended
        del self._lines[:-LINES_KEPT]
        command = OneRow(one_line(f"$ {self._suite.command}", "bold"))
        shown: list[Line] = [command, *self._lines]
        if output.open_line:
            shown.append(OutputLine.of(output.open_line))
        self.show_lines(shown, keep_place=True)
        if is_at_end:
            lines.scroll_end(animate=False, immediate=True)
            self._end = lines.top

    def action_stop_finding(self) -> None:
        super().action_stop_finding()
        self.update_soon()
