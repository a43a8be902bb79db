"""How the list and the panes below it share the screen, at each size."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Region

from tests.tui.running import Running, ask
from tests.tui.steady import resize
from tests.tui.test_app import play
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.tui.workspace.pane_layout import AROUND

MANY = [ask(f"question {number}") for number in range(40)]


def list_height(running: Running) -> int:
    return running.app.misses.panes.first.region.height


def places(running: Running) -> list[Region]:
    return [pane.region for pane in running.app.misses.panes.all if pane.is_on_screen]


async def hear(running: Running, *texts: str) -> None:
    """Other requests miss."""
    log, asked = running.folder / "mock-llm.log", [ask(text) for text in texts]
    with log.open("a", encoding="utf-8") as file:
        file.writelines(miss_lines(digest(request), request) for request in asked)
    misses = running.session.miss_index.misses
    await running.until(lambda: all(digest(request) in misses for request in asked))
    await running.pilot.pause()


def test_a_list_of_many_rows_has_its_share_of_each_size_above_all_panes(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        rows = running.app.misses.rows
        head = rows.HEAD_HEIGHT
        shares = {
            (80, 24): (7, 3, 1),
            (100, 31): (7, 3, 1),
            (110, 32): (8 - head, 8 - head, 2),
            (120, 36): (10 - head, 10 - head, 2),
            (160, 39): (11 - head, 11 - head, 2),
            (160, 40): (11 - head, 11 - head, 3),
            (200, 50): (14 - head, 14 - head, 3),
        }
        for size, (in_focus, beside, panes) in shares.items():
            await resize(running.pilot, *size)
            await running.until(lambda: len(rows.rows_in_view) == in_focus)  # noqa: B023
            first, *below = places(running)
            assert (first.x, first.width) == (0, size[0])
            assert len(below) == panes
            assert {pane.y for pane in below} == {first.bottom}
            await running.press("tab")
            await running.until(lambda: len(rows.rows_in_view) == beside)  # noqa: B023
            assert rows.cursor in rows.rows_in_view
            await running.press("escape")

    play(tmp_path, MANY, flow, (80, 24))


def test_a_short_list_gives_its_room_to_the_panes(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        rows = running.app.misses.rows
        for size in ((60, 15), (80, 24), (120, 36), (160, 45)):
            await resize(running.pilot, *size)
            await running.until(lambda: list_height(running) == 3 + rows.lines.head)
        await hear(running, "2", "3")
        await running.until(lambda: len(rows.rows_in_view) == 3)

    play(tmp_path, MANY[:1], flow, (60, 15))


def test_in_a_low_terminal_the_list_leaves_half_the_room_to_a_pane(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        first, below = places(running)
        assert (first.height, below.height) == (6, 6)
        await running.press("enter")
        await running.until(lambda: [place.height for place in places(running)] == [12])

    play(tmp_path, MANY, flow, (60, 15))


def test_in_a_low_terminal_the_head_of_the_list_gives_its_line_to_the_rows(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        rows = running.app.misses.rows
        for size, in_view in (((60, 15), 4), ((80, 24), 7), ((60, 15), 4)):
            await resize(running.pilot, *size)
            await running.until(lambda: len(rows.rows_in_view) == in_view)  # noqa: B023
            shows_head = " age " in running.screen_text()
            assert shows_head is (size == (80, 24))
        await running.press("end", "up")
        assert rows.rows_in_view[-2:] == [rows.cursor, rows.keys[-1]]

    play(tmp_path, MANY, flow, (80, 24))


def test_nothing_moves_by_news_while_somebody_writes(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        rows = running.app.misses.rows
        for size in ((80, 24), (120, 36), (160, 45)):
            await resize(running.pilot, *size)
            await running.press("enter")
            before, seen = places(running), list(rows.rows_in_view)
            await hear(running, *(f"{size} {number}" for number in range(4)))
            assert places(running) == before
            assert list(rows.rows_in_view) == seen
            await running.press("escape")
            await running.until(lambda: list_height(running) > before[0].height)  # noqa: B023

    play(tmp_path, MANY[:1], flow, (80, 24))


def test_nothing_moves_while_a_filter_is_typed(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        rows = running.app.misses.rows
        await running.press("slash")
        before = places(running)
        assert len(rows.rows_in_view) == 5, "its line hides no row"
        await running.write("question 3")
        await running.until(lambda: len(rows.keys) == 1)
        assert places(running) == before
        await running.press("enter")
        await running.until(lambda: list_height(running) == 3 + rows.lines.head)
        await running.press("escape")
        await running.until(lambda: len(rows.rows_in_view) == 5)

    play(tmp_path, MANY[:5], flow, (120, 36))


def test_a_zoomed_list_has_the_whole_screen_and_then_what_it_needs(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("z")
        await running.until(lambda: list_height(running) == 34)
        await hear(running, "one more")
        await running.press("z")
        await running.until(lambda: list_height(running) == 5 + running.app.misses.rows.HEAD_HEIGHT)
        await running.press("tab", "z")
        request = running.parts.view.request
        await running.until(lambda: request.region.size == (120, 34))

    play(tmp_path, MANY[:2], flow, (120, 36))


def test_the_text_of_an_empty_list_is_shown_whole_in_place_of_the_panes(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        running.session.server.url, running.session.server.is_up = "http://127.0.0.1:7897", True
        running.app.services.show_state()
        await running.until(lambda: len(running.app.misses.rows.waiting_text) > 6)
        await running.until_shown(running.app.misses.rows.waiting_text[-1].plain.rstrip())
        assert not any(pane.display for pane in running.app.misses.panes.below)
        assert list_height(running) == 24 - AROUND

    play(tmp_path, [], flow, (80, 24))
