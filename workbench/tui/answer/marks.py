"""The problems that are marked in the text of an editor."""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.widgets.text_area import Location

from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.tall_view import to_strip

# A note with less room than this is left out.
LEAST_ROOM: Final = 8
# Between a line and its note, in characters.
GAP: Final = 3


class Mark(NamedTuple):
    """Where a problem is in the text of an editor: (line, column) from 0, both on the same line."""

    start: Location
    end: Location
    message: str
    style: str
    glyph: str = "×"


def with_note(strip: Strip, mark: Mark, style: Style) -> Strip:
    """A drawn line followed by the message of its mark, if there is room for some of it."""
    room = strip.cell_length - cell_len(strip.text.rstrip()) - GAP
    if room < LEAST_ROOM:
        return strip
    note = inert(f"{mark.glyph} {mark.message}", mark.style).truncate(room, ellipsis=True)
    shown = to_strip(Content(" " * GAP) + note, style, room + GAP)
    return Strip.join([strip.crop(0, strip.cell_length - shown.cell_length), shown])
