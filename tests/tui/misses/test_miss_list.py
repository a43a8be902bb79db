"""The list of misses: filter, order, follow, and that nothing moves under the hands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual.events import MouseScrollUp
from textual.pilot import Pilot

from tests.session.support import (
    LISTENING,
    answer_with,
    asked,
    chat,
    missed,
    open_session,
    parse,
    second_turn,
    take,
    write,
)
from tests.tui.hosting import Host, host
from tests.tui.running import Running
from tests.tui.steady import press, resize
from tests.tui.test_app import play as play_application
from workbench.core.digest import digest
from workbench.core.log.lines import asked_line, sent_to_line
from workbench.session.misses.miss_query import miss_query
from workbench.session.session import Session
from workbench.tui.misses.miss_columns import MissColumns
from workbench.tui.misses.miss_list import MissList
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.search_line import SearchLine

CITIES = ["London", "Paris", "Rome", "Oslo", "Bern", "Kyiv", "Lima", "Baku", "Riga", "Doha"]
PAYLOADS = [{**chat(f"weather in {c}?"), "model": f"gpt-{n % 2}"} for n, c in enumerate(CITIES)]
CURLY = {"{": "left_curly_bracket", "}": "right_curly_bracket"}
DIGESTS = [digest(payload) for payload in PAYLOADS]
GOOD = '{"response": {"content": "hi"}}'


class Listed:
    """A list of misses on the screen, and the session behind it."""

    def __init__(self, session: Session, misses: MissList, app: Host, pilot: Pilot[None]) -> None:
        self.session, self.misses, self.app, self.pilot = session, misses, app, pilot

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    async def type(self, text: str) -> None:
        await self.press(*({" ": "space", ":": "colon"}.get(c, c) for c in text))

    async def ask(self, *payloads: dict[str, Any]) -> None:
        """More requests are missed."""
        events = parse(missed(*payloads))
        self.misses.update_rows(self.session.take_log(self.session.intake.read(events)))
        await self.pilot.pause()

    async def told(self, *digests: str) -> None:
        """These changed."""
        self.misses.update_rows(frozenset(digests))
        await self.pilot.pause()

    @property
    def cursor(self) -> str | None:
        return self.misses.cursor

    @property
    def line(self) -> int:
        """The line of the screen the selected row stands on."""
        return self.misses.cursor_place - self.misses.top

    @property
    def status(self) -> str:
        return self.app.status

    @property
    def frame(self) -> str:
        return self.app.text().split("\n")[0]


Flow = Callable[[Listed], Awaitable[None]]


def play(
    folder: Path,
    flow: Flow,
    payloads: Iterable[dict[str, Any]] = PAYLOADS,
    size: tuple[int, int] = (110, 11),
) -> None:
    with closing(open_session(folder)) as session:
        asked(session, *payloads)
        misses = MissList(session)

        async def run(app: Host, pilot: Pilot[None]) -> None:
            misses.focus()
            misses.update_rows()
            await pilot.pause()
            await flow(Listed(session, misses, app, pilot))

        host(FilteredList(misses), run, size)


# Filter


def test_a_filter_is_applied_as_it_is_typed(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("slash")
        await listed.type("ro")
        assert list(listed.misses.keys) == [DIGESTS[2]]
        await listed.press("backspace", "backspace")
        await listed.type("model:1 -oslo")
        assert list(listed.misses.keys) == [DIGESTS[n] for n in (1, 5, 7, 9)]
        assert "[1/4]" in listed.frame
        assert "/ model:1 -oslo  4 of 10" in listed.frame
        await listed.press("enter")
        assert listed.app.focused is listed.misses
        assert len(listed.misses.keys) == 4
        await listed.ask(chat("model:1 elsewhere"))
        assert "4 of 11" in listed.frame

    play(tmp_path, flow)


def test_escape_clears_the_filter_and_the_selection_stays(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("down", "down", "down", "down")
        await listed.press("slash")
        await listed.type("kyi")
        assert listed.cursor == DIGESTS[5]
        await listed.press("escape")
        assert listed.app.focused is listed.misses
        assert len(listed.misses.keys) == 10
        assert listed.cursor == DIGESTS[5]
        await listed.press("slash")
        await listed.type("lima")
        await listed.press("enter")
        assert "/ lima" in listed.frame
        await listed.press("escape")
        assert len(listed.misses.keys) == 10
        assert listed.cursor == DIGESTS[6]
        await listed.press("slash")
        assert listed.app.query_one(SearchLine).has_focus_within
        await listed.press("down")
        assert listed.app.focused is listed.misses

    play(tmp_path, flow)


def test_a_state_is_completed_while_a_filter_is_typed(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.session.decisions.skip(DIGESTS[3])
        await listed.told(DIGESTS[3])
        await listed.press("slash")
        await listed.type("rom state:sk")
        await listed.pilot.pause()
        assert "/ rom state:skipped" in listed.app.text(), "what may be completed to"
        assert listed.misses.filter_text == "rom state:sk"
        await listed.press(*["backspace"] * len("rom state:sk"))
        await listed.type("is:sk")
        await listed.press("tab")
        assert listed.misses.filter_text == "is:skipped"
        assert list(listed.misses.keys) == [DIGESTS[3]]
        await listed.press("tab")
        assert not listed.app.query_one(SearchLine).has_focus_within, "nothing to complete"

    play(tmp_path, flow)


def test_a_filter_that_is_opened_again_is_typed_over(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("slash")
        await listed.type("lima")
        await listed.press("enter", "slash")
        await listed.type("kyi")
        assert list(listed.misses.keys) == [DIGESTS[5]]

    play(tmp_path, flow)


def test_a_filter_that_finds_nothing_says_so_and_how_to_get_back(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("down", "down")
        await listed.press("slash")
        await listed.type("parris")
        assert 'No miss matches "parris". 10 are hidden.' in listed.app.text()
        assert "esc shows them" in listed.app.text()
        assert listed.cursor is None
        await listed.press("escape")
        assert listed.cursor == DIGESTS[2]

    play(tmp_path, flow)


def test_a_bad_filter_is_told_and_hides_nothing(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("slash")
        await listed.type("turn:x")
        assert listed.status == "turn: takes a number, like turn:2 or turn:>1."
        assert "/ turn:x  not understood" in listed.frame
        assert len(listed.misses.keys) == 10
        await listed.press("backspace", "1")
        assert listed.status == ""
        assert "/ turn:1  10 of 10" in listed.frame

    play(tmp_path, flow)


def test_a_hostile_filter_is_text(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.misses.set_filter("[/bold]\x1b[31m\u202e [@click=app.quit]")
        await listed.pilot.pause()
        assert not set(listed.app.text()) & set("\x1b\u202e")
        assert "[/bold]\\x1b[31m" in listed.app.text()

    play(tmp_path, flow, size=(120, 10))


def test_the_selected_row_stays_although_it_no_longer_matches(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.misses.set_filter("state:missing")
        await listed.press("down")
        answer_with(listed.session, DIGESTS[1], "typed")
        await listed.told(DIGESTS[1])
        assert listed.cursor == DIGESTS[1]
        await listed.press("down")
        assert listed.cursor == DIGESTS[2]
        assert DIGESTS[1] not in listed.misses.keys
        assert "[2/9]" in listed.frame

    play(tmp_path, flow)


# Rows that go and come


def test_a_miss_that_somebody_else_answers_stays_until_it_is_left(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("down", "down", "down")
        write(listed.session, DIGESTS[3], GOOD)
        write(listed.session, DIGESTS[0], GOOD)
        before = listed.line
        await listed.told(DIGESTS[3], DIGESTS[0])
        assert listed.cursor == DIGESTS[3]
        assert "● elsewhere" in listed.app.text()
        assert len(listed.misses.keys) == 9
        assert listed.line == before - 1  # there is nothing to scroll
        await listed.press("down")
        assert listed.cursor == DIGESTS[4]
        assert listed.line == before - 1
        assert len(listed.misses.keys) == 8

    play(tmp_path, flow, size=(110, 17))


def test_a_decision_takes_the_row_away_and_the_next_is_selected(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("end", "up")
        before = listed.line
        listed.session.decisions.skip(DIGESTS[8])
        await listed.told(DIGESTS[8])
        assert listed.cursor == DIGESTS[9]
        assert listed.misses.list_query.open_count == 9
        listed.misses.select(DIGESTS[8])  # it is hidden; looking at it shows it
        await listed.pilot.pause()
        assert listed.cursor == DIGESTS[8]
        assert listed.line == before
        assert "skipped" in listed.app.text()
        await listed.press("up")
        assert DIGESTS[8] not in listed.misses.keys
        listed.misses.select("0" * 64)  # not a miss at all
        assert listed.cursor == DIGESTS[7]

    play(tmp_path, flow)


def test_rows_that_arrive_move_nothing(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("down", "down", "down", "down", "down")
        before, top = listed.line, listed.misses.top
        await listed.ask(*(chat(f"burst {number}") for number in range(300)))
        assert (listed.cursor, listed.line) == (DIGESTS[5], before)
        assert listed.misses.top == top
        assert "[6/310]" in listed.frame

    play(tmp_path, flow)


def test_after_the_last_decision_an_arriving_row_is_selected(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.session.decisions.skip(DIGESTS[0])
        await listed.told(DIGESTS[0])
        assert listed.cursor is None
        await listed.ask(PAYLOADS[1])
        assert listed.cursor == DIGESTS[1]

    play(tmp_path, flow, PAYLOADS[:1])


# Order


def test_orders_are_chosen_in_turn_and_named(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.ask(PAYLOADS[9], PAYLOADS[9], PAYLOADS[4])
        await listed.press("down")
        for name, first in (
            ("last seen", DIGESTS[4]),
            ("count", DIGESTS[9]),
            ("state", DIGESTS[0]),
            ("model", DIGESTS[0]),
            ("conversation", DIGESTS[0]),
        ):
            await listed.press("o")
            assert (f"by {name}" in listed.frame) is (name != "conversation")
            assert listed.misses.keys[0] == first
            assert listed.cursor == DIGESTS[1]

    play(tmp_path, flow)


def test_an_order_is_applied_when_the_list_is_entered_not_while_it_is_used(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("o", "o")
        before = list(listed.misses.keys)
        await listed.ask(PAYLOADS[6], PAYLOADS[6])
        await listed.press("down", "down")
        assert list(listed.misses.keys) == before
        listed.app.query_one("#other").focus()
        await listed.pilot.pause()
        line, cursor = listed.line, listed.cursor
        listed.misses.focus()
        await listed.pilot.pause()
        assert listed.misses.keys[0] == DIGESTS[6]
        assert listed.cursor == cursor == DIGESTS[2]
        assert listed.line == line

    play(tmp_path, flow)


def test_a_click_selects_the_row_it_is_on_although_it_enters_the_list(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("o", "o")
        listed.app.query_one("#other").focus()
        await listed.ask(PAYLOADS[6], PAYLOADS[6])
        await listed.pilot.click(listed.misses, offset=(5, 4))
        await listed.pilot.pause()
        assert listed.app.focused is listed.misses
        assert listed.cursor == DIGESTS[3]
        assert list(listed.misses.keys) == DIGESTS

    play(tmp_path, flow)


def test_the_row_keeps_its_line_when_the_order_changes(tmp_path: Path) -> None:
    payloads = [chat(f"question {number}") for number in range(60)]

    async def flow(listed: Listed) -> None:
        listed.misses.select(digest(payloads[30]))
        await listed.ask(*payloads[40:])
        line = listed.line
        await listed.press("o")
        assert listed.misses.cursor_place == 29
        assert listed.line == line

    play(tmp_path, flow, payloads)


# Moving


def test_n_goes_to_what_needs_work_round_the_end(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        for number in (1, 2, 4):
            listed.session.decisions.skip(DIGESTS[number])
        listed.misses.change_rows(lambda: listed.misses.list_query.set_with_done(True))
        await listed.told(*DIGESTS)
        assert "all shown" in listed.frame
        for key, number in (("n", 3), ("n", 0), ("N", 3), ("N", 0)):
            await listed.press(key)
            assert listed.cursor == DIGESTS[number]
        listed.session.decisions.skip(DIGESTS[3])
        await listed.told(DIGESTS[3])
        await listed.press("n")
        assert listed.cursor == DIGESTS[0]
        assert listed.status == "End of list: no other row needs work."

    play(tmp_path, flow, PAYLOADS[:5])


def test_follow_keeps_the_end_in_view_and_the_selection_where_it_is(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        await listed.press("f")
        assert "follow on" in listed.frame
        assert listed.misses.rows_in_view[-1] == DIGESTS[9]
        await listed.ask(chat("one more"), chat("and another"))
        assert listed.misses.rows_in_view[-1] == digest(chat("and another"))
        assert listed.cursor == DIGESTS[0]
        await listed.press("end")
        assert "follow on" in listed.frame
        await listed.press("up")
        assert "follow" not in listed.frame

    play(tmp_path, flow)


def test_going_away_from_the_end_stops_following(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        for key in ("down", "home", "pageup"):
            await listed.press("home", "f")
            assert listed.misses.is_following
            await listed.press(key)
            assert not listed.misses.is_following, key
        await listed.press("f")
        listed.misses.action_edge(end=True)
        await listed.pilot._post_mouse_events([MouseScrollUp], listed.misses)
        assert not listed.misses.is_following

    play(tmp_path, flow, [chat(str(number)) for number in range(40)])


# What a row says


def test_marks_stand_before_the_glyph_and_are_counted(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.session.decisions.marked |= {DIGESTS[0], DIGESTS[2]}
        await listed.told(DIGESTS[0], DIGESTS[2])
        rows = listed.app.text().split("\n")[2:5]
        assert [row[1:4] for row in rows] == [">*○", "  ○", " *○"]
        assert "2 marked" in listed.frame

    play(tmp_path, flow)


def test_facts_give_way_one_by_one_where_the_frame_is_short(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        listed.misses.set_filter("paris")
        await listed.press("o", "f")
        for width, said in (
            (90, "/ paris  1 of 10 · follow on · by last seen"),
            (50, "/ paris  1 of 10 · follow on ━"),
            (45, "/ paris  1 of 10 ━"),
        ):
            await resize(listed.pilot, width, 10)
            async with asyncio.timeout(60):
                while said not in listed.frame:
                    await listed.pilot.pause(0)

    play(tmp_path, flow)


def test_ages_go_on_and_only_those_that_change_are_drawn(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        now = datetime.now()
        for number, seconds in enumerate((5, 7200, 90_000)):
            seen = now - timedelta(seconds=seconds)
            listed.session.miss_index.misses[DIGESTS[number]].last_seen = seen.isoformat()
        await listed.told(*DIGESTS)
        ages = [row.rstrip("┃│ ").split()[-1] for row in listed.app.text().split("\n")[2:5]]
        assert ages[1:] == ["2h", "1d"]
        assert ages[0].removesuffix("s").isdecimal()
        drawn = _drawn(listed.misses)
        listed.session.miss_index.misses[DIGESTS[0]].last_seen = (
            now - timedelta(hours=9)
        ).isoformat()
        while "9h" not in listed.app.text():
            await listed.pilot.pause(0.02)
        assert set(drawn) == {DIGESTS[0]}

    play(tmp_path, flow, PAYLOADS[:3])


def _drawn(misses: MissList) -> list[str]:
    """The rows that are drawn from now on."""
    drawn: list[str] = []
    row = misses.row

    def noting(key: str, width: int) -> Any:
        drawn.append(key)
        return row(key, width)

    misses.row = noting  # type: ignore[method-assign]
    return drawn


def test_a_change_costs_what_changed_however_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payloads = [chat(str(number)) for number in range(3000)]

    async def flow(listed: Listed) -> None:
        looked_at: list[str] = []
        is_stale = listed.session.stale.is_stale

        def noting(digest: str) -> bool:
            looked_at.append(digest)
            return is_stale(digest)

        monkeypatch.setattr(listed.session.stale, "is_stale", noting)
        drawn = _drawn(listed.misses)
        await listed.ask(chat("one more"))
        assert drawn == []
        assert set(looked_at) == {digest(chat("one more"))}
        await listed.ask(payloads[1])
        assert set(drawn) == {digest(payloads[1])}
        looked_at.clear()
        assert listed.misses.list_query.open_count == 3001
        assert looked_at == []

    play(tmp_path, flow, payloads)


# In the application


def test_what_the_filter_selects_is_shown_and_its_errors_are_told(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("slash", *"rome")
        await running.until(lambda: running.app.misses.subject == DIGESTS[2])
        await running.until_shown("weather in Rome?")
        await running.press("backspace", "x")
        await running.until(lambda: running.app.misses.subject is None)
        await running.press("escape", "slash", *"run", "colon")
        assert running.status == "run: takes last or a number, like run:last or run:2."
        await running.press("escape")
        await running.until(lambda: running.app.misses.subject == DIGESTS[0])
        await running.until_shown("Misses 4")

    play_application(tmp_path, PAYLOADS[:4], flow)


def test_letters_are_text_while_a_filter_is_typed(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("slash", *"aimx[")
        assert running.app.misses.rows.filter_text == "aimx["
        assert running.session.decisions.skipped == set()
        assert "Skip" not in running.screen_text()

    play_application(tmp_path, PAYLOADS[:2], flow)


def test_a_row_names_the_first_test_that_asked_without_its_file(tmp_path: Path) -> None:
    asked_by = (asked_line(f"tests/a.py::test_{n}[\x1b]", DIGESTS[0]) for n in range(2))
    with closing(open_session(tmp_path)) as session:
        take(session, missed(*PAYLOADS[:2]), *asked_by)
        query = miss_query(session)
        query.update()
        columns = {c.title: c for c in MissColumns(session, query).in_width(140)}
        shown = [columns["test"].cell(row) for row in session.miss_index.rows.values()]
        assert "test" not in {c.title for c in MissColumns(session, query).in_width(120)}
    assert [content and content.plain for content in shown] == ["test_0[\\x1b] +1", ""]


def test_a_row_names_the_hosts_that_were_asked(tmp_path: Path) -> None:
    hosts = (sent_to_line(f"https://{host}", DIGESTS[0]) for host in ("api.groq.com", "api.x.ai"))
    with closing(open_session(tmp_path)) as session:
        take(session, missed(PAYLOADS[0]), *hosts)
        query = miss_query(session)
        query.update()
        columns = {c.title: c for c in MissColumns(session, query).in_width(80)}
        (content,) = (columns["request"].cell(row) for row in session.miss_index.rows.values())
    assert content is not None
    assert content.plain == "weather in London?  api.groq.com, api.x.ai"


def test_turns_stand_together_and_keys_fold_them_and_go_from_one_to_the_next(
    tmp_path: Path,
) -> None:
    async def flow(listed: Listed) -> None:
        rome, rome_2, rome_3, paris, paris_2 = map(
            digest,
            (chat("rome"), second_turn("rome"), third, chat("paris"), second_turn("paris")),
        )
        assert listed.misses.keys == [rome, rome_2, rome_3, paris, paris_2]
        rows = [line.strip("┃│ ") for line in listed.app.text().split("\n")[2:7]]
        assert rows[0].startswith("> ○ missing")
        assert "▾ rome  1/3" in rows[0]
        assert rows[1].startswith("↳ blocked")
        assert "and now?  2/3" in rows[1]
        assert "thanks  3/3" in rows[2]
        assert "▾ paris  1/2" in rows[3]
        for key, found in (("}", paris), ("}", rome), ("{", paris), ("{", rome)):
            await listed.press(CURLY[key])
            assert listed.cursor == found, key
        await listed.press("down", "down", CURLY["{"])
        assert listed.cursor == rome
        await listed.press("down", "left")
        assert listed.misses.keys == [rome, paris, paris_2]
        assert listed.cursor == rome
        assert "▸ rome  1/3" in listed.app.text()
        await listed.press("right")
        assert listed.misses.keys == [rome, rome_2, rome_3, paris, paris_2]
        await listed.press("right")
        assert listed.status == "There is nothing folded here."

    third = second_turn("rome")
    third["messages"] = [
        *third["messages"],
        {"role": "assistant", "content": "Rain."},
        {"role": "user", "content": "thanks"},
    ]
    turns = [chat("rome"), chat("paris"), second_turn("rome"), second_turn("paris"), third]
    play(tmp_path, flow, turns)


def test_one_key_shows_the_last_run_alone(tmp_path: Path) -> None:
    async def flow(listed: Listed) -> None:
        events = parse(LISTENING, missed(PAYLOADS[4]))
        listed.misses.update_rows(listed.session.take_log(listed.session.intake.read(events)))
        await listed.press("slash")
        await listed.type("weather")
        await listed.press("enter", "l")
        assert listed.misses.filter_text == "weather run:last"
        assert listed.misses.keys == [DIGESTS[4]]
        await listed.press("l")
        assert listed.misses.filter_text == "weather"
        assert len(listed.misses.keys) == len(DIGESTS)

    play(tmp_path, flow)
