"""Untrusted text as content: no markup, no control characters.

Unsafe characters are drawn as dimmed escapes; copying gives the real ones.
"""

from __future__ import annotations

from textual.content import Content, Span

from workbench.core.inert import UNSAFE, escape_of

ESCAPE_STYLE = "$foreground-muted italic"


def inert(text: str, style: str = "") -> Content:
    """``text`` in ``style``, with tabs expanded to four and unsafe characters as dimmed escapes."""
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
    """A visible character of one cell that stands for an unsafe one."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\u00a4"
