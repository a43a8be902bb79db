"""Holes: places in JSON text for values that are not written yet, such as ``‹number›``.

Text with a hole is not JSON. Characters that look like a hole inside a string belong to the string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from workbench.core.json.values import decoded

HOLE: Final = re.compile("‹[^‹›\n]*›")
# Strings are matched as well, so that what is in them is passed over. So is the text from a quote
# without a second one to the next hole: else a search would begin again at each quote in it.
_TOKEN: Final = re.compile(rf'(?s)"[^"\\]*+(?:\\.[^"\\]*+)*+"|(?P<hole>{HOLE.pattern})|"[^‹]*')


def holes(text: str) -> list[re.Match[str]]:
    """The holes of ``text``, in their order."""
    return list(_holes(text)) if "‹" in text else []


def _holes(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _TOKEN.finditer(text) if match["hole"])


def holes_in_strings(text: str) -> list[tuple[int, int]]:
    """The spans (start, end) of the holes in ``text``, in order, including holes in objects and
    lists inside its strings, which contain the arguments of calls and structured answers.
    """
    spans: list[tuple[int, int]] = []
    for token in _TOKEN.finditer(text) if "‹" in text else ():
        if token["hole"]:
            spans.append(token.span())
        else:
            spans += [(token.start() + a, token.start() + b) for a, b in _inside(token[0])]
    return spans


def _inside(string: str) -> Iterator[tuple[int, int]]:
    """Where a JSON string has the holes of an object or a list."""
    inner = decoded(string) if "‹" in string else ""
    if isinstance(inner, str) and inner.lstrip().startswith(("{", "[")):
        # Escapes change the places of holes, not their order.
        real = {hole.start() for hole in holes(inner)}
        for written, hole in zip(HOLE.finditer(string), HOLE.finditer(inner), strict=False):
            if hole.start() in real:
                yield written.span()


def filled(text: str) -> str:
    """``text`` with a string of the same length in place of each hole: JSON, if nothing but values
    is missing.
    """
    if "‹" not in text:
        return text
    return _TOKEN.sub(lambda match: _string(match[0]) if match["hole"] else match[0], text)


def _string(hole: str) -> str:
    return f'"{"_" * (len(hole) - 2)}"'
