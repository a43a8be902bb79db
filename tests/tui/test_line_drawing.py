"""What is drawn at once is what a drawing of the whole screen would show there."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import RenderableType
from textual.content import Content
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from tests.tui.hosting import Host, host
from workbench.tui.line_drawing import LinesUpdate
from workbench.tui.row_list import RowList

Drawing = tuple[LinesUpdate, list[str]]


class Rows(RowList):
    DEFAULT_CSS = "Rows { height: 10; }"

    def row(self, key: str, *, selected: bool) -> Content:
        return Content(f"{'>' if selected else ' '} row {key} 行")

    def update_title(self) -> None:
        self.set_frame(Content(f"[{self.cursor_place + 1}/{len(self.keys)}]"), Content(""))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Drawing]:
    """What was drawn line by line, each with the whole screen at that moment."""
    found: list[Drawing] = []
    display = Host._display

    def note(app: Host, screen: Screen[Any], update: RenderableType | None) -> None:
        if isinstance(update, LinesUpdate):
            found.append((update, app.text().split("\n")))
        display(app, screen, update)

    monkeypatch.setattr(Host, "_display", note)
    return found


def places(update: LinesUpdate) -> dict[int, str]:
    """The text on each line, all from the column of the list's text on."""
    return {y: strip.text for _, y, strip in update.lines}


def test_the_rows_that_change_are_drawn_where_they_stand(drawn: list[Drawing]) -> None:
    rows = Rows()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        rows.set_keys([str(number) for number in range(100)])
        await pilot.pause()
        drawn.clear()
        for key in ("down", "down", "up", "end", "up", "pageup"):
            await pilot.press(key)
        assert len(drawn) == 6
        for update, screen in drawn:
            for x, y, strip in update.lines:
                assert screen[y].startswith(strip.text, x)
        moved, ended = drawn[0][0], drawn[3][0]
        assert {y for _, y, _ in moved.lines} >= {1, 2}
        assert len(moved.lines) <= 3
        assert {y for _, y, _ in ended.lines} >= set(range(1, 9))

    host(rows, flow)


def test_what_stands_before_the_list_stays(drawn: list[Drawing]) -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys([str(number) for number in range(100)])
        note = Static("a note before the second row")
        note.styles.position = "absolute"
        note.styles.layer = "above"
        note.styles.offset = Offset(4, 2)
        app.screen.styles.layers = "default above"
        await app.screen.mount(note)
        await pilot.pause()
        drawn.clear()
        await pilot.press("down")
        await pilot.press("down")
        await pilot.press("down")
        await pilot.pause()
        assert "a note before the second row" in app.text()
        assert "> row 3" in app.text()
        # From the second row to the third, and from the third on, where nothing stands before.
        assert [sorted(places(update)) for update, _ in drawn if len(update.lines) > 1] == [[3, 4]]

    host(rows, flow)
