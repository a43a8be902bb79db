"""The columns of the list of misses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from textual.content import Content

from workbench.core.misses.miss import Miss
from workbench.core.text.digests import short
from workbench.core.text.wording import brief_time, countdown
from workbench.session.lists.list_query import ListQuery
from workbench.session.misses.states import state_of
from workbench.session.session import Session
from workbench.tui.misses.miss_widths import AGE, GAP, MissWidths
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import STATES, VERIFIED, WITH_ERRORS
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, WARNING

if TYPE_CHECKING:
    from workbench.session.misses.held import Held

# The prefix of the state of a later turn; the separator of two parts of a request.
INDENT: Final = "  "
BETWEEN: Final = "  "
# After the end of a wait, fewer cells say nothing about the turn.
LEAST_AFTER: Final = 8
# A client that waits longer, in seconds, has its time in minutes.
LONG_WAIT: Final = 600
LAST_MINUTE: Final = 60
# Requests up to this many seconds ago count as seen now.
NOW: Final = 5


class MissColumns:
    """The columns of the rows of a session. Later turns are indented below the first one shown,
    whose model they share.
    """

    def __init__(self, session: Session, query: ListQuery[Miss]) -> None:
        self._session = session
        self._query = query

    def in_width(self, width: int) -> Sequence[Column[Miss]]:
        """The columns of a list of ``width`` cells."""
        index = self._session.miss_index
        room = MissWidths.of(width, has_models=len(index.models) > 1, has_tests=index.has_tests)
        columns = [
            Column("state", partial(self._state, room=room), room.state),
            Column("request", partial(self._request, room=room), room.request, gap=GAP),
            Column("model", self._model, room.model),
            Column("test", self._test, room.test),
            Column("age", self._age, AGE, align="right"),
        ]
        return [column for column in columns if column.width]

    # The cells

    def _state(self, row: Miss, *, room: MissWidths) -> Content:
        """Glyph and word of the state. For a held row, the time left; how often it was sent, and a
        mark if several requests share the digest.
        """
        state, held = state_of(self._session, row.key), self._session.held.get(row.key)
        look = STATES[state.kind]
        glyph = VERIFIED if state.is_verified else WITH_ERRORS if state.has_errors else look.glyph
        style = MUTED if state.is_done else ERROR if state.has_errors else look.style
        time_style = WARNING if held is not None and held.left < LAST_MINUTE else style
        left = Content.styled(time_left(held.left) if held is not None else "", time_style)
        count = f"×{row.count}" if row.count > 1 else ""
        flag = "!" if len(row.dumps) > 1 else ""
        parts = [Content.styled(glyph, style), left, Content.assemble(count, (flag, WARNING))]
        indent = Content("" if self._query.begins_group(row.key) else INDENT)
        cell = indent + Content(" ").join(part for part in parts if part)
        if room.has_words and cell.cell_length + len(state.word) + 1 < room.state:
            parts.insert(1, Content.styled(state.word, style))
            cell = indent + Content(" ").join(part for part in parts if part)
        return cell

    def _model(self, row: Miss) -> Content:
        is_shown = row.unsupported is None and self._query.begins_group(row.key)
        return one_line((row.model or "?") if is_shown else "", LABEL)

    def _test(self, row: Miss) -> Content:
        """The first test that sent it, without its file, and the number of further tests."""
        if not row.tests:
            return Content("")
        more = f" +{len(row.tests) - 1}" if len(row.tests) > 1 else ""
        return one_line(f"{row.tests[0].rpartition('::')[2]}{more}", LABEL)

    def _age(self, row: Miss) -> Content:
        return Content.styled(age_of(row, self._session.held.get(row.key), datetime.now()), MUTED)

    # The request

    def _request(self, row: Miss, *, room: MissWidths) -> Content:
        """The new part of a request, then remarks."""
        text, ending = self._text(row), ""
        detail = self._session.alike.detail(row.key) if row.texts is not None else ""
        if detail.startswith("…"):  # the end of the text, where that is cut
            ending, detail = detail, ""
        waits = self._ended_waits(row)
        after = self._after(row, waits[0], detail)
        if text.cell_length + len(BETWEEN) + after.cell_length > room.text:
            beside = room.text - len(BETWEEN) - min(text.cell_length, room.least_text)
            wait = next((wait for wait in waits[1:] if len(wait) <= beside), waits[-1])
            after = self._after(row, wait, detail)
            is_cut = after.cell_length > beside
            if wait and is_cut and beside < len(wait) + LEAST_AFTER:
                after = Content.styled(wait, WARNING)
        limit = room.text - len(BETWEEN) - after.cell_length if after else room.text
        limit = max(limit, room.least_text)
        if text.cell_length > limit:
            end = one_line(ending, LABEL)
            head = text.truncate(max(limit - end.cell_length, 0), ellipsis=not ending)
            text = (head + end).truncate(limit, ellipsis=True)
        return text + Content(BETWEEN) + after if after else text

    def _text(self, row: Miss) -> Content:
        """The text after the model's last reply: results of tools, or the user's text."""
        style = MUTED if state_of(self._session, row.key).is_done else ""
        if row.unsupported is not None:
            return one_line(row.name, style)
        if row.texts is None:
            return Content.styled("(request not in the log)", f"italic {style}")
        fold = Content.styled(self._fold(row), MUTED)
        if not row.texts.added:
            return fold + one_line(row.last_user_text or "(no user message)", style)
        role, _, result = row.texts.added.partition(" ")
        return fold + one_line(f"{role}{BETWEEN}", MUTED) + one_line(result, style)

    def _ended_waits(self, row: Miss) -> tuple[str, ...]:
        """How its wait ended, as long as it has no answer: from the longest text to a word."""
        ended = self._session.held.ended.get(row.key)
        if ended is None or state_of(self._session, row.key).is_done:
            return ("",)
        return ended.words, ended.brief, ended.how

    def _after(self, row: Miss, wait: str, detail: str) -> Content:
        """The end of its wait, its turn, a detail that distinguishes it from rows with the same
        text, and its hosts. The beginning of its conversation is added only if its first turn is
        not listed above.
        """
        if row.unsupported is not None:
            return one_line(row.unsupported.reason, MUTED)
        if row.texts is None:
            return Content.styled(short(row.key), MUTED)
        begins = self._query.begins_group(row.key)
        turn = [self._turn(row), row.texts.opening if begins else ""]
        parts = [
            Content.styled(wait, WARNING),
            one_line(" ".join(part for part in turn if part), MUTED),
            one_line(detail, LABEL),
            one_line(", ".join(row.hosts) if begins else "", LABEL),
        ]
        return Content(BETWEEN).join(part for part in parts if part)

    def _turn(self, row: Miss) -> str:
        """``2/3``: which turn of how many; "" for a conversation of one turn."""
        turns = self._query.items[self._query.members(row.key)[-1]].turn
        return f"{row.turn}/{turns}" if turns is not None and turns > 1 else ""

    def _fold(self, row: Miss) -> str:
        """A mark if other turns are below a row, or could be."""
        query = self._query
        if query.is_folded(row.key):
            return "▸ "
        after = query.place(row.key) + 1
        if not query.begins_group(row.key) or after >= len(query.keys):
            return ""
        return "" if query.begins_group(query.keys[after]) else "▾ "


def age_of(row: Miss, held: Held | None, now: datetime) -> str:
    """The time since a row was last seen, or its client's wait: ``now``, ``40s``, ``2m``; "" if
    neither server nor log contain it.
    """
    if held is not None:
        seconds = held.waited
    elif row.last_seen is not None:
        seconds = (now - datetime.fromisoformat(row.last_seen)).total_seconds()
    else:
        return ""
    return "" if seconds < 0 else "now" if seconds < NOW else brief_time(seconds)


def time_left(seconds: float) -> str:
    """How long a client will still wait: ``4:48``, ``12m``."""
    return brief_time(seconds) if seconds >= LONG_WAIT else countdown(seconds)


class RowTimes:
    """The times in the rows as they were drawn last, which go on while nothing else changes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._drawn: dict[str, str] = {}

    def note(self, key: str) -> None:
        """The row of a key is being drawn."""
        self._drawn[key] = self._text(key, datetime.now())

    def outdated(self, in_view: Iterable[str]) -> set[str]:
        """The rows in view whose times read differently now. The others are forgotten."""
        now = datetime.now()
        self._drawn = {key: self._drawn[key] for key in in_view if key in self._drawn}
        return {key for key, text in self._drawn.items() if self._text(key, now) != text}

    def _text(self, key: str, now: datetime) -> str:
        """The age of a row, and for a held row the time that its client has left."""
        held = self._session.held.get(key)
        age = age_of(self._session.miss_index.rows[key], held, now)
        return f"{age} {time_left(held.left) if held is not None else ''}"
