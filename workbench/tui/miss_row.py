"""One miss as one line: its state, how often it was asked, the model, the last words, its age."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from workbench.core.digest import short
from workbench.session.rows import Miss
from workbench.session.session import Session
from workbench.session.wording import brief_time, countdown
from workbench.tui.glyphs import STATES
from workbench.tui.inert import one_line
from workbench.tui.styles import LABEL, MUTED, WARNING

STATE_WIDTH = 10
AGE_WIDTH = 5
MODEL_WIDTH = 14


def miss_row(session: Session, digest: str, width: int, age: str, *, selected: bool) -> Content:
    """The row of ``digest``, ``width`` cells wide."""
    miss = session.book.misses.get(digest)
    if miss is None:
        return Content(short(digest))
    state = session.state(digest)
    look = STATES[state.kind]
    style = MUTED if state.is_done else look.style
    mark = "*" if digest in session.decisions.marked else " "
    flag = "!" if len(miss.dumps) > 1 else " "
    line = Content.assemble(
        f"{'>' if selected else ' '}{mark}",
        (f"{look.glyph} {state.word}".ljust(STATE_WIDTH + 1), style),
        (flag, WARNING),
        f"{miss.count:>3}  ",
        _model(miss),
    )
    end = age.rjust(AGE_WIDTH) + " "
    room = max(width - line.cell_length - len(end) - 1, 0)
    text = _text(miss, MUTED if state.is_done else "").truncate(room, ellipsis=True, pad=True)
    return Content.assemble(line, text, " ", (end, MUTED))


def _model(miss: Miss) -> Content:
    name = one_line(miss.summary.model if miss.summary else "?", LABEL)
    return Content.assemble(name.truncate(MODEL_WIDTH, ellipsis=True, pad=True), " ")


def _text(miss: Miss, style: str) -> Content:
    if miss.summary is None:
        return Content.styled("(request not in the log)", "italic")
    return one_line(miss.summary.last_user_text or "(no user message)", style)


def age_of(session: Session, digest: str, now: datetime) -> str:
    """How long ago a miss was seen last: ``40s``, ``2m``; "" where the log did not tell. Of a held
    one how long its client waits still: ``4:48``.
    """
    held, miss = session.held.get(digest), session.book.misses.get(digest)
    if held is not None:
        return countdown(held.left)
    if miss is None or miss.last_seen is None:
        return ""
    seconds = (now - datetime.fromisoformat(miss.last_seen)).total_seconds()
    return brief_time(seconds) if seconds >= 0 else ""
