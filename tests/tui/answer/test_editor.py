"""The text field of the answer: what is drawn, typed and marked, of texts of any size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator

import pytest
from textual.events import Paste
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.style import Style as VisualStyle
from textual.widgets import TextArea

from tests.tui.hosting import Host, host
from tests.tui.steady import press, resize
from workbench.tui.answer.editor import (
    MOST_CHARACTERS,
    MOST_IN_A_LINE,
    SHOWN_CHARACTERS,
    Editor,
)
from workbench.tui.answer.marks import Mark
from workbench.tui.answer.stand_ins import STAND_INS
from workbench.tui.widgets.styles import JSON_KEY, JSON_STRING

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


def on_ground(editor: Editor, row: int, part: str) -> str:
    """The characters of a row that are drawn on the ground of a part (``cursor``) of the field."""
    style = editor.get_component_rich_style(f"text-area--{part}")
    segments = [s for s in editor.render_line(row) if s.style]
    return "".join(s.text for s in segments if s.style and s.style.bgcolor == style.bgcolor)


def test_typing_draws_the_text_and_the_cursor(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.cursor_blink = False
        await press(pilot, "h", "i", "enter", "x", "left")
        assert lines(app)[:2] == ["hi", "x"]
        assert editor.text == "hi\nx"
        assert on_ground(editor, 1, "cursor") == "x"
        await press(pilot, "right")
        assert on_ground(editor, 1, "cursor") == " "
        assert on_ground(editor, 0, "cursor") == ""

    host(editor, flow, (WIDTH, HEIGHT))


def test_every_character_keeps_its_column(editor: Editor) -> None:
    text = "a\tb\x1b[31m\u2028\x85c漢字\r"

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(text)
        await pilot.pause()
        assert lines(app)[0] == "a   b␛[31m¤¤c漢字␍"
        editor.move_cursor((0, text.index("c")))
        await press(pilot, "X", "backspace")
        assert editor.whole_text == text
        assert editor.cursor_screen_offset == Offset(len("a   b␛[31m¤¤"), 0)

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
        await press(pilot, "down", "down", "end", "X")
        assert editor.text[54:].startswith("lorem ipsum dolor sit ametX lorem")
        await pilot.click(editor, (6, 1))
        assert editor.cursor_location == (0, 27 + 6)

    host(editor, flow, (WIDTH, HEIGHT))


def test_what_is_selected_is_drawn_so(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("one\n\nthree")
        editor.move_cursor((0, 1))
        await press(pilot, "shift+down", "shift+down", "shift+right")
        assert on_ground(editor, 0, "selection") == "ne"
        assert lines(app)[1] == "▌"  # an empty line is selected, too
        assert on_ground(editor, 2, "selection").startswith("t")
        assert editor.selected_text == "ne\n\nth"

    host(editor, flow, (WIDTH, HEIGHT))


HOLES = """{
 "city": ‹The city›,
 "unit": ‹c | f›,
 "days": ‹integer›,
 "tags": [‹text›]
}"""
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The city"},
        "unit": {"enum": ["c", "f"]},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city", "unit", "days", "tags"],
}


def filling(editor: Editor, flow: Callable[[Pilot[None]], Awaitable[None]]) -> None:
    """Run ``flow`` in ``HOLES``, the first of which is selected."""

    async def run(_: Host, pilot: Pilot[None]) -> None:
        editor.is_json = True
        editor.holes.set_schema(SCHEMA)
        editor.set_text(HOLES)
        assert editor.holes.go_to(1, enters=True)
        assert editor.selected_text == "‹The city›"
        await flow(pilot)

    host(editor, run, (54, HEIGHT))


def test_typing_replaces_a_hole_and_puts_quotes_around_a_text(editor: Editor) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        await press(pilot, *"Ulm")
        assert editor.holes.go_to(1)
        assert editor.selected_text == "‹c | f›"
        assert editor.holes.go_to(1)
        await press(pilot, *"14")
        assert editor.holes.go_to(1)
        await press(pilot, "quotation_mark", *"a", "quotation_mark", "comma")  # typed as in JSON
        assert editor.text == (
            '{\n "city": "Ulm",\n "unit": ‹c | f›,\n "days": 14,\n "tags": ["a",]\n}'
        )
        assert not editor.holes.go_to(1)
        assert editor.holes.go_to(-1)
        assert editor.selected_text == "‹c | f›"

    filling(editor, flow)


@pytest.mark.parametrize("key", ["backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k"])
def test_an_edit_of_a_part_of_a_hole_is_one_of_all_of_it(editor: Editor, key: str) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        editor.move_cursor((4, 12))
        await press(pilot, key)
        assert "text›" not in editor.text
        assert "‹text" not in editor.text

    filling(editor, flow)


def test_typing_inside_a_hole_replaces_it(editor: Editor) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        editor.move_cursor((1, 13))
        await press(pilot, "x")
        assert ' "city": "x",' in editor.text
        editor.move_cursor((3, 12))
        await press(pilot, "7")
        assert ' "days": 7,' in editor.text
        # Beside a hole nothing of it is replaced.
        editor.move_cursor((4, 10))
        await press(pilot, "1")
        assert "[1‹text›]" in editor.text

    filling(editor, flow)


def test_typing_replaces_all_that_is_selected(editor: Editor) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        editor.select_all()
        await press(pilot, "x")
        assert editor.text == "x"

    filling(editor, flow)


@pytest.mark.parametrize(
    ("pasted", "city"),
    [
        ("Ulm", '"Ulm"'),
        ('a "b"\nc\n', r'"a \"b\"\nc"'),
        ('"Ulm"', '"Ulm"'),
        ("12", '"12"'),
    ],
)
def test_what_is_pasted_over_a_hole_for_a_text_is_a_string(
    editor: Editor, pasted: str, city: str
) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        editor.post_message(Paste(pasted))
        await pilot.pause()
        assert editor.text == HOLES.replace("‹The city›", city)
        editor.holes.go_to(1)
        editor.holes.go_to(1)
        editor.post_message(Paste("3"))
        await pilot.pause()
        assert ' "days": 3,' in editor.text

    filling(editor, flow)


def test_an_object_that_is_pasted_over_a_hole_for_a_text_is_the_whole_answer(
    editor: Editor,
) -> None:
    async def flow(pilot: Pilot[None]) -> None:
        editor.post_message(Paste('{"city": "Ulm"}'))
        await pilot.pause()
        assert editor.text == '{"city": "Ulm"}'

    filling(editor, flow)


def test_marks_are_underlined_and_said_behind_their_line(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text('{\n  "days": "two"\n}')
        await pilot.pause()
        editor.set_marks([Mark((1, 10), (1, 15), "must be an [b]integer", "red")])
        await pilot.pause()
        assert lines(app)[1] == '  "days": "two"   × must be a…'
        assert styled(editor, 1, "underline") == '"two"'
        editor.set_marks([])
        await pilot.pause()
        assert lines(app)[1] == '  "days": "two"'
        assert styled(editor, 1, "underline") == ""

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
        assert coloured(editor, 2, JSON_KEY) == ['"days"', '"unit"']
        editor.move_cursor(editor.document.end)
        await press(pilot, "quotation_mark")
        assert coloured(editor, 2, JSON_STRING) == ['"']

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
        await press(pilot, "enter", "j")
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

    host(editor, flow, (WIDTH, HEIGHT))


def test_it_has_no_undo_of_its_own(editor: Editor) -> None:
    async def flow(_: Host, pilot: Pilot[None]) -> None:
        await press(pilot, "a", "ctrl+z", "super+z", "ctrl+y", "super+y")
        assert editor.text == "a"

    host(editor, flow, (WIDTH, HEIGHT))


TOO_MUCH = {
    "Over 1,000,000 characters": "a line\n" * (MOST_CHARACTERS // 7 + 1),
    "A line of over 50,000 characters": "short\n" + "x" * (MOST_IN_A_LINE + 1),
    "Characters of private use (U+10F000 on)": "as is: " + STAND_INS[3],
}


@pytest.mark.parametrize(("obstacle", "text"), TOO_MUCH.items(), ids=TOO_MUCH)
def test_of_what_is_too_much_the_beginning_is_shown_and_nothing_typed(
    editor: Editor, obstacle: str, text: str
) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(text)
        await press(pilot, "y")
        app.post_message(Paste("pasted"))
        await pilot.pause()
        assert (editor.obstacle, editor.whole_text) == (obstacle, text)
        assert 0 < len(editor.text) <= SHOWN_CHARACTERS
        assert lines(app)[0] == text.split("\n")[0].replace(STAND_INS[3], "␃")
        assert not changes(app)
        editor.replace_text(text + "z")
        await pilot.pause()
        assert editor.whole_text == text + "z"
        assert len(changes(app)) == 1
        editor.set_text("short")
        await press(pilot, "y")
        assert (editor.obstacle, editor.whole_text) == ("", "yshort")

    host(editor, flow, (WIDTH, HEIGHT))


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_would_be_too_much_is_not_pasted(editor: Editor, text: str) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("here")
        app.post_message(Paste(text))
        await pilot.pause()
        assert editor.whole_text == "here"
        assert app.status.startswith("Not pasted: ")
        assert app.status.endswith(". ^o edits this in $EDITOR.")

    host(editor, flow, (WIDTH, HEIGHT))


ODD = "a\x00\x0b\x0c\x1b\x1c\x85\u200b\u2028b\rc\U000e0041 d"


def test_odd_characters_are_copied_and_pasted_as_they_are(editor: Editor) -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(ODD)
        editor.select_all()
        await press(pilot, "ctrl+c")
        assert app.clipboard == ODD
        editor.select_all()
        await press(pilot, "ctrl+x")
        assert (app.clipboard, editor.whole_text) == (ODD, "")
        app.copy_to_clipboard("\x85 and \u2029")
        await press(pilot, "ctrl+v")
        assert editor.whole_text == "\x85 and \u2029"
        assert editor.document.line_count == 1
        assert editor.cursor_location == (0, 7)
        app.post_message(Paste("\u2028!"))
        await pilot.pause()
        assert editor.whole_text == "\x85 and \u2029\u2028!"

    host(editor, flow, (WIDTH, HEIGHT))


def test_a_text_keeps_its_line_ends(editor: Editor) -> None:
    async def flow(_app: Host, pilot: Pilot[None]) -> None:
        editor.set_text("a\r\nb\r\n")
        await press(pilot, "x", "enter")
        assert editor.whole_text == "x\r\na\r\nb\r\n"
        editor.replace_text("a\nb\n")
        assert editor.whole_text == "a\nb\n"
        editor.replace_text("a\r\nb\n")
        assert editor.whole_text == "a\r\nb\n"
        assert editor.is_edited

    host(editor, flow, (WIDTH, HEIGHT))


LARGE = "  some line\n" * 10_000


def test_a_key_looks_at_the_rows_in_view_only(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    draw = Editor.render_line

    def render_line(self: Editor, y: int) -> object:
        drawn.append(y)
        return draw(self, y)

    monkeypatch.setattr(Editor, "render_line", render_line)

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(LARGE)
        await pilot.pause()
        drawn.clear()
        await press(pilot, "q")
        assert editor.text == "q" + LARGE
        assert 0 < len(drawn) <= 4 * HEIGHT
        assert lines(app)[0].startswith("q")

    host(editor, flow, (WIDTH, HEIGHT))


def test_a_further_line_wraps_no_other_line(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def flow(_app: Host, pilot: Pilot[None]) -> None:
        editor.set_text(LARGE)
        wrapped: list[int] = []
        wrap = editor.wrapped_document.wrap

        def noted(width: int, tab_width: int | None = None) -> None:
            wrapped.append(width)
            wrap(width, tab_width)

        monkeypatch.setattr(editor.wrapped_document, "wrap", noted)
        while editor.size.width == WIDTH:  # until the screen has its scroll bar
            await press(pilot, "enter")
        while wrapped[-1:] != [editor.wrap_width]:  # and the lines are wrapped beside it
            await pilot.pause(0.01)
        wrapped.clear()
        height = editor.size.height
        await press(pilot, "q", "enter")
        assert editor.size.height == height + 1
        assert not wrapped

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
            await resize(pilot, width, HEIGHT)
            assert " ".join(shown(app)) == "to be or not to be"

    host(editor, flow, (WIDTH, HEIGHT))
