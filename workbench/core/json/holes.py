"""Holes: the places of a JSON text where a value is still to be written, such as ``‹number›``.

A text with a hole is not JSON. What looks like a hole inside a string is part of that string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

HOLE: Final = re.compile("‹[^‹›\n]*›")
# Strings are matched, too, so that what is in them is passed over.
_TOKEN: Final = re.compile(rf'(?s)"[^"\\]*(?:\\.[^"\\]*)*"|(?P<hole>{HOLE.pattern})')


def holes(text: str) -> list[re.Match[str]]:
    """The holes of ``text``, in their order."""
    return list(_holes(text)) if "‹" in text else []


def _holes(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _TOKEN.finditer(text) if match["hole"])


def filled(text: str) -> str:
    """``text`` with a string of the same length in place of each hole: JSON, if nothing but values
    is missing.
    """
    if "‹" not in text:
        return text
    return _TOKEN.sub(lambda match: _string(match[0]) if match["hole"] else match[0], text)


def _string(hole: str) -> str:
    return f'"{"_" * (len(hole) - 2)}"'
