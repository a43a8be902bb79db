"""The one screen: its header, its tabs, and a focus that is never nowhere."""

from __future__ import annotations

from pathlib import Path

from textual.events import AppBlur, AppFocus
from textual.widgets import Input

from tests.tui.running import SIZE, Running, play_each
from tests.tui.steady import resize
from tests.tui.test_app import HELLO, WEATHER, WORLD, play
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines


async def a_focus_that_was_lost_is_given_back(running: Running) -> None:
    tab = running.app.misses
    for meant in (tab.rows, running.parts.view.request, running.parts.view.answer):
        assert running.app.focused is not None
        assert meant in running.app.focused.ancestors_with_self
        # As when what has it is hidden before another has taken it.
        running.app.screen.set_focus(None)
        await running.until(lambda: running.app.focused is not None)
        assert meant in running.app.focused.ancestors_with_self
        await running.press("tab")
    # A terminal that another window covers keeps the focus as it was.
    await running.press("tab")
    before = running.app.focused
    running.app.post_message(AppBlur())
    await running.until(lambda: running.app.focused is None)
    await running.pilot.pause(0.1)
    assert running.app.focused is None
    running.app.post_message(AppFocus())
    await running.until(lambda: running.app.focused is not None)
    assert running.app.focused is before


def test_in_a_low_terminal_the_pane_in_focus_has_the_room_of_the_list(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        tab = running.app.misses
        await running.press("enter")
        await running.until(lambda: not tab.rows.is_on_screen)
        fields = running.parts.view.answer.fields
        assert fields.size.height >= 6
        await running.press("ctrl+t")
        await running.until(lambda: fields.cards and fields.cards[0].editor.has_focus)
        await resize(running.pilot, 80, 15)
        cursor = fields.cards[0].editor
        await running.until(lambda: fields.region.contains_point(cursor.cursor_screen_offset))
        await running.press("escape")
        await running.until(lambda: tab.rows.is_on_screen and tab.rows.has_focus)
        await running.press("tab", "J")
        await running.until(lambda: tab.subject == digest(WORLD) and not tab.rows.is_on_screen)
        await resize(running.pilot, 80, 24)
        await running.until(lambda: tab.rows.is_on_screen)

    play(tmp_path, [WEATHER, WORLD], flow, (80, 18))


async def another_tab_begins_without_what_the_last_one_said_and_takes_the_next_key(
    running: Running,
) -> None:
    await running.press("s")
    assert running.status.startswith("Skipped ")
    await running.press("2")
    assert running.status == ""
    await running.press("1", "s", "1")
    assert running.status.startswith("Skipped "), "the same tab says it still"
    running.app.simulate_key("2")
    running.app.simulate_key("slash")
    await running.until(lambda: isinstance(running.app.focused, Input))
    assert running.app.focused is not None
    assert running.fixtures_tab in running.app.focused.ancestors


async def the_header_shows_the_facts_there_is_room_for(running: Running) -> None:
    cases: list[tuple[int, list[str], list[str]]] = [
        (200, ["server 127.0.0.1:7897 up", "live mock-llm.log", "fixtures "], []),
        (90, ["stub   ● live mock-llm.log", "fixtures …/fixtures"], ["server"]),
        (60, ["stub   ● live mock-llm.log"], ["server", "fixtures …"]),
    ]

    running.session.server.url = "http://127.0.0.1:7897"
    running.session.server.is_up = True
    running.app.services.show_state()
    for width, shown, hidden in cases:
        await resize(running.pilot, width, 24)
        header = ""
        while len(header) != width or not all(fact in header for fact in shown):
            await running.pilot.pause()
            header = running.screen_text().splitlines()[0]
        assert not any(fact in header for fact in hidden)


def test_nothing_is_selected_in_an_empty_list(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.until_shown("No misses yet.")
        assert "Request" not in running.screen_text(), "its text has the place of the panes"
        for key in ("a", "s", "i", "d", "r", "v", "Y", "ctrl+s"):
            running.app.status.say("")
            await running.press(key)
            assert running.status == "No row is selected.", key
        with (running.folder / "mock-llm.log").open("a", encoding="utf-8") as log:
            log.write(miss_lines(digest(HELLO), HELLO))
        await running.until(lambda: running.app.misses.subject == digest(HELLO))
        await running.until(lambda: running.status == "")
        await running.until_shown("[Request]  Answer  Preview ──")

    play(tmp_path, [], flow, (80, 24))


async def the_demand_to_save_is_met_in_every_pane(running: Running) -> None:
    await running.press("enter")
    await running.write("an answer")
    running.app.misses.panes.focus("preview")
    await running.until(lambda: running.parts.view.preview.has_focus)
    await running.press("ctrl+s")
    await running.until(lambda: running.status.startswith("Saved "))
    await running.press("ctrl+s")
    await running.until(lambda: running.status.startswith("Nothing written yet."))
    # The names in the frame of a pane that has the focus lead to the others.
    view = running.parts.view
    running.app.misses.panes.focus("preview")
    await running.until(lambda: view.preview.has_focus)
    await running.pilot.click(view.preview, offset=(5, 0))
    await running.until(lambda: view.request.has_focus)
    # From the list, too, although a pane of a small terminal grows when it gets the focus.
    await running.press("escape")
    await running.until(lambda: running.app.misses.rows.has_focus)
    await running.pilot.click(view.request, offset=(23, 0))
    await running.until(lambda: view.preview.has_focus)


def test_a_tab_is_counted_before_it_is_loaded_and_then_shows_all(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    (fixtures / f"{digest(WORLD)}.json").write_text('{"response": {"content": "here"}}', "utf-8")

    async def flow(running: Running) -> None:
        await running.until_shown("2 Fixtures 1")
        assert list(running.app.main.tabs) == ["misses"], "no other was looked at"
        await running.press("2")
        await running.until(lambda: running.fixtures_tab.subject == digest(WORLD))
        await running.until_shown("here")
        await running.until_shown("Fixtures [1/1]")

    play(tmp_path, [HELLO], flow, (120, 36))


def test_a_tab_that_is_not_shown_is_brought_up_to_date_when_it_is(tmp_path: Path) -> None:
    """Each of many changes would sort its list, which may be long."""

    async def flow(running: Running) -> None:
        await running.press("2", "1")
        rows = running.fixtures_tab.rows
        assert not rows.keys
        name = f"{digest(WORLD)}.json"
        (tmp_path / "fixtures").mkdir(exist_ok=True)
        (tmp_path / "fixtures" / name).write_text('{"response": {"content": "hello"}}')
        await running.until(lambda: name in running.app.session.fixtures.entries)
        await running.until(lambda: not running.app.session.fixtures.waiting)
        await running.pilot.pause()
        assert not rows.keys
        await running.press("2")
        assert rows.keys == [name]

    play(tmp_path, [HELLO, WORLD], flow)


async def a_pane_on_the_whole_screen_hides_nothing_that_has_the_focus(running: Running) -> None:
    screen, tab = running.app.screen, running.app.misses
    pilot = running.pilot
    for key in ("enter", "v"):
        await running.press("z")
        assert screen.maximized is tab.rows.frame
        await running.press(key)
        await running.until(lambda: screen.maximized is None)
        assert running.app.focused is not None
        assert running.app.focused.region.area, key
        await running.press("escape")
    # A filter is typed in it.
    await running.press("z", "slash")
    await running.until(lambda: isinstance(running.app.focused, Input))
    assert running.app.focused is not None
    assert running.app.focused.region.area
    assert screen.maximized is tab.rows.frame
    await running.press("escape", "escape")
    assert screen.maximized is None
    # What is asked is seen beside it, and Escape ends that before.
    await running.press("z", "s")
    assert running.status.startswith("Skipped ")
    await running.until_shown(running.status)
    await running.press("i", "b", "e")
    await running.until_shown("why is the placeholder enough?")
    assert screen.maximized is tab.rows.frame
    await resize(pilot, 50, 10)
    await running.until_shown("Needs 60x15 or more; this is 50x10.")
    assert "Misses" not in running.screen_text()
    await resize(pilot, *SIZE)
    # What was asked is asked still, with what was typed.
    await running.until(lambda: isinstance(running.app.focused, Input))
    await running.until_shown("why is the placeholder enough?")
    assert running.app.screen.query_one(Input).value == "be"
    await running.press("escape")
    await running.until(lambda: running.app.focused is tab.rows)
    await running.press("z", "escape")
    assert screen.maximized is None
    # Another tab is not hidden by it, either.
    await running.press("z", "2")
    await running.until(lambda: screen.maximized is None)
    assert running.app.focused is not None
    assert running.app.focused.region.area


def test_panes_tabs_and_header_in_one_application(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        the_demand_to_save_is_met_in_every_pane,
        a_focus_that_was_lost_is_given_back,
        a_pane_on_the_whole_screen_hides_nothing_that_has_the_focus,
        another_tab_begins_without_what_the_last_one_said_and_takes_the_next_key,
        the_header_shows_the_facts_there_is_room_for,
    )
