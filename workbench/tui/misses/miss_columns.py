"""The columns of the list of misses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.content import Content

from workbench.session.misses.rows import ListedRequest, Miss, Unsupported
from workbench.session.session import Session
from workbench.session.wording import brief_time, countdown
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import STATES
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import LABEL, MUTED, WARNING

STATE_WIDTH = 11
COUNT_WIDTH = 3


def miss_columns(session: Session) -> Sequence[Column[ListedRequest]]:
    """The columns of the rows of a session."""

    def state(row: ListedRequest) -> Content:
        """State and count; a long state takes its room from the count, which is mostly short."""
        found = session.state(row.key)
        look = STATES[found.kind]
        shown = f"{look.glyph} {found.word}".ljust(STATE_WIDTH)
        style = MUTED if found.is_done else look.style
        flag = "!" if isinstance(row, Miss) and len(row.dumps) > 1 else " "
        count = str(row.count).rjust(STATE_WIDTH + COUNT_WIDTH - len(shown))
        return Content.assemble((shown, style), (flag, WARNING), count)

    def model(row: ListedRequest) -> Content:
        """The model; of a request that the server does not speak what is missing."""
        if isinstance(row, Unsupported):
            why = one_line(row.request.reason, MUTED)
            return Content.assemble(test_of(row), one_line(row.name, text_style(row)), "  ", why)
        return one_line(row.summary.model if row.summary else "?", LABEL)

    def text(row: ListedRequest) -> Content | None:
        if isinstance(row, Unsupported):
            return None
        if row.summary is None:
            return Content.styled("(request not in the log)", "italic")
        text = one_line(row.summary.last_user_text or "(no user message)", text_style(row))
        turn = f"turn {row.summary.turn}  " if row.summary.turn > 1 else ""
        return Content.assemble(test_of(row), (turn, MUTED), text)

    def test_of(row: ListedRequest) -> Content:
        """The name of the test that asked, without its file; two blanks after it."""
        if not row.tests:
            return Content()
        return Content.assemble(one_line(row.tests[0].rpartition("::")[2], LABEL), "  ")

    def text_style(row: ListedRequest) -> str:
        return MUTED if session.state(row.key).is_done else ""

    def age(row: ListedRequest) -> Content:
        return Content.styled(age_of(session, row, datetime.now()), MUTED)

    return [
        Column("state", state, STATE_WIDTH + 1 + COUNT_WIDTH + 2, gap=2),
        Column("model", model, 15),
        Column("text", text),
        Column("age", age, 6, align="right"),
    ]


def age_of(session: Session, row: ListedRequest, now: datetime) -> str:
    """How long ago a row was seen last: ``40s``, ``2m``; "" where the log does not say. For a held
    one how long its client will wait: ``4:48``.
    """
    held = session.held.get(row.key)
    if held is not None:
        return countdown(held.left)
    if row.last_seen is None:
        return ""
    seconds = (now - datetime.fromisoformat(row.last_seen)).total_seconds()
    return brief_time(seconds) if seconds >= 0 else ""
