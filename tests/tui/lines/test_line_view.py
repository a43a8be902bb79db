"""The view of lines: laid out as far as it is looked at, and further between keys."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content
from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.line_view import LineView

COUNT = 60_000


def many() -> Iterator[Line]:
    return (TextLine(f"line {number} of many") for number in range(COUNT))


def test_the_end_is_reached_however_little_was_laid_out() -> None:
    view = LineView()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        view.show(many())
        assert len(view.lines) < COUNT
        view.scroll_relative(y=100_000_000, animate=False)
        await pilot.pause()
        assert f"line {COUNT - 1} of many" in app.text()
        assert len(view.lines) == COUNT
        view.show(many(), keep_place=True)
        await pilot.pause()
        assert f"line {COUNT - 1} of many" in app.text()
        view.show(many())
        await pilot.pause()
        assert view.top_line == 0

    host(view, flow)


def test_the_rest_is_laid_out_while_nothing_else_is_done() -> None:
    view = LineView()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        view.show(many())
        seen = set()
        while len(view.lines) < COUNT:
            seen.add(len(view.lines))
            await pilot.pause(0.01)
        assert len(seen) > 2
        view.scroll_to_line(COUNT // 2)
        await pilot.pause()
        assert view.top_line == COUNT // 2
        assert view.line_at(3) == COUNT // 2 + 3
        assert view.is_in_view(COUNT // 2)
        assert not view.is_in_view(0)

    host(view, flow)


def test_a_view_of_one_column_has_room_for_text_or_a_scroll_bar() -> None:
    view = LineView()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        view.show([TextLine("word " * 10)])
        await pilot.pause()
        assert view.show_vertical_scrollbar
        view.show([TextLine("ab")])
        await pilot.pause()
        assert not view.show_vertical_scrollbar

    host(view, flow, (1, 4))


def test_a_line_of_one_row_is_cut_not_wrapped() -> None:
    view = LineView()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        view.show([OneRow(Content("word " * 40)), Content("word " * 20), TextLine("the last")])
        await pilot.pause()
        rows = [row.rstrip() for row in app.text().split("\n")]
        assert rows[0].endswith("…")
        assert rows.index("the last") == 3
        assert view.line_at(0) == 0
        assert view.line_at(2) == 1
        assert view.line_at(9) is None

    host(view, flow, (60, 12))


def test_the_scroll_bar_hides_nothing() -> None:
    view = LineView()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        view.show([Content("x" * 29 + "!")] * 5)
        await pilot.pause()
        rows = [row[:29].rstrip() for row in app.text().split("\n")]
        assert rows[:4] == ["x" * 29, "!", "x" * 29, "!"]
        view.show([Content("x" * 29 + "!")] * 2)  # without a scroll bar
        await pilot.pause()
        assert app.text().split("\n")[:2] == ["x" * 29 + "!"] * 2

    host(view, flow, (30, 5))
