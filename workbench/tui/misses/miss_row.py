"""One row of the list as one line: its state, how often it was asked, the model and the last words
of a miss or the path and what is missing, its age.
"""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from workbench.core.digest import short
from workbench.session.misses.rows import Miss, Row, Unsupported
from workbench.session.session import Session
from workbench.session.wording import brief_time, countdown
from workbench.tui.widgets.glyphs import STATES
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import LABEL, MUTED, WARNING

STATE_WIDTH = 10
COUNT_WIDTH = 3
AGE_WIDTH = 5
MODEL_WIDTH = 14


def miss_row(session: Session, key: str, width: int, age: str, *, selected: bool) -> Content:
    """The row of ``key``, ``width`` cells wide."""
    row = session.book.rows.get(key)
    if row is None:
        return Content(short(key))
    state = session.state(key)
    look = STATES[state.kind]
    style = MUTED if state.is_done else look.style
    mark = "*" if key in session.decisions.marked else " "
    flag = "!" if isinstance(row, Miss) and len(row.dumps) > 1 else " "
    shown = f"{look.glyph} {state.word}".ljust(STATE_WIDTH + 1)
    # A long word takes its room from the count, which is mostly short.
    count = str(row.count).rjust(STATE_WIDTH + 1 + COUNT_WIDTH - len(shown))
    line = Content.assemble(
        f"{'>' if selected else ' '}{mark}", (shown, style), (flag, WARNING), f"{count}  "
    )
    end = age.rjust(AGE_WIDTH) + " "
    room = max(width - line.cell_length - len(end) - 1, 0)
    text = _asked(row, MUTED if state.is_done else "").truncate(room, ellipsis=True, pad=True)
    return Content.assemble(line, text, " ", (end, MUTED))


def _asked(row: Row, style: str) -> Content:
    """What the requests of a row ask."""
    if isinstance(row, Unsupported):
        return Content.assemble(
            one_line(row.name, style), "  ", one_line(row.request.reason, MUTED)
        )
    return Content.assemble(_model(row), _text(row, style))


def _model(row: Row) -> Content:
    name = one_line(row.summary.model if row.summary else "?", LABEL)
    return Content.assemble(name.truncate(MODEL_WIDTH, ellipsis=True, pad=True), " ")


def _text(row: Row, style: str) -> Content:
    if row.summary is None:
        return Content.styled("(request not in the log)", "italic")
    return one_line(row.summary.last_user_text or "(no user message)", style)


def age_of(session: Session, key: str, now: datetime) -> str:
    """How long ago a row was seen last: ``40s``, ``2m``; "" where the log did not tell. Of a held
    one how long its client waits still: ``4:48``.
    """
    held, row = session.held.get(key), session.book.rows.get(key)
    if held is not None:
        return countdown(held.left)
    if row is None or row.last_seen is None:
        return ""
    seconds = (now - datetime.fromisoformat(row.last_seen)).total_seconds()
    return brief_time(seconds) if seconds >= 0 else ""
