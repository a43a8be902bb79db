"""What is what in a line of JSON. No string of JSON goes on in the next line, so that each line can
be told alone, also while it is typed and the whole is no JSON yet. ``<clock>`` stands for a value.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from workbench.tui.widgets.styles import JSON_KEY, JSON_LITERAL, JSON_NUMBER, JSON_STRING, MUTED

# Of a line with more of them the rest is not told.
TOKEN_LIMIT: Final = 1_000

_TOKEN: Final = re.compile(
    r'(?P<key>"[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*:))'
    r'|(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?$))'
    r"|(?P<number>(?<!\w)-?\d[\w.+-]*)"
    r"|(?P<literal>\b(?:true|false|null)\b|<\w+>)"
    r"|(?P<mark>[{}\[\],:]+)"
)
_STYLES: Final = {
    "key": JSON_KEY,
    "string": JSON_STRING,
    "number": JSON_NUMBER,
    "literal": JSON_LITERAL,
    "mark": MUTED,
}


class Token(NamedTuple):
    """A part of a line and the style it is drawn in."""

    start: int
    end: int
    style: str


@lru_cache(maxsize=1024)
def tokens(line: str) -> list[Token]:
    """The parts of a line that have a colour, from left to right."""
    return [
        Token(*match.span(), _STYLES[match.lastgroup or ""])
        for match in islice(_TOKEN.finditer(line), TOKEN_LIMIT)
    ]
