"""Untrusted text as content: no markup, no control characters.

Unsafe characters are drawn as dimmed escapes; copying gives the real ones. Whatever is drawn goes
through ``InertFilter`` last, so that no output acts on the terminal.
"""

from __future__ import annotations

import re

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.content import Content, Span
from textual.filter import LineFilter

from workbench.core.text.inert import escape_of, unsafe, with_few_marks

ESCAPE_STYLE = "$foreground-muted italic"
# Of the blanks in place of a tab.
TAB_STYLE = "$foreground-muted not italic"
_TAB = 4

# Terminals disagree about the width of three kinds of emoji, and borders move: several joined into
# one, a character of one cell that U+FE0F makes an emoji of two, and one with the tone of a skin.
_TONE = re.compile("[\U0001f3fb-\U0001f3ff]")
# Compiled on first use, which is seldom.
_JOINER = "(?<=[\u2190-\u2bff\ufe0f\U0001f000-\U0001fbff])\u200d"
_EMOJI_STYLE = "(?<!\u200d)(.)\ufe0f(\u20e3?)(?!\u200d)"


def side_by_side(text: str) -> str:
    """``text`` with the emoji that are joined into one drawn one by one."""
    return re.sub(_JOINER, "", text) if "\u200d" in text else text


def inert(text: str, style: str = "") -> Content:
    """``text`` in ``style``, with tabs expanded to four, unsafe characters as dimmed escapes, few
    marks on each character and joined emoji side by side.
    """
    text = with_few_marks(side_by_side(text))
    if not unsafe().search(text):
        return Content.styled(text, style)
    parts: list[str] = []
    spans: list[Span] = []
    at = done = 0
    for match in unsafe().finditer(text):
        before = text[done : match.start()]
        at += len(before)
        is_tab = match[0] == "\t"
        drawn = " " * (_TAB - at % _TAB) if is_tab else escape_of(match[0])
        parts += [before, drawn]
        spans.append(Span(at, at + len(drawn), TAB_STYLE if is_tab else ESCAPE_STYLE))
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
    """A visible character of one cell that represents an unsafe one."""
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\u00a4"


class InertFilter(LineFilter):
    """Draws each unsafe character as one visible cell, and drops links and control segments. Emoji
    whose width depends on the terminal are drawn with as many cells everywhere.

    ``inert`` makes untrusted text readable before that; if it is forgotten, a line may lose its
    alignment, no more. Links are dropped because their target is written to the terminal (OSC 8).
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        if all(map(_is_inert, segments)):
            return segments
        drawn = [
            Segment(
                re.sub(
                    _EMOJI_STYLE,
                    _plain_style,
                    unsafe().sub(lambda match: picture(match[0]), _without_tones(text)),
                ),
                style and style.update_link(None),
            )
            for text, style, control in segments
            if not control
        ]
        return Segment.adjust_line_length(drawn, Segment.get_line_length(segments))


def _is_inert(segment: Segment) -> bool:
    text, style, control = segment
    is_plain = (text.isascii() and text.isprintable()) or not (
        unsafe().search(text) or "\ufe0f" in text or _without_tones(text) != text
    )
    return is_plain and not control and not (style and style.link)


def _without_tones(text: str) -> str:
    """``text`` with few marks on each character, and without those that are tones of skin."""
    return _TONE.sub("", with_few_marks(text))


def _plain_style(match: re.Match[str]) -> str:
    """The character without U+FE0F, with blanks to the same width."""
    plain = match[1] + match[2]
    return plain + " " * (cell_len(match[0]) - cell_len(plain))
