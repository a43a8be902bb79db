"""Long text and bytes as lines to draw."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, partial
from typing import Final

from textual.content import Content, Span

from workbench.core.text.inert import unsafe
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.widgets.inert import ESCAPE_STYLE, inert
from workbench.tui.widgets.styles import MUTED

SHOWN_CHARACTERS: Final = 1_000_000
SHOWN_BYTES: Final = 20_000

_NOT_PRINTABLE: Final = re.compile(rb"[^\x20-\x7e]+")


# Advice for text that is shown in part, if a key copies its section.
COPIES_ALL: Final = "y copies all of it."


def indented(
    text: str, indent: int, kind: type[TextLine] = TextLine, *, advice: str = COPIES_ALL
) -> Iterator[Line]:
    pad = " " * indent
    return capped((safe(pad + line, kind) for line in text.split("\n")), pad, advice=advice)


def safe(line: str, kind: type[TextLine] = TextLine) -> Content | TextLine:
    """A drawable line: unsafe characters become escapes, tabs become blanks, and joined emoji are
    separated.
    """
    return inert(line) if unsafe().search(line) or "\u200d" in line else kind(line)


def capped(
    lines: Iterator[Content | TextLine], pad: str, *, advice: str = COPIES_ALL
) -> Iterator[Line]:
    """The first ``SHOWN_CHARACTERS`` of ``lines``, and a note about the rest if there are more."""
    left = SHOWN_CHARACTERS
    for line in lines:
        if len(line) > left:
            rest = line[:left]
            yield rest if isinstance(rest, Content) else TextLine(rest)
            note = f"{pad}Shown to {size(SHOWN_CHARACTERS)}. {advice}".rstrip()
            yield OneRow(Content.styled(note, MUTED), cache(partial(_joined, line[left:], lines)))
            return
        left -= len(line)
        yield line


def _joined(first: Content | str, others: Iterator[Content | TextLine]) -> str:
    plain = first.plain if isinstance(first, Content) else first
    return "\n".join([plain, *(line.plain for line in others)])


def size(characters: int) -> str:
    """A size in words: ``512 B``, ``4.2 KB``, ``3.9 MB``."""
    if characters < 1000:
        return f"{characters} B"
    if characters < 1_000_000:
        return f"{characters / 1000:.1f} KB"
    return f"{characters / 1_000_000:.1f} MB"


def byte_lines(data: bytes, width: int, lead: Content) -> Iterator[Content]:
    """Bytes in rows of ``width``, the first one after ``lead``. Bytes that are not printable ASCII
    are escaped and dimmed; blanks at the end of a row are kept.
    """
    indent = lead.cell_length
    room = max(width - indent, 1)
    text, spans = _escaped(data[:SHOWN_BYTES])
    for start in range(0, max(len(text), 1), room):
        row = Content(text[start : start + room], list(spans_within(spans, start, start + room)))
        yield lead + row if start == 0 else row.pad_left(indent)
    if len(data) > SHOWN_BYTES:
        more = f"… {len(data) - SHOWN_BYTES:,} more bytes; y copies all"
        yield Content.styled(" " * indent + more, MUTED)


def _escaped(data: bytes) -> tuple[str, list[Span]]:
    """Bytes as text, and the spans of the escapes in it."""
    text, spans, done = "", [], 0
    for match in _NOT_PRINTABLE.finditer(data):
        text += data[done : match.start()].decode("ascii")
        escape = repr(match[0])[2:-1]
        spans.append(Span(len(text), len(text) + len(escape), ESCAPE_STYLE))
        text += escape
        done = match.end()
    return text + data[done:].decode("ascii"), spans


def spans_within(spans: list[Span], start: int, end: int) -> Iterator[Span]:
    """The parts of sorted ``spans`` between two places, relative to the first."""
    for span in spans[bisect_right(spans, start, key=lambda span: span.end) :]:
        if span.start >= end:
            return
        yield Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
