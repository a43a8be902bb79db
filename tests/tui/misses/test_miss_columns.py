"""What a row says of a request, in lists of all widths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest

from tests.session.support import chat, missed, open_session, second_turn, take
from workbench.core.control_api import HeldRequest
from workbench.core.digest import digest
from workbench.core.log.lines import asked_line, sent_to_line
from workbench.session.misses.held import EndedWait
from workbench.session.misses.miss_query import miss_query
from workbench.session.session import Session
from workbench.tui.misses.miss_columns import MissColumns
from workbench.tui.widgets.columns import row_line

# The frame of a list and its scroll bar.
AROUND: Final = 3
LEAST: Final = ((80, 36), (100, 50), (120, 70), (160, 100))
LONG: Final = "".join(f"{number:03}," for number in range(90))


class Rows:
    """The rows of a session as they are drawn."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._query = miss_query(session)
        self._columns = MissColumns(session, self._query)

    def shown(self, payload: dict[str, Any], terminal: int) -> str:
        """The row of a request in a terminal of a width, without what stands before it."""
        self._query.update(self.session.miss_index.rows)
        width = terminal - AROUND
        columns = self._columns.in_width(width)
        row = self.session.miss_index.rows[digest(payload)]
        return row_line(columns, [c.cell(row) for c in columns], width - 2).plain

    def wait(self, *payloads: dict[str, Any], left: float = 252) -> None:
        """Clients wait for these alone."""
        self.session.held.take(
            HeldRequest(str(number), digest(payload), 1, left, False, 1, 0, "")
            for number, payload in enumerate(payloads)
        )


@pytest.fixture
def rows(tmp_path: Path) -> Iterator[Rows]:
    with closing(open_session(tmp_path)) as session:
        yield Rows(session)


def text_shown(line: str) -> int:
    """How much of ``LONG`` a line shows."""
    return max(end for end in range(len(LONG)) if LONG[:end] in line)


@pytest.mark.parametrize("has_more", [False, True])
def test_a_wider_list_never_shows_less_of_a_request(rows: Rows, *, has_more: bool) -> None:
    later = second_turn(f"a beginning of some length, {LONG}", "an answer")
    later["messages"][-1]["content"] = LONG
    lone = chat(LONG)
    take(rows.session, missed(chat("a beginning"), lone, lone, later))
    if has_more:
        asked = [asked_line("test_it.py::test_a_trip_of_two", digest(p)) for p in (lone, later)]
        hosts = [sent_to_line("https://api.groq.com", digest(lone))]
        take(rows.session, missed({**chat("x"), "model": "claude-sonnet-4-5"}), *asked, *hosts)
        ended = EndedWait("fallback", datetime(2026, 3, 1, 4, 24), 300)
        rows.session.held.ended[digest(lone)] = ended
        rows.wait(later)
    for payload in (lone, later):
        before = 0
        for terminal in range(60, 221):
            shown = text_shown(rows.shown(payload, terminal))
            assert shown >= before, terminal
            before = shown
        for terminal, least in LEAST:
            assert text_shown(rows.shown(payload, terminal)) >= least, terminal


def test_a_list_too_narrow_for_one_more_column_leaves_no_cells_empty(rows: Rows) -> None:
    test = "test_a_trip_of_two_seats"
    once, often = chat(LONG), chat("often")
    take(rows.session, missed(once, often, often))
    assert rows.shown(once, 105).startswith("○ missing   000")
    assert rows.shown(often, 105).startswith("○ ×2        often")
    assert rows.shown(often, 108).startswith("○ missing ×2   often")
    take(rows.session, asked_line(f"test_it.py::{test}", digest(once)))
    assert test[:7] in rows.shown(once, 135)
    assert "test_" not in rows.shown(once, 130)
    other = {**chat("x"), "model": "claude-sonnet-4-5"}
    take(rows.session, missed(other))
    for terminal in (109, 132, 180, 200):
        assert "claude-sonnet-4-5" in rows.shown(other, terminal)


def test_a_held_later_turn_says_its_turn_and_how_its_conversation_began(rows: Rows) -> None:
    first = chat("Two seats from LHR to OSL on Friday")
    later = second_turn("Two seats from LHR to OSL on Friday", "an answer")
    take(rows.session, missed(first, later))
    assert "Two seats" not in rows.shown(later, 80)
    assert rows.shown(later, 80).split() == ["○", "and", "now?", "2/2"]
    rows.wait(later)
    assert rows.shown(later, 80).split()[:5] == ["‖", "4:11", "and", "now?", "2/2"]
    assert "2/2 Two seats from LHR to OSL on Friday" in rows.shown(later, 80)
    assert "‖ held 4:11" in rows.shown(later, 120)
    assert "2/2 Two seats" in rows.shown(later, 60)


def test_the_state_is_a_glyph_then_a_word_and_a_count_above_one(rows: Rows) -> None:
    once, often, unsaid = chat("once"), chat("often"), chat("several")
    take(rows.session, missed(once, often, often, often))
    take(rows.session, missed(unsaid, {**unsaid, "tools": []}))
    assert rows.shown(once, 80).startswith("○         once")
    assert rows.shown(often, 80).startswith("○ ×3      often")
    assert rows.shown(often, 110).startswith("○ missing ×3     often")
    rows.wait(often, left=3599)
    assert rows.shown(often, 80).startswith("‖ 59m ×3  often")
    rows.session.drafting.open(digest(once)).set_text("{")
    rows.session.drafting.assess(digest(once))
    assert rows.shown(once, 80).startswith("×         once")
    assert rows.shown(once, 110).startswith("× errors         once")


def test_the_end_of_a_wait_is_said_until_there_is_an_answer(rows: Rows) -> None:
    payload = chat("late")
    take(rows.session, missed(payload))
    ended = EndedWait("fallback", datetime(2026, 3, 1, 4, 24), 300)
    rows.session.held.ended[digest(payload)] = ended
    assert "late  fallback sent 04:24, after 5:00" in rows.shown(payload, 80)
    long = chat("Two seats from LHR to OSL on Friday, please.")
    take(rows.session, missed(long))
    rows.session.held.ended[digest(long)] = ended
    assert "  fallback sent 04:24 " in f"{rows.shown(long, 80)} "
    assert "Two seats from LHR to OSL o…  fallback " in rows.shown(long, 60)
    later = second_turn("Two seats from LHR to OSL on Friday", "an answer")
    later["messages"][-1]["content"] = "Two more seats on the same day, please."
    take(rows.session, missed(later))
    rows.session.held.ended[digest(later)] = ended
    assert rows.shown(later, 60).rstrip().endswith("…  fallback")  # whole, and no "2/…" after it
    rows.session.decisions.skip(digest(payload))
    assert "fallback" not in rows.shown(payload, 80)


def test_rows_that_begin_alike_show_how_they_end(rows: Rows) -> None:
    begin = "Compare the climates of two cities, month by month, in a table, please: "
    payloads = [chat(f"{begin}{city}") for city in ("Lisbon and Porto", "Bergen and Oslo")]
    take(rows.session, missed(*payloads))
    for payload, city in zip(payloads, ("Lisbon and Porto", "Bergen and Oslo"), strict=True):
        assert rows.shown(payload, 80).rstrip().endswith(f"please: {city}")
        assert f"{begin}{city}" in rows.shown(payload, 160), "it has room"
