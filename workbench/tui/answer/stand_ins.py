"""Stand-ins for characters that Textual's text area cannot contain or draw.

The text area ends lines at characters that are text in JSON (U+2028, U+0085 and others), and gives
control characters no width. While text is edited, each of them is replaced by a character of the
private use area, which is drawn as one cell; when the text is read they are put back.
"""

from __future__ import annotations

import re
from typing import Final

from workbench.tui.widgets.inert import picture

# The unsafe characters of ``core.inert``, except tabs, line feeds and surrogates, which the text
# area can hold: first and last of each range.
_RANGES: Final = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E),
    (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE007F),
)  # fmt: skip
_FIRST: Final = 0x10F000
REPLACED: Final = "".join(chr(code) for first, last in _RANGES for code in range(first, last + 1))
STAND_INS: Final = "".join(chr(_FIRST + number) for number in range(len(REPLACED)))

_REPLACED: Final = re.compile(f"[{re.escape(REPLACED)}]")
_STAND_IN: Final = re.compile(f"[{STAND_INS[0]}-{STAND_INS[-1]}]")
_TO_STAND_INS: Final = dict(zip(REPLACED, STAND_INS, strict=True))
_FROM_STAND_INS: Final = dict(zip(STAND_INS, REPLACED, strict=True))


def with_stand_ins(text: str) -> str:
    """``text`` for editing. Line ends are line feeds, or all of them CRLF; any other carriage
    return is replaced as well.
    """
    is_crlf = text.count("\r\n") == text.count("\n") == text.count("\r")
    end = "\r\n" if is_crlf else "\n"
    return end.join(
        _REPLACED.sub(lambda match: _TO_STAND_INS[match[0]], line) for line in text.split(end)
    )


def without_stand_ins(text: str) -> str:
    """The real text of an edited ``text``."""
    if text.isascii():
        return text
    return _STAND_IN.sub(lambda match: _FROM_STAND_INS[match[0]], text)


def drawn(text: str) -> str:
    """An edited ``text`` as it is drawn: each stand-in as a picture of its character."""
    if text.isascii():
        return text
    return _STAND_IN.sub(lambda match: picture(_FROM_STAND_INS[match[0]]), text)


def holds_stand_ins(text: str) -> bool:
    """True if text contains characters that are used as stand-ins."""
    return not text.isascii() and _STAND_IN.search(text) is not None
