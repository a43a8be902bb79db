"""The columns of the list of misses."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.content import Content

from workbench.core.misses.miss import Miss
from workbench.core.text.digests import short
from workbench.core.text.wording import brief_time, countdown
from workbench.session.lists.list_query import ListQuery
from workbench.session.misses.states import state_of
from workbench.session.session import Session
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import STATES, VERIFIED
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, WARNING

# What stands before a later turn.
INDENT = "  "
STATE_WIDTH = 11
COUNT_WIDTH = 3


def miss_columns(session: Session, query: ListQuery[Miss]) -> Sequence[Column[Miss]]:
    """The columns of the rows of a session. Later turns stand indented below the first one shown,
    whose model and test are theirs, too.
    """

    def state(row: Miss) -> Content:
        """State and count; a long state takes its room from the count, which is mostly short."""
        state = state_of(session, row.key)
        look = STATES[state.kind]
        indent = "" if query.begins_group(row.key) else INDENT
        glyph = VERIFIED if state.is_verified else look.glyph
        shown = f"{indent}{glyph} {state.word}".ljust(STATE_WIDTH)
        style = MUTED if state.is_done else ERROR if state.errors else look.style
        flag = "!" if len(row.dumps) > 1 else " "
        count = str(row.count).rjust(STATE_WIDTH + COUNT_WIDTH - len(shown))
        return Content.assemble((shown, style), (flag, WARNING), count)

    def model(row: Miss) -> Content:
        """The model; of a later turn what it says, and of a request that the server does not speak
        what is missing.
        """
        if row.unsupported is not None:
            why = one_line(row.unsupported.reason, MUTED)
            return Content.assemble(test_of(row), one_line(row.name, text_style(row)), "  ", why)
        if not query.begins_group(row.key):
            return said(row, is_later=True)
        return one_line(row.model or "?", LABEL)

    def text(row: Miss) -> Content | None:
        if row.unsupported is not None or not query.begins_group(row.key):
            return None
        return said(row)

    def said(row: Miss, *, is_later: bool = False) -> Content:
        """Its turn, the test, what tells it apart from rows that read the same, and its text. A
        later turn leaves out the test and the user's words, which stand above.
        """
        if row.texts is None:
            return Content.assemble(
                (f"{short(row.key)}  ", MUTED), ("(request not in the log)", "italic")
            )
        opening = "" if is_later else row.texts.opening
        new = row.texts.added or row.last_user_text or "(no user message)"
        detail = session.alike.detail(row.key)
        ended = session.held.ended.get(row.key)
        return Content.assemble(
            (f"{ended.how}  " if ended else "", WARNING),
            ("" if is_later else fold_of(row), MUTED),
            (turn_of(row), MUTED),
            Content() if is_later else hosts_of(row),
            Content() if is_later else test_of(row),
            one_line(f"{detail}  " if detail else "", LABEL),
            one_line(f"{opening}  " if opening else "", MUTED),
            one_line(new, text_style(row)),
        )

    def fold_of(row: Miss) -> str:
        """Whether other turns stand below a row, or could."""
        if query.is_folded(row.key):
            return "▸ "
        place = query.place(row.key)
        after = query.keys[place + 1 : place + 2]
        return "▾ " if after and query.are_together(row.key, after[0]) else ""

    def turn_of(row: Miss) -> str:
        """``2/3  ``: which turn of how many; nothing for a conversation of one turn."""
        turns = query.items[query.members(row.key)[-1]].turn
        return f"{row.turn}/{turns}  " if turns is not None and turns > 1 else ""

    def test_of(row: Miss) -> Content:
        """The name of the test that asked, without its file, and how many more did; then two
        blanks.
        """
        if not row.tests:
            return Content()
        more = f" +{len(row.tests) - 1}" if len(row.tests) > 1 else ""
        return one_line(f"{row.tests[0].rpartition('::')[2]}{more}  ", LABEL)

    def hosts_of(row: Miss) -> Content:
        """The hosts that it was sent to; then two blanks."""
        return one_line(f"{', '.join(row.hosts)}  " if row.hosts else "", LABEL)

    def text_style(row: Miss) -> str:
        return MUTED if state_of(session, row.key).is_done else ""

    def age(row: Miss) -> Content:
        return Content.styled(age_of(session, row, datetime.now()), MUTED)

    return [
        Column("state", state, STATE_WIDTH + 1 + COUNT_WIDTH + 2, gap=2),
        Column("model", model, 15),
        Column("text", text),
        Column("age", age, 6, align="right"),
    ]


def age_of(session: Session, row: Miss, now: datetime) -> str:
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
