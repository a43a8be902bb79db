"""Text of requests, replies and logs, made harmless to draw.

Nothing in it is markup, and nothing in it reaches the terminal as a control: C0 and C1 controls,
bidirectional marks, line and paragraph separators and other invisible characters are drawn as their
escapes, dimmed. Copying gives the real ones, because only the drawing differs.
"""

from __future__ import annotations

import re

from textual.content import Content, Span

ESCAPE_STYLE = "$text-muted italic"

# Everything of the categories control, format, surrogate, private and unassigned would be safest,
# but format characters join emoji and scripts; these are the ones that act on the terminal or reorder.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_ONE_LINE = re.compile("[\t\n]")


def escape_of(character: str) -> str:
    """``\\x1b``, ``\\u2028``: how an unsafe character is drawn."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def escaped(text: str) -> str:
    """``text`` with each unsafe character as its escape."""
    return _UNSAFE.sub(lambda m: escape_of(m[0]), text)


def inert(text: str, style: str = "") -> Content:
    """``text`` to draw: escapes dimmed, the rest in ``style``, line ends and tabs kept."""
    if not _UNSAFE.search(text):
        return Content(text).stylize(style) if style else Content(text)
    parts: list[str] = []
    spans: list[Span] = []
    at = done = 0
    for match in _UNSAFE.finditer(text):
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
    """``text`` on one line: runs of white space become one space."""
    return inert(" ".join(_ONE_LINE.sub(" ", text).split(" ")).strip(), style)


def same_width(text: str) -> str:
    """``text`` with each unsafe character replaced by one visible cell, for editors, in which every
    character keeps its column.
    """
    return _UNSAFE.sub(lambda m: _picture(m[0]), text)


def _picture(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\u00a4"
