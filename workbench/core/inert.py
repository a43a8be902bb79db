"""Escapes text of requests, fixtures and logs, so that it is safe to show in a terminal.

C0 and C1 controls, bidirectional marks, line and paragraph separators, lone surrogates and other
invisible characters are escaped. Markup is avoided elsewhere, by passing text as text.
"""

from __future__ import annotations

import functools
import re

_SPACE = re.compile(r"[ \t\r\n]+")
_BLANK = re.compile(r"[^\S\t\r\n]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


@functools.cache
def unsafe() -> re.Pattern[str]:
    """Matches an unsafe character. Slow to compile; most programs never meet one."""
    # Not every format character: some join emoji and scripts. These move a cursor, reorder or hide;
    # the fillers U+3164 and U+FFA0 are letters that nobody sees, as wide as each terminal likes.
    return re.compile(
        "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
        "\u3164\uffa0\ufeff\ufff9-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
        "\U000e0000-\U000e007f]"
    )


def escape_of(character: str) -> str:
    """``\\x1b``, ``\\u2028``: the escape of an unsafe character."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def escaped(text: str) -> str:
    """``text`` on one line, each unsafe character as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return unsafe().sub(lambda m: _SHORT.get(m[0]) or escape_of(m[0]), text)


def escaped_lines(text: str) -> str:
    """``text`` with each unsafe character but line ends as its escape."""
    return "\n".join(map(escaped, text.split("\n")))


def json_escaped(text: str) -> str:
    """JSON text with each unsafe character but line ends as a JSON escape: the same value."""
    return unsafe().sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    if match[0] == "\n":
        return "\n"
    units = match[0].encode("utf-16-be", "surrogatepass").hex()  # beyond U+FFFF a pair
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def excerpt(text: str, width: int) -> str:
    """The beginning of ``text`` on one line: white space folded, escaped, at most ``width``
    characters.
    """
    text = text.strip(" \t\r\n")
    beginning = text[: width * 4]
    shown = escaped(_SPACE.sub(" ", beginning))
    is_whole = len(shown) <= width and beginning == text
    return shown if is_whole else shown[: width - 1] + "…"


def visible_blanks(text: str, width: int) -> str:
    """The beginning of ``text`` with visible white space: ``·`` for a space, escapes for other
    characters; at most ``width`` characters.
    """
    shown = _BLANK.sub(lambda m: "·" if m[0] == " " else escape_of(m[0]), text[: width + 1])
    shown = escaped(shown)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def type_name(value: object) -> str:
    """The type of a tool or an item, as a log may have it."""
    is_name = isinstance(value, str) and re.fullmatch(r"[\w.-]{1,60}", value, re.ASCII)
    return str(value) if is_name else "of an unknown type"
