"""Long text of requests as lines to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content

from workbench.core.inert import UNSAFE
from workbench.tui.lines.line_layout import Line, TextLine
from workbench.tui.widgets.inert import inert
from workbench.tui.widgets.styles import MUTED

SHOWN_CHARACTERS = 1_000_000


def indented(text: str, indent: int, kind: type[TextLine] = TextLine) -> Iterator[Line]:
    """The lines of a text, each so far to the right."""
    pad = " " * indent
    return capped((safe(pad + line, kind) for line in text.split("\n")), pad)


def safe(line: str, kind: type[TextLine] = TextLine) -> Content | TextLine:
    """A line as one that can be drawn: what is unsafe in it as escapes, tabs as blanks."""
    return inert(line) if UNSAFE.search(line) else kind(line)


def capped(lines: Iterable[Content | TextLine], pad: str) -> Iterator[Line]:
    """``lines`` as far as anybody reads."""
    left = SHOWN_CHARACTERS
    for line in lines:
        if len(line) > left:
            rest = line[:left]
            yield rest if isinstance(rest, Content) else TextLine(rest)
            note = f"{pad}Shown to {size(SHOWN_CHARACTERS)}. x exports all of it."
            yield Content.styled(note, MUTED)
            return
        left -= len(line)
        yield line


def size(characters: int) -> str:
    """A size in words: ``512 B``, ``4.2 KB``, ``3.9 MB``."""
    if characters < 1000:
        return f"{characters} B"
    if characters < 1_000_000:
        return f"{characters / 1000:.1f} KB"
    return f"{characters / 1_000_000:.1f} MB"
