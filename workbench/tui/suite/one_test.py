"""One test of the suite: why it failed, and what it printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from workbench.core.suite_tests import ReportedTest
from workbench.core.text.digests import is_digest, short
from workbench.core.text.wording import counted
from workbench.session.misses.states import state_of
from workbench.session.session import Session
from workbench.session.suite.output import STYLE
from workbench.session.suite.tests import state_of_test
from workbench.tui.lines.line_layout import Line, OneRow
from workbench.tui.lines.section_pane import ReadingPane, reading_keys
from workbench.tui.suite.output_pane import OutputLine
from workbench.tui.suite.suite_list import LOOKS
from workbench.tui.widgets.glyphs import STATES
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ERROR, MUTED

# The prefix of the error lines in pytest's tracebacks.
_WRONG = "E  "


class OneTestPane(ReadingPane):
    """Shows the selected test."""

    BINDING_GROUP_TITLE = "Test"
    EMPTY = "The selected test is shown here."
    HELP = "Why the test failed, and what it printed."
    label = "Test"
    BINDINGS: ClassVar[list[BindingType]] = reading_keys("suite_test")
    FIND_HINT = "find in the test"

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: tuple[object, ...] = ()
        self._shown_id = ""

    def show(self, test: ReportedTest | None, misses: Sequence[str]) -> None:
        """Show a test, with the keys of its misses: from the top, unless it is shown already."""
        if test is None:
            self._shown_id, self._shown = "", ()
            self.show_lines(())
            return
        session = self._session
        state = state_of_test(session, test)
        states = [state_of(session, key).kind for key in misses]
        shown = (test, state, *misses, *states)
        if shown != self._shown:
            is_same, self._shown, self._shown_id = test.id == self._shown_id, shown, test.id
            lines = [*self._head(test), *self._missed(misses), *_texts(test)]
            self.show_lines(lines, keep_place=is_same)

    def _head(self, test: ReportedTest) -> Iterator[Line]:
        state = state_of_test(self._session, test)
        look = LOOKS[state]
        facts = [
            f"{test.seconds:.2f} s" if test.outcome != "running" else "",
            counted(test.requests, "request") if test.requests else "",
            f"run again {counted(test.reruns, 'time')}" if test.reruns else "",
        ]
        line = Content.styled(f"{look.glyph} {state}", look.style)
        yield inert(test.id, "bold")
        yield line + Content.styled("".join(f" · {fact}" for fact in facts if fact), MUTED)

    def _missed(self, misses: Sequence[str]) -> Iterator[Line]:
        for key in misses:
            look = STATES[state_of(self._session, key).kind]
            miss = self._session.miss_index.rows[key]
            what = f"{short(key)}  {miss.last_user_text or ''}" if is_digest(key) else key
            yield OneRow(Content.styled(f"{look.glyph} ", look.style) + one_line(what))


def _texts(test: ReportedTest) -> Iterator[Line]:
    if test.failure:
        yield Content("")
        for line in test.failure.split("\n"):
            # pytest colours values even where it colours nothing else
            is_wrong = line.startswith(_WRONG)
            yield inert(STYLE.sub("", line), ERROR) if is_wrong else OutputLine.of(line)
    if test.output:
        yield Content("")
        yield from map(OutputLine.of, test.output.rstrip().split("\n"))
    elif test.outcome not in ("running", "skipped"):
        yield Content("")
        yield Content.styled("It printed nothing.", MUTED)
