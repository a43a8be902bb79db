"""Text inside escapes: JSON inside JSON strings, and percent-encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

# More layers of JSON inside JSON than any program writes.
MOST_LAYERS: Final = 20

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class TooManyLayersError(ValueError):
    """A text has more than ``MOST_LAYERS`` layers of escapes."""


def layers(text: str) -> Iterator[str]:
    """``text``, then the text with one layer of escapes removed, and so on.

    The text need not be JSON: escapes are replaced anywhere, so JSON inside prose is covered.

    Raises:
        TooManyLayersError: after the last allowed layer, if there are more.
    """
    for _ in range(MOST_LAYERS):
        yield text
        unquoted = unquote(text) if "%" in text else text
        if unquoted != text:
            yield unquoted
        inner = _ESCAPE.sub(_unescaped, unquoted) if "\\" in unquoted else unquoted
        if inner == text:
            return
        text = inner
    raise TooManyLayersError(f"more than {MOST_LAYERS} layers of escapes")


def _unescaped(match: re.Match[str]) -> str:
    code, character = match.groups()
    if code:
        return chr(int(code, 16))
    return _SHORT_ESCAPES.get(character, character)
