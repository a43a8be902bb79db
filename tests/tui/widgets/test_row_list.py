"""The list: the selection sits on its key and its line, and only what changed is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
from textual.binding import Binding
from textual.color import Color
from textual.content import Content
from textual.dom import DOMNode
from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from tests.tui.steady import press, resize
from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.tui.dialogs.questions import ExportPicker
from workbench.tui.misses.miss_list import MissList
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.columns import Column, row_line, widths
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.search_line import SearchField


def query_of(keys: Iterable[str]) -> ListQuery[str]:
    """A list of its own keys."""
    language = FilterLanguage[str](lambda word: lambda item: word in item)
    query = ListQuery({key: key for key in keys}, language, [Order("as given")])
    query.refresh()
    return query


class Rows(RowList[str]):
    """A list of its keys that counts what it draws."""

    TITLE = "Rows"

    def __init__(self) -> None:
        super().__init__(query_of([]), [Column("the rows", lambda key: Content(f"row {key}"))])
        self.waiting_text = [Content("nothing here")]
        self.styles.height = 8
        self.drawn: list[str] = []

    def row(self, key: str, width: int) -> Content:
        self.drawn.append(key)
        return super().row(key, width)

    def set_keys(self, keys: Iterable[str]) -> None:
        items = {key: key for key in keys}
        self.change_rows(lambda: self.list_query.set_items(items))


class Headed(Rows):
    """A list whose column has a title."""

    HEAD_HEIGHT = 1


class Waiting(Rows):
    """A list whose first rows may stand in a block below a line of their own."""

    HEAD_HEIGHT = 1

    def __init__(self) -> None:
        super().__init__()
        self.first: list[str] = []
        language = FilterLanguage[str](lambda word: lambda item: word in item)
        orders = [Order[str]("as given")]
        self.list_query = ListQuery({}, language, orders, first=lambda: self.first)

    def block_heading(self) -> Content:
        return Content(f"Waiting {len(self.list_query.block)}")

    def wait(self, *keys: str) -> None:
        changed = {*self.first, *keys}
        self.first = list(keys)
        self.change_rows(lambda: self.list_query.update(changed), changed)


class Coloured(Rows):
    """A list of rows that have a colour."""

    def row(self, key: str, width: int) -> Content:
        return super().row(key, width).stylize("#ff0000")


def numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def selected(app: Host) -> list[str | None]:
    """The rows that were selected, in order."""
    return [m.key for m in app.of(RowList.Highlighted)]


async def refreshed(rows: Rows) -> None:
    """Wait until everything that changed is drawn."""
    drawn = asyncio.Event()
    rows.call_after_refresh(drawn.set)
    await drawn.wait()


def test_keys_move_the_selection_and_draw_two_rows_of_a_hundred_thousand() -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(100_000))
        await pilot.pause()
        assert rows.cursor == "0"
        for key, at in (("down", "1"), ("j", "2"), ("up", "1"), ("k", "0"), ("k", "0")):
            await refreshed(rows)
            rows.drawn.clear()
            await press(pilot, key)
            await refreshed(rows)
            assert rows.cursor == at
            assert set(rows.drawn) <= {"0", "1", "2"}
            assert len(rows.drawn) <= 2
        for key, at in (
            ("pagedown", "7"),
            ("space", "14"),
            ("pageup", "7"),
            ("end", "99999"),
            ("G", "99999"),
            ("home", "0"),
        ):
            await press(pilot, key)
            assert rows.cursor == at
            assert f"> row {at} " in app.text()
        assert "99,992 more below" in app.text()
        await press(pilot, "enter")
        assert [m.key for m in app.of(RowList.Chosen)] == ["0"]

    host(rows, flow)


def test_scrolling_by_a_line_draws_the_new_row_and_those_whose_mark_moved() -> None:
    rows = Rows()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(30))
        await press(pilot, "g", *["j"] * rows.lines.height)
        await refreshed(rows)
        place = rows.cursor_place
        assert rows.top > 0
        rows.drawn.clear()
        await press(pilot, "j")
        await refreshed(rows)
        assert sorted(rows.drawn) == sorted([str(place), str(place + 1)])
        # What changed while it was out of view is drawn as it is now.
        await press(pilot, "end")
        rows.drawn.clear()
        rows.refresh_rows({"0"})
        await press(pilot, "home")
        await refreshed(rows)
        assert "0" in rows.drawn

    host(rows, flow)


def test_the_names_of_columns_stay_where_rows_scroll() -> None:
    rows = Headed()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(50))
        await press(pilot, "end")
        lines = app.text().split("\n")
        assert lines[1][1:].startswith("  the rows")
        first = rows.rows_in_view[0]
        assert lines[2][1:].startswith(f"  row {first} ")
        await pilot.click(rows, offset=(5, 1))
        assert rows.cursor == first
        rows.set_keys([])
        await pilot.pause()
        assert "the rows" not in app.text()

    host(rows, flow)


def shown(app: Host) -> list[str]:
    """The rows and the line above the block as they are on the screen."""
    return [line[1:].strip(" ┃│▁▂▃▄▅▆▇") for line in app.text().split("\n")[2:8]]


def test_the_line_above_the_block_scrolls_and_is_no_row() -> None:
    rows = Waiting()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(30))
        rows.wait("20", "25")
        await pilot.pause()
        assert shown(app)[:4] == ["Waiting 2", "> row 20", "row 25", "row 0"]
        assert "[1/30]" in app.text()
        await press(pilot, "up")
        assert rows.cursor == "20"
        await pilot.click(rows, offset=(5, 1))
        assert rows.cursor == "20", "the line is no row"
        await pilot.click(rows, offset=(5, 3))
        assert rows.cursor == "25"
        await press(pilot, "pagedown", "pagedown")
        assert rows.cursor == "11"
        assert "Waiting" not in app.text()
        await press(pilot, "home")
        assert shown(app)[:2] == ["Waiting 2", "> row 20"]
        await press(pilot, "end")
        assert rows.cursor == "29"
        assert "more below" not in app.text()
        await press(pilot, "g", "j", "j")
        rows.drawn.clear()
        rows.refresh_rows({"25", "0", "1"})
        await refreshed(rows)
        assert rows.drawn == ["25", "0", "1"]

    host(rows, flow)


def test_a_block_comes_into_view_for_who_is_in_the_list_and_moves_nothing_for_others() -> None:
    rows = Waiting()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(30))
        await press(pilot, "down")
        rows.wait("20")
        await pilot.pause()
        assert shown(app)[:4] == ["Waiting 1", "row 20", "row 0", "> row 1"]
        rows.wait()
        await pilot.pause()
        assert shown(app)[:2] == ["row 0", "> row 1"]
        app.query_one("#other").focus()
        await pilot.pause()
        before = shown(app)
        rows.wait("20", "25")
        await pilot.pause()
        assert shown(app) == before
        assert rows.cursor == "1"

    host(rows, flow)


def test_the_selected_row_has_its_colours_while_something_else_has_the_focus() -> None:
    rows = Coloured()
    red = Color.parse("#ff0000").rich_color

    def coloured() -> list[bool]:
        strips = [rows.render_line(line) for line in range(2)]
        return [any(s.style and s.style.color == red for s in strip) for strip in strips]

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(2))
        await pilot.pause()
        assert coloured() == [False, True]
        app.query_one("#other").focus()
        await pilot.pause()
        assert coloured() == [True, True]

    host(rows, flow)


def test_the_selection_keeps_its_key_and_its_line() -> None:
    rows = Rows()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(50))
        rows.select("20")
        await pilot.pause()
        line = 20 - rows.top
        rows.set_keys(["new", *numbers(50)])
        await pilot.pause()
        assert rows.cursor == "20"
        assert rows.cursor_place - rows.top == 21 - rows.top == line
        rows.set_keys(numbers(50)[10:])
        assert rows.cursor == "20"
        assert rows.cursor_place - rows.top == line
        rows.set_keys(numbers(30)[18:])
        assert rows.cursor_place == 2
        assert rows.top == 0

    host(rows, flow)


def test_what_is_read_stays_where_the_selection_is_out_of_view() -> None:
    rows = Rows()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(50))
        await pilot.pause()
        rows.scroll_to_row(30)
        await pilot.pause()
        rows.set_keys(["new", *numbers(50)])
        await pilot.pause()
        assert rows.cursor == "0"
        assert rows.rows_in_view[0] == "30"

    host(rows, flow)


def test_a_row_that_is_gone_leaves_the_selection_to_the_one_in_its_place() -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(5))
        rows.select("2")
        rows.set_keys(["0", "1", "3", "4"])
        assert rows.cursor == "3"
        rows.select("4")
        rows.set_keys(["0", "1"])
        assert rows.cursor == "1"
        rows.set_keys([])
        await pilot.pause()
        assert "nothing here" in app.text()
        rows.waiting_text = [Content(""), *map(Content, "abcdefgh")]
        rows.refresh_all()
        await refreshed(rows)
        assert "┃h" in app.text().split(), "without blank lines they fit"
        rows.set_keys(["9"])
        await pilot.pause()
        assert rows.cursor == "9"
        assert "nothing here" not in app.text()
        assert selected(app) == ["0", "2", "3", "4", "1", None, "9"]

    host(rows, flow)


def test_only_rows_in_view_that_changed_are_drawn() -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        items = {key: key for key in numbers(50)}
        rows.change_rows(lambda: rows.list_query.set_items(items))
        await pilot.pause()
        rows.drawn.clear()
        items |= {key: key for key in numbers(350)}
        changed = {"3", "49", "60"}
        rows.change_rows(lambda: rows.list_query.update(changed), changed)
        await pilot.pause()
        assert rows.drawn == ["3"]
        assert "342 more below" in app.text()
        rows.drawn.clear()
        rows.refresh_rows({"5", "100"})
        await pilot.pause()
        assert rows.drawn == ["5"]

    host(rows, flow)


def test_the_mouse_selects_and_chooses() -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(50))
        rows.scroll_to_row(10)
        await pilot.pause()
        await pilot.click(rows, offset=(5, 2))
        assert rows.cursor == "12"
        assert app.of(RowList.Chosen) == []
        await pilot.click(rows, offset=(5, 3), times=2)
        assert rows.cursor == "13"
        assert len(app.of(RowList.Chosen)) == 1

    host(rows, flow)


def test_the_selection_stays_in_view_when_the_terminal_shrinks() -> None:
    rows = Rows()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.styles.height = "1fr"
        rows.set_keys(numbers(50))
        await pilot.pause()
        rows.select("6")
        await resize(pilot, 30, 6)
        assert "> row 6 " in app.text()
        assert "[7/50]" in app.text()

    host(rows, flow)


def test_a_row_that_changed_below_a_low_list_is_drawn_anew_in_a_high_one() -> None:
    rows = Rows()
    texts: dict[str, str] = {}
    rows.columns = [Column("the rows", lambda key: Content(texts.get(key, f"row {key}")))]

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        rows.set_keys(numbers(20))
        await pilot.pause()
        assert "row 6" in app.text()
        rows.styles.height = 4
        await pilot.pause()
        texts["6"] = "another"
        rows.refresh_rows([key for key in rows.rows_in_view if key == "6"])
        rows.styles.height = 8
        await pilot.pause()
        assert "another" in app.text()
        assert "row 6" not in app.text()

    host(rows, flow)


@pytest.mark.parametrize("kind", [RowList, MissList, RequestPane, SearchField, ExportPicker])
def test_every_key_can_be_changed_and_is_explained(kind: type[DOMNode]) -> None:
    bindings = [b for b in kind.__dict__["BINDINGS"] if isinstance(b, Binding)]
    assert bindings
    for binding in bindings:
        assert binding.id, binding.key
        assert binding.tooltip, binding.key
    assert len({binding.id for binding in bindings}) == len(bindings)


# Columns


def cells_of(*texts: str | None) -> list[Content | None]:
    return [None if text is None else Content(text) for text in texts]


COLUMNS: list[Column[str]] = [
    Column("name", Content, share=2),
    Column("count", Content, 6, align="right", gap=2),
    Column("note", Content),
]


def test_columns_share_what_the_others_leave() -> None:
    assert widths(COLUMNS, 36) == [20, 6, 10]
    assert widths(COLUMNS, 7) == [0, 6, 1]
    assert widths(COLUMNS, 3) == [0, 6, 0]
    assert row_line(COLUMNS, cells_of("n", "12", "x"), 36).plain == f"{'n':20}  12  {'x':10}"
    assert row_line(COLUMNS, cells_of("n" * 30, "123456", "x"), 36).plain.startswith(
        f"{'n' * 18}… 123…  x"
    )
    assert row_line(COLUMNS, cells_of("n", "12", "x"), 3).cell_length == 3


def test_a_cell_takes_the_room_of_those_that_are_none() -> None:
    assert row_line(COLUMNS, cells_of("n", "twelve or more", None), 36).plain == (
        f"{'n':20}twelve or more  "
    )
    assert row_line(COLUMNS, cells_of("n" * 30, None, None), 36).plain == "n" * 30 + " " * 6


def test_what_an_empty_list_says_is_wrapped_below_its_beginning() -> None:
    rows = Rows()
    rows.is_read = True
    rows.waiting_text = [Content(""), Content("  Point your application at it, and run the suite:")]

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await resize(pilot, 30, 10)
        lines = [line.strip("┃").rstrip() for line in app.text().split("\n")]
        assert lines[2:5] == ["  Point your application at", "  it, and run the suite:", ""]

    host(rows, flow)
