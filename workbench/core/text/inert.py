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

# Marks that combine with the character before them, joiners, and selectors of variants; between the
# first and the last of a block also a few letters, of which no text has as many in a row.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711"
    "\u0730-\u074a\u07a6-\u07b0\u07eb-\u07fd\u0816-\u082d\u0859-\u085b\u0898-\u089f\u08ca-\u0903"
    "\u093a-\u0963\u0981-\u0983\u09bc-\u09e3\u09fe-\u0a03\u0a3c-\u0a51\u0a70-\u0a83\u0abc-\u0acd"
    "\u0ae2-\u0ae3\u0afa-\u0b03\u0b3c-\u0b63\u0b82\u0bbe-\u0bd7\u0c00-\u0c04\u0c3c-\u0c63"
    "\u0c81-\u0c83\u0cbc-\u0ce3\u0d00-\u0d03\u0d3b-\u0d63\u0d81-\u0d83\u0dca-\u0ddf\u0df2-\u0df3"
    "\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u0f18-\u0f19\u0f35-\u0f3f\u0f71-\u0fc6\u102b-\u103e"
    "\u1056-\u1074\u1082-\u109d\u135d-\u135f\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773"
    "\u17b4-\u17dd\u180b-\u180f\u1885-\u1886\u18a9\u1920-\u193b\u1a17-\u1a1b\u1a55-\u1a7f"
    "\u1ab0-\u1aff\u1b00-\u1b04\u1b34-\u1b44\u1b6b-\u1b73\u1b80-\u1b82\u1ba1-\u1bad\u1be6-\u1bf3"
    "\u1c24-\u1c37\u1cd0-\u1cf9\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u2cef-\u2cf1\u2d7f"
    "\u2de0-\u2dff\u302a-\u302f\u3099-\u309a\ua66f-\ua67d\ua69e-\ua69f\ua6f0-\ua6f1\ua802-\ua80b"
    "\ua823-\ua82c\ua880-\ua881\ua8b4-\ua8c5\ua8e0-\ua8f1\ua8ff\ua926-\ua92d\ua947-\ua953"
    "\ua980-\ua983\ua9b3-\ua9c0\ua9e5\uaa29-\uaa36\uaa43-\uaa4d\uaa7b-\uaa7d\uaab0-\uaac1"
    "\uaaeb-\uaaf6\uabe3-\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd\U000102e0"
    "\U00010a01-\U00010a0f\U00010a38-\U00010a3f\U0001d165-\U0001d1ad\U0001e000-\U0001e02a"
    "\U0001e8d0-\U0001e8d6\U0001e944-\U0001e94a\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
)
# Of these, one character has no more in any script; a terminal may draw more over other lines.
MOST_MARKS = 8


@functools.cache
def unsafe() -> re.Pattern[str]:
    """Matches an unsafe character. Slow to compile; most programs never meet one."""
    # Not every format character: some join emoji and scripts. These move a cursor, reorder or hide;
    # the fillers U+3164 and U+FFA0 are invisible letters, whose width depends on the terminal.
    # U+FFFE and U+FFFF are not characters, and are not allowed in XML.
    return re.compile(
        "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
        "\u3164\uffa0\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
        "\U000e0000-\U000e007f]"
    )


def escape_of(character: str) -> str:
    """``\\x1b``, ``\\u2028``: the escape of an unsafe character."""
    code = ord(character)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@functools.cache
def _crowds() -> re.Pattern[str]:
    """Matches more marks in a row than ``MOST_MARKS``."""
    return re.compile(f"[{_MARKS}]{{{MOST_MARKS + 1},}}")


def with_few_marks(text: str) -> str:
    """``text`` with ``…`` for all but the first ``MOST_MARKS`` marks on each character."""
    return text if text.isascii() else _crowds().sub(lambda m: f"{m[0][:MOST_MARKS]}…", text)


def escaped(text: str) -> str:
    """``text`` on one line, each unsafe character as its escape, with few marks on each."""
    if text.isascii() and text.isprintable():
        return text
    return unsafe().sub(lambda m: _SHORT.get(m[0]) or escape_of(m[0]), with_few_marks(text))


def escaped_lines(text: str) -> str:
    """``text`` with each unsafe character but line ends as its escape."""
    return "\n".join(map(escaped, text.split("\n")))


def json_escaped(text: str) -> str:
    """JSON text with each unsafe character but line ends, and each mark too many, as a JSON escape:
    the same value.
    """
    if not text.isascii():
        text = _crowds().sub(lambda m: m[0][:MOST_MARKS] + _json_units(m[0][MOST_MARKS:]), text)
    return unsafe().sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    return "\n" if match[0] == "\n" else _json_units(match[0])


def _json_units(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass").hex()  # a pair for one beyond U+FFFF
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
