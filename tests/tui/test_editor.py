"""The text field of the answer: what is drawn, typed and marked, of texts of any size."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.style import Style
from textual.events import Paste
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.style import Style as VisualStyle
from textual.widgets import TextArea

from tests.tui.hosting import Host, host
from workbench.tui.editor import SHOWN_LIMIT, Editor, Mark
from workbench.tui.styles import JSON_KEY, JSON_LITERAL, JSON_NUMBER, JSON_STRING

WIDTH, HEIGHT = 30, 8


@pytest.fixture
def editor() -> Editor:
    return Editor()


def lines(app: Host) -> list[str]:
    return [line.rstrip() for line in app.text().split("\n")]


def styled(editor: Editor, row: int, attribute: str) -> str:
    """The characters of a row that are drawn in a way."""
    segments = [s for s in editor.render_line(row) if s.style]
    return "".join(s.text for s in segments if getattr(s.style, attribute))


def on_ground(editor: Editor, row: int, style: Style | None) -> str:
    """The characters of a row that are drawn on the ground of ``style``."""
    assert style is not None
    segments = [s for s in editor.render_line(row) if s.style]
    return "".join(s.text for s in segments if s.style and s.style.bgcolor == style.bgcolor)


def test_typing_draws_the_text_and_the_cursor(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.cursor_blink = False
        await pilot.press("h", "i", "enter", "x", "left")
        await pilot.pause()
        assert lines(app)[:2] == ["hi", "x"]
        assert editor.text == "hi\nx"
        assert on_ground(editor, 1, editor._theme.cursor_style) == "x"
        await pilot.press("right")
        assert on_ground(editor, 1, editor._theme.cursor_style) == " "
        assert on_ground(editor, 0, editor._theme.cursor_style) == ""

    host(editor, flow, (WIDTH, HEIGHT))


def test_every_character_keeps_its_column(editor: Editor) -> None:
    text = "a\tb\x1b[31m\u2028\x85c漢字\r"

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(text)
        await pilot.pause()
        assert lines(app)[0] == "a    b␛[31m¤¤c漢字␍"
        editor.move_cursor((0, text.index("c")))
        await pilot.press("X", "ctrl+z")
        await pilot.pause()
        assert editor.text == text
        assert editor.cursor_screen_offset == Offset(len("a    b␛[31m¤¤"), 0)

    host(editor, flow, (WIDTH, HEIGHT))


def test_a_long_line_goes_on_in_further_rows(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("lorem ipsum dolor sit amet " * 4)
        await pilot.pause()
        assert lines(app)[:4] == [
            "lorem ipsum dolor sit amet",
            "lorem ipsum dolor sit amet",
            "lorem ipsum dolor sit amet",
            "lorem ipsum dolor sit amet",
        ]
        editor.move_cursor((0, 0))
        await pilot.press("down", "down", "end", "X")
        assert editor.text[54:].startswith("lorem ipsum dolor sit ametX lorem")
        await pilot.click(editor, (6, 1))
        assert editor.cursor_location == (0, 27 + 6)

    host(editor, flow, (WIDTH, HEIGHT))


def test_what_is_selected_is_drawn_so(editor: Editor) -> None:
    async def flow(_app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("one\n\nthree")
        editor.move_cursor((0, 1))
        await pilot.press("shift+down", "shift+down", "shift+right")
        await pilot.pause()
        selected = [on_ground(editor, row, editor._theme.selection_style) for row in range(3)]
        assert selected[:2] == ["ne", " "]
        assert selected[2].startswith("t")
        assert editor.selected_text == "ne\n\nth"

    host(editor, flow, (WIDTH, HEIGHT))


def test_marks_are_underlined_and_said_behind_their_line(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text('{\n  "days": "two"\n}')
        editor.set_marks([Mark((1, 10), (1, 15), "must be an [b]integer", "red")])
        await pilot.pause()
        assert lines(app)[1] == '  "days": "two"   × must be a…'
        assert styled(editor, 1, "underline") == '"two"'
        editor.set_marks([])
        await pilot.pause()
        assert lines(app)[1] == '  "days": "two"'

    host(editor, flow, (WIDTH, HEIGHT))


def test_numbers_stand_before_the_first_row_of_a_line() -> None:
    editor = Editor(numbered=True)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("a\n" + "long " * 8 + "\nb")
        await pilot.pause()
        rows = ["1  a", "2  long long long long long", "   long long long", "3  b"]
        assert lines(app)[:4] == rows

    host(editor, flow, (WIDTH, HEIGHT))


def coloured(editor: Editor, row: int, style: str) -> list[str]:
    """The parts of a row that are drawn in the colour of a style."""
    wanted = (editor.visual_style + VisualStyle.parse(style)).rich_style.color
    segments = [s for s in editor.render_line(row) if s.style]
    return [s.text for s in segments if s.style and s.style.color == wanted]


def test_json_is_drawn_in_its_colours_row_by_row() -> None:
    editor = Editor(numbered=True)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        app.theme = "nord"  # in which each kind has a colour of its own
        editor.set_text('{"city": "London and all that is round it",\n "days": 2, "unit": tru')
        await pilot.pause()
        assert coloured(editor, 0, JSON_KEY) == ['"city"']
        assert coloured(editor, 0, JSON_STRING) == ['"London and all ']
        assert coloured(editor, 1, JSON_STRING) == ['that is round it"']
        assert coloured(editor, 2, JSON_NUMBER) == ["2"]
        assert coloured(editor, 2, JSON_LITERAL) == []
        editor.move_cursor(editor.document.end)
        await pilot.press("e")
        assert coloured(editor, 2, JSON_LITERAL) == ["true"]

    host(editor, flow, (WIDTH, HEIGHT))


def test_text_that_is_no_json_has_no_colours(editor: Editor) -> None:
    async def flow(_app: Host, pilot: Pilot[None]) -> None:
        editor.set_text('It said "2"')
        await pilot.pause()
        assert coloured(editor, 0, JSON_STRING) == []
        editor.is_json = True
        assert coloured(editor, 0, JSON_STRING) == ['"2"']

    host(editor, flow, (WIDTH, HEIGHT))


def test_the_colours_are_those_of_the_theme() -> None:
    editor = Editor(numbered=True)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text('{"a": "b"}')
        await pilot.pause()
        before = editor.render_line(0)
        app.theme = "textual-light"
        await pilot.pause()
        assert coloured(editor, 0, JSON_STRING) == ['"b"']
        assert editor.render_line(0) != before

    host(editor, flow, (WIDTH, HEIGHT))


def test_rows_are_drawn_anew_where_the_numbers_need_more_room() -> None:
    editor = Editor(numbered=True)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("\n".join("abcdefghi"))
        editor.move_cursor(editor.document.end)
        await pilot.pause()
        assert lines(app)[0] == "1  a"
        await pilot.press("enter", "j")
        await pilot.pause()
        assert [line for line in lines(app) if line][:10] == [
            *(f" {number}  {letter}" for number, letter in enumerate("abcdefghi", start=1)),
            "10  j",
        ]

    host(editor, flow, (WIDTH, 14))


def test_pasted_line_ends_are_line_ends(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        app.post_message(Paste("a\rb\r\nc\nd"))
        await pilot.pause()
        assert editor.text == "a\nb\nc\nd"

    host(editor, flow, (WIDTH, HEIGHT))


def changes(app: Host) -> list[TextArea.Changed]:
    return app.of(TextArea.Changed)


def test_showing_a_text_is_no_edit(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("one")
        await pilot.pause()
        assert not changes(app)
        editor.replace_text("two")
        await pilot.pause()
        assert len(changes(app)) == 1
        await pilot.press("ctrl+z")
        assert editor.text == "one"

    host(editor, flow, (WIDTH, HEIGHT))


def test_of_a_very_long_text_the_beginning_is_shown_and_nothing_typed(editor: Editor) -> None:
    text = "x" * (SHOWN_LIMIT + 5)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(text)
        await pilot.press("y")
        assert (editor.is_cut, editor.whole_text) == (True, text)
        assert len(editor.text) == SHOWN_LIMIT
        assert not changes(app)
        editor.replace_text(text + "z")
        await pilot.pause()
        assert editor.whole_text == text + "z"
        assert len(changes(app)) == 1
        editor.set_text("short")
        await pilot.press("y")
        assert (editor.is_cut, editor.whole_text) == (False, "yshort")

    host(editor, flow, (WIDTH, HEIGHT))


LARGE = {
    "one line": "lorem ipsum dolor " * 50_000,
    "one word": "x" * 900_000,
    "many lines": '  "some": "line",\n' * 50_000,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE)
def test_a_key_looks_at_the_rows_in_view_only(
    editor: Editor, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    draw = Editor.render_line

    def render_line(self: Editor, y: int) -> object:
        drawn.append(y)
        return draw(self, y)

    monkeypatch.setattr(Editor, "render_line", render_line)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(text)
        await pilot.pause()
        drawn.clear()
        await pilot.press("q")
        await pilot.pause()
        assert editor.text == "q" + text
        assert 0 < len(drawn) <= 4 * HEIGHT
        assert lines(app)[0].startswith("q")

    host(editor, flow, (WIDTH, HEIGHT))


def test_a_bracket_shows_its_partner(editor: Editor) -> None:
    async def flow(_app: Host, pilot: Pilot[None]) -> None:
        editor.set_text('{"a": [1]}')
        editor.move_cursor((0, 6))
        await pilot.pause()
        assert editor.matching_bracket_location == (0, 8)

    host(editor, flow, (WIDTH, HEIGHT))


def test_text_in_every_width_is_whole(editor: Editor) -> None:
    def shown(app: Host) -> Iterator[str]:
        return (line for line in lines(app) if line)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("to be or not to be")
        for width in (30, 12, 7, 40):
            await pilot.resize_terminal(width, HEIGHT)
            await pilot.pause()
            assert " ".join(shown(app)) == "to be or not to be"

    host(editor, flow, (WIDTH, HEIGHT))
