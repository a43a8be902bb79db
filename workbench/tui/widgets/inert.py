"""Text of requests, replies and logs as content to draw: no markup, no controls.

Unsafe characters are drawn as their escapes, dimmed. Copying gives the real ones, because only the
drawing differs.
"""

from __future__ import annotations

from textual.content import Content, Span

from workbench.core.inert import UNSAFE, escape_of

ESCAPE_STYLE = "$foreground-muted italic"


def inert(text: str, style: str = "") -> Content:
    """``text`` to draw: tabs four wide, the escapes dimmed, the rest in ``style``."""
    text = text.expandtabs(4)
    if not UNSAFE.search(text):
        return Content.styled(text, style)
    parts: list[str] = []
    spans: list[Span] = []
    at = done = 0
    for match in UNSAFE.finditer(text):
        before = text[done : match.start()]
        drawn = escape_of(match[0])
        parts += [before, drawn]
        at += len(before)
        spans.append(Span(at, at + len(drawn), ESCAPE_STYLE))
        at += len(drawn)
        done = match.end()
    parts.append(text[done:])
    whole = "".join(parts)
    base = [Span(0, len(whole), style)] if style else []
    return Content(whole, [*base, *spans])


def one_line(text: str, style: str = "") -> Content:
    """``text`` on one line: line ends and tabs become blanks."""
    return inert(text.replace("\n", " ").replace("\t", " "), style)


def picture(character: str) -> str:
    """One visible cell for an unsafe character."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\u00a4"
