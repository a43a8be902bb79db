"""Bytes as they are sent, as lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from textual.content import Content, Span

from workbench.tui.widgets.inert import ESCAPE_STYLE
from workbench.tui.widgets.styles import MUTED

# Of more bytes only so many are shown.
LIMIT: Final = 20_000

_NOT_PRINTABLE: Final = re.compile(rb"[^\x20-\x7e]+")


def byte_lines(data: bytes, width: int, lead: Content) -> Iterator[Content]:
    """Bytes as they are sent, in rows of ``width`` behind ``lead``: what is not printable ASCII as
    escapes, dimmed. No blank gets lost at the end of a row.
    """
    indent = lead.cell_length
    room = max(width - indent, 1)
    text, spans = _escaped(data[:LIMIT])
    for start in range(0, max(len(text), 1), room):
        row = Content(text[start : start + room], list(_within(spans, start, start + room)))
        yield lead + row if start == 0 else row.pad_left(indent)
    if len(data) > LIMIT:
        more = f"… {len(data) - LIMIT:,} more bytes; y copies all"
        yield Content.styled(" " * indent + more, MUTED)


def _escaped(data: bytes) -> tuple[str, list[Span]]:
    """Bytes as text, and where in it escapes stand."""
    parts: list[str] = []
    spans: list[Span] = []
    at = done = 0
    for match in _NOT_PRINTABLE.finditer(data):
        plain = data[done : match.start()].decode("ascii")
        escape = repr(match[0])[2:-1]
        parts += [plain, escape]
        at += len(plain)
        spans.append(Span(at, at + len(escape), ESCAPE_STYLE))
        at += len(escape)
        done = match.end()
    parts.append(data[done:].decode("ascii"))
    return "".join(parts), spans


def _within(spans: list[Span], start: int, end: int) -> Iterator[Span]:
    """Those of ``spans``, which are in order, that lie in a part of their text, seen from there."""
    for span in spans[bisect_right(spans, start, key=lambda span: span.end) :]:
        if span.start >= end:
            return
        yield Span(max(span.start, start) - start, min(span.end, end) - start, span.style)
