"""The real text of lines that are marked: without the margin, the wrapping and the escapes with
which they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from textual.content import Content
from textual.selection import Selection

from workbench.tui.lines.line_layout import Line, LineLayout, OneRow
from workbench.tui.widgets.inert import ESCAPE_STYLE, TAB_STYLE


class Marked(NamedTuple):
    """The marked part of a line."""

    line: Line
    start: int
    end: int


def marked_parts(layout: LineLayout, selection: Selection, seen: range) -> Iterator[Marked]:
    """The marked parts of lines, from the first to the last.

    Args:
        seen: the rows in view, for a selection that begins or ends in another widget.
    """
    first = selection.start.y if selection.start is not None else seen.start
    after = selection.end.y + 1 if selection.end is not None else seen.stop
    rows = range(max(first, 0), min(after, len(layout)))
    for number, some in groupby(rows, key=lambda row: layout.row(row).line):
        places = [marked_in(layout, row, selection) for row in some]
        yield Marked(layout.lines[number], places[0][0], places[-1][1])


def marked_in(layout: LineLayout, number: int, selection: Selection) -> tuple[int, int]:
    """Which characters of its line are marked in a row."""
    row = layout.row(number)
    start, end = selection.get_span(number) or (0, 0)
    first = min(max(row.start + start - row.indent, row.start), row.end)
    return first, row.end if end < 0 else min(max(row.start + end - row.indent, first), row.end)


def marked_text(parts: Iterable[Marked]) -> str:
    """The text of the marked parts of lines. Blanks with which all of these lines begin are their
    margin.
    """
    parts = list(parts)
    indents = [len(text) - len(text.lstrip(" ")) for text in _plain(parts) if text.strip(" ")]
    margin = min(indents, default=max((part.end for part in parts), default=0))
    return "\n".join(_real(line, max(start, margin), end) for line, start, end in parts)


def _plain(parts: Iterable[Marked]) -> Iterator[str]:
    return (part.line.plain for part in parts)


def _real(line: Line, start: int, end: int) -> str:
    """A part of a line, with the characters in place of their escapes."""
    content = line.content if isinstance(line, OneRow) else line
    if not isinstance(content, Content):
        return content[start:end]
    text, done = "", start
    for span in content.spans:
        if done <= span.start and span.end <= end and span.style in (ESCAPE_STYLE, TAB_STYLE):
            text += content.plain[done : span.start]
            drawn = content.plain[span.start : span.end]
            text += "\t" if span.style == TAB_STYLE else _character(drawn)
            done = span.end
    return text + content.plain[done:end]


def _character(escape: str) -> str:
    """The meaning of an escape: a character, or bytes of UTF-8; the escape itself if it is cut."""
    try:
        text = escape.encode("ascii").decode("unicode_escape")
        return text.encode("latin-1").decode() if len(text) > 1 else text
    except UnicodeError:
        return escape
