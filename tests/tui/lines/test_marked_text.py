"""What is copied of lines that the mouse marks: the text that they stand for."""

from __future__ import annotations

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from tests.cases import each_case
from tests.tui.hosting import Host, host
from workbench.tui.lines.line_layout import TextLine
from workbench.tui.lines.line_view import LineView
from workbench.tui.lines.marked_text import Marked, marked_text
from workbench.tui.lines.text_lines import byte_lines, indented
from workbench.tui.widgets.inert import inert

CODE = "def f():\n    return 1\n"
ODD = "a\tb\x1b[1m\u202ec"


def whole(text: str, start: int = 0, end: int | None = None) -> str:
    """What is copied of all lines of a text, which is drawn with a margin."""
    lines = list(indented(text, 4))
    places = [(0, len(line.plain)) for line in lines]
    places[0] = (start, places[0][1])
    if end is not None:
        places[-1] = (places[-1][0], end)
    return marked_text(Marked(line, *at) for line, at in zip(lines, places, strict=True))


@each_case(
    "copied, wanted",
    [
        (whole("one\ntwo"), "one\ntwo"),
        (whole(CODE), CODE),
        (whole(CODE, start=4), CODE),
        (whole(CODE, start=8), CODE[4:]),
        (whole(ODD), ODD),
        (whole("x\n" + ODD), "x\n" + ODD),
        # An escape that is cut is copied as it is drawn.
        (whole("\x1bx", end=6), "\\x"),
        (whole(""), ""),
        (marked_text([]), ""),
    ],
)
def test_the_text_without_margin_and_escapes(copied: str, wanted: str) -> None:
    assert copied == wanted


def test_bytes_are_copied_as_what_they_are() -> None:
    data = "12 °C\r\n".encode()
    lines = list(byte_lines(data, 60, inert("")))
    assert marked_text(Marked(line, 0, len(line.plain)) for line in lines) == "12 °C\r\n"


def test_a_wrapped_line_is_copied_as_one_and_out_of_view_nothing_is() -> None:
    view = LineView()

    async def flow(_: Host, pilot: Pilot[None]) -> None:
        view.show([*indented("one two three four five six seven", 2), *map(TextLine, "abcdefgh")])
        await pilot.pause()
        assert view.line_at(1) == 0, "it is wrapped"
        marked = view.get_selection(Selection(Offset(2, 0), Offset(7, 1)))
        assert marked == ("one two three four ", "\n")
        text = view.get_selection(Selection(Offset(0, 2), None))
        assert text is not None
        assert text[0].endswith("d"), "the last in view"
        await pilot.mouse_down(view, offset=(2, 0))
        await pilot.hover(view, offset=(4, 0))
        await pilot.mouse_up(view, offset=(4, 0))
        assert view.screen.get_selected_text() == "one"
        view.show([*indented("one and another", 2)])
        assert view.screen.get_selected_text() == "one", "it is there still"
        view.show([*indented("another", 2)])
        assert not view.screen.get_selected_text()

    host(view, flow, (20, 8))
