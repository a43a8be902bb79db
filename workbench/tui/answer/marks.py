"""What is marked in the text of an editor: problems, and holes that are not filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.widgets.text_area import Location

from workbench.tui.answer.text_holes import TextHole
from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.styles import WARNING
from workbench.tui.widgets.tall_view import to_strip

# The style and the glyph of a hole that is open.
OPEN_HOLE: Final = (WARNING, "○")
# A note with less room than this says nothing.
LEAST_ROOM: Final = 8
# Between a line and its note, in characters.
GAP: Final = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a problem or an open hole is in the text of an editor: (line, column) from 0, both on
    the same line.
    """

    start: Location
    end: Location
    message: str
    style: str
    glyph: str = "×"


class EditorMarks:
    """The marks of a text by line; false where there are none."""

    def __init__(self) -> None:
        self._problems: dict[int, list[Mark]] = {}
        self._holes: dict[int, list[Mark]] = {}

    def __bool__(self) -> bool:
        return bool(self._problems or self._holes)

    def set_problems(self, marks: Iterable[Mark]) -> bool:
        """Replace the marks of problems; returns whether they changed."""
        before, self._problems = self._problems, _by_line(marks)
        return self._problems != before

    def set_holes(self, holes: Iterable[TextHole]) -> bool:
        """Replace the marks of holes; returns whether they changed."""
        before, self._holes = self._holes, _by_line(map(_hole_mark, holes))
        return self._holes != before

    def in_line(self, line: int) -> Sequence[Mark]:
        """All marks of a line: holes first, since problems are drawn over them."""
        return [*self._holes.get(line, ()), *self._problems.get(line, ())]

    def noted(self, line: int) -> Mark | None:
        """The mark whose message stands beside a line: its first problem, else its first hole."""
        marks = self._problems.get(line) or self._holes.get(line)
        return marks[0] if marks else None


def _by_line(marks: Iterable[Mark]) -> dict[int, list[Mark]]:
    by_line: dict[int, list[Mark]] = {}
    for mark in marks:
        by_line.setdefault(mark.start[0], []).append(mark)
    return by_line


def _hole_mark(found: TextHole) -> Mark:
    start, end = found.place
    if start == end:  # the quotes or brackets around it
        return Mark((start[0], start[1] - 1), (end[0], end[1] + 1), "empty", *OPEN_HOLE)
    choices = found.hole.choices
    message = f"not chosen yet: {len(choices)} values" if choices else "not filled in yet"
    return Mark(start, end, message, *OPEN_HOLE)


def with_note(strip: Strip, mark: Mark, style: Style) -> Strip:
    """A drawn line followed by what its mark says, if there is room for some of it."""
    room = strip.cell_length - cell_len(strip.text.rstrip()) - GAP
    if room < LEAST_ROOM:
        return strip
    note = inert(f"{mark.glyph} {mark.message}", mark.style).truncate(room, ellipsis=True)
    shown = to_strip(Content(" " * GAP) + note, style, room + GAP)
    return Strip.join([strip.crop(0, strip.cell_length - shown.cell_length), shown])
