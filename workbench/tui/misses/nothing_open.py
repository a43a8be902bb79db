"""The page that replaces the misses and their panes if none is open: the result, the written
answers, and what to do next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.geometry import Size

from workbench.core.fixture.names import short_name
from workbench.core.text.wording import counted, duration
from workbench.session.answers.written import WrittenAnswer, git_add_command, written_answers
from workbench.session.misses.states import outdated_count
from workbench.tui.misses.page_lines import INDENT, keys
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, SUCCESS
from workbench.tui.widgets.suite_text import suite_text

if TYPE_CHECKING:
    from workbench.session.session import Session
    from workbench.session.suite.suite import Suite

# Lines of the screen around the rows: header, frame, status line, keys; and the page's fixed
# lines.
_AROUND: Final = 5
_ALWAYS: Final = 7
_FRAME: Final = 2
# Blanks between what happened and the numbers.
_GAP, _LEAST_GAP = 6, 3
_TEST_SHARE: Final = 3
_MOST_TEST: Final = 40


def nothing_open(session: Session, size: Size) -> list[Content]:
    """The lines, for a screen of this size."""
    suite, facts, width = session.suite, _facts(session), size.width - _FRAME
    written = list(written_answers(session))
    moved = sum(answer.is_moved for answer in written)
    if len(written) > moved:
        facts.append(f"{counted(len(written) - moved, 'answer')} written")
    if moved:
        facts.append(f"{counted(moved, 'fixture')} moved")
    if skipped := sum(key in session.decisions.skipped for key in session.miss_index.rows):
        facts.append(f"{skipped:,} skipped")
    head = _head_without_suite(session) if suite is None else _head(suite)
    after = Content.styled("   ".join(facts), MUTED)
    gap = _GAP if len(INDENT) + head.cell_length + _GAP + after.cell_length <= width else _LEAST_GAP
    lines = [Content(INDENT) + head + Content(" " * gap) + after]
    lines += map(_indented, _sentences(session))
    room = max(size.height - _AROUND - _ALWAYS - len(lines), 3)
    rows = [] if suite is None else list(_failed(suite))
    rows += (_answer(session, answer, width=size.width) for answer in written)
    more = [Content.styled(f"… {len(rows) - room + 1:,} more", MUTED)] if len(rows) > room else []
    rows = [*(rows[: room - 1] if more else rows), *more]
    return [*lines, *map(_indented, rows), Content(""), keys(*_next(session), width=width)]


def _head_without_suite(session: Session) -> Content:
    total = len(session.miss_index.misses) - outdated_count(session)
    aside = session.decisions.skipped | session.ignore.reasons.keys()
    if not aside.isdisjoint(session.miss_index.misses):
        return Content.styled("✓ Every miss is answered, skipped or ignored.", SUCCESS)
    few = {1: "The only miss is", 2: "Both misses are"}
    answered = few.get(total, f"All {total:,} misses are")
    return Content.styled(f"✓ {answered} answered.", SUCCESS)


def _head(suite: Suite) -> Content:
    text = f"Suite{':' if suite.has_failed else ''} {suite.state}"
    if suite.has_passed:
        text = f"Suite passed in {duration(suite.seconds)}"  # the number of tests stands beside it
    return suite_text(suite, text, has_glyph=True)


def _facts(session: Session) -> list[str]:
    """How many tests there are, where that is known."""
    suite = session.suite
    if suite is None or suite.is_running or not len(suite.tests):
        return []
    before = " that had failed" if suite.runs_failed else ""
    return [f"{counted(len(suite.tests), 'test')}{before}"]


def _sentences(session: Session) -> Iterator[Content]:
    """Further facts, and events that are awaited."""
    if outdated := outdated_count(session):
        turns = counted(outdated, "later turn")
        yield Content(f"{turns} will not be requested again, because the answer before changed.")
    suite, hold = session.suite, session.server.hold
    if suite is not None and not suite.is_running:
        return
    if not session.miss_index.rows:
        yield Content("The suite is running. A request without a fixture waits here.")
    elif suite is not None or (hold is not None and hold.enabled):
        yield Content("Waiting for the next request…")
    else:
        yield Content("Run the suite again. New misses appear here.")


def _failed(suite: Suite) -> Iterator[Content]:
    for test in suite.tests.failed:
        yield Content.styled("✗ ", ERROR) + one_line(test.id)


def _answer(session: Session, written: WrittenAnswer, *, width: int) -> Content:
    """``a4b5fa353eeb  book_flight(origin=LHR)      test_travel``"""
    least = min(width // _TEST_SHARE, _MOST_TEST) if session.miss_index.rows else 0
    shown = one_line(written.test.rpartition("::")[2], MUTED).truncate(least, ellipsis=True)
    room = max(width - len(short_name(written.name)) - least - 3 * len(INDENT) - 2, 0)
    text = one_line(written.answer) if written.answer else Content.styled("(empty)", MUTED)
    text = text.truncate(room, ellipsis=True)
    text = text.pad_right(max(room - text.cell_length, 0))
    parts = (Content.styled(short_name(written.name), MUTED), text, shown)
    return Content(INDENT).join(parts)


def _next(session: Session) -> Iterator[tuple[str, str]]:
    """The keys, and what they do."""
    suite = session.suite
    if suite is not None and suite.is_running:
        yield "5", "its tests" if len(suite.tests) else "its output"
    elif suite is not None:
        yield "r", "run again"
        if suite.has_failed:
            yield "⏎", "what failed" if suite.tests.failed else "its output"
    else:
        yield ".", "the answered ones"
    yield "2", "fixtures"
    if git_add_command(session):
        yield "y", "copy the git add line"
    yield "q", "quit"


def _indented(line: Content) -> Content:
    return Content(INDENT) + line
