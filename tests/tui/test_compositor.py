"""What is drawn of a part of the screen is what a drawing of the whole screen would show there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from rich.console import RenderableType
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.content import Content
from textual.geometry import Offset, Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Label, Static

from workbench.tui.compositor import LineCompositor, LinesUpdate
from workbench.tui.row_list import RowList


class Rows(RowList):
    DEFAULT_CSS = "Rows { height: 10; }"

    def row(self, key: str, *, selected: bool) -> Content:
        return Content(f"{'>' if selected else ' '} row {key} 行")

    def update_title(self) -> None:
        self.set_frame(Content(f"[{self.cursor_place + 1}/{len(self.keys)}]"), Content(""))


class LineScreen(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self._compositor = LineCompositor()


class Drawn(App[None]):
    """A list of a hundred rows and a line. Keeps what was drawn line by line, each with the whole
    screen at that moment.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rows = Rows()
        self.drawn: list[tuple[LinesUpdate, list[str]]] = []

    def get_default_screen(self) -> Screen[None]:
        return LineScreen()

    def compose(self) -> ComposeResult:
        yield self.rows
        yield Label("a line", id="line")

    def on_mount(self) -> None:
        self.rows.set_keys([str(number) for number in range(100)])
        self.rows.focus()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        if isinstance(renderable, LinesUpdate):
            self.drawn.append((renderable, self.lines()))
        super()._display(screen, renderable)

    def lines(self) -> list[str]:
        return [strip.text for strip in self.screen._compositor.render_strips()]


def show(flow: Callable[[Drawn, Pilot[None]], Awaitable[None]]) -> None:
    async def run() -> None:
        app = Drawn()
        async with app.run_test(size=(60, 12)) as pilot:
            await pilot.pause()
            app.drawn.clear()
            await flow(app, pilot)

    asyncio.run(run())


def test_what_changes_is_drawn_where_it_stands_and_nothing_is_left_out() -> None:
    async def flow(app: Drawn, pilot: Pilot[None]) -> None:
        before = app.lines()
        for key in ("down", "down", "up", "end", "up", "pageup", "home"):
            await pilot.press(key)
            await pilot.pause()
            drawn = set()
            for update, screen in app.drawn:
                for x, y, strip in update.lines:
                    assert screen[y].startswith(strip.text, x)
                    drawn.add(y)
            after = app.lines()
            changed = {y for y, line in enumerate(after) if line != before[y]}
            assert changed <= drawn
            assert changed
            before = after
            app.drawn.clear()

    show(flow)


def test_two_rows_are_drawn_as_two_rows() -> None:
    async def flow(app: Drawn, pilot: Pilot[None]) -> None:
        await pilot.press("down")
        rows = [(y, strip.text.split()) for _, y, strip in app.drawn[0][0].lines]
        assert rows == [(1, ["row", "0", "行"]), (2, [">", "row", "1", "行"])]

    show(flow)


def test_a_line_of_another_widget_is_drawn_alone() -> None:
    async def flow(app: Drawn, pilot: Pilot[None]) -> None:
        app.query_one("#line", Label).update("two words", layout=False)
        await pilot.pause()
        assert [[(x, y) for x, y, _ in update.lines] for update, _ in app.drawn] == [[(0, 10)]]

    show(flow)


def test_what_stands_before_a_row_stays() -> None:
    async def flow(app: Drawn, pilot: Pilot[None]) -> None:
        note = Static("a note before the second row")
        note.styles.position = "absolute"
        note.styles.layer = "above"
        note.styles.offset = Offset(4, 2)
        app.screen.styles.layers = "default above"
        await app.screen.mount(note)
        await pilot.pause()
        app.drawn.clear()
        for _ in range(3):
            await pilot.press("down")
        await pilot.pause()
        lines = app.lines()
        assert "a note before the second row" in lines[2]
        assert "> row 3" in lines[4]
        drawn = set()
        for update, screen in app.drawn:
            for x, y, strip in update.lines:
                assert screen[y].startswith(strip.text, x)
                drawn.add(y)
        assert {1, 2, 3, 4} <= drawn

    show(flow)


def test_every_part_is_painted_as_textual_paints_it() -> None:
    """Boxes that lie over one another, and reach out of the screen and of what holds them."""
    places = [(3, 1, 20, 5), (10, 3, 30, 4), (-4, 6, 12, 9), (50, 0, 20, 3), (25, 5, 1, 1)]

    async def flow(app: Drawn, pilot: Pilot[None]) -> None:
        app.rows.display = False
        app.screen.styles.layers = " ".join(["default", *(f"box{n}" for n in range(len(places)))])
        for number, (x, y, width, height) in enumerate(places):
            box = Static(Content("\n").join([Content.styled("0123456789" * 3, "bold")] * height))
            box.styles.layer = f"box{number}"
            box.styles.position = "absolute"
            box.styles.offset = Offset(x, y)
            box.styles.width, box.styles.height = width, height
            box.styles.background = f"rgb({number * 40},0,0)"
            box.styles.border_left = ("heavy", "green")
            await app.screen.mount(box)
        await pilot.pause()
        compositor = app.screen._compositor
        assert isinstance(compositor, LineCompositor)
        theirs = [_cells(line) for line in Compositor.render_strips(compositor)]
        assert [_cells(line) for line in compositor.render_strips()] == theirs
        for x, y, width, height in [(0, 0, 60, 12), (5, 2, 9, 6), (0, 6, 1, 6), (24, 4, 30, 3)]:
            painted: dict[int, list[tuple[str, str]]] = {}
            for at, line, strip in compositor.paint(Region(x, y, width, height)):
                assert at == x + len(painted.setdefault(line, []))
                painted[line] += _cells(strip)
            assert painted == {n: theirs[n][x : x + width] for n in range(y, y + height)}

    show(flow)


def _cells(strip: Strip) -> list[tuple[str, str]]:
    """Each character of a line of narrow ones, and how it is drawn."""
    return [(character, str(style)) for text, style, _ in strip for character in text]
