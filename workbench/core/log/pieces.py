"""Recognise lines that are written in pieces, by container runtimes, in Docker's log files and by
journald.
"""

from __future__ import annotations

import re
from typing import Final

from workbench.core.log.json_reading import starts_json
from workbench.core.log.lines import MARK

_MARK: Final = MARK.encode()
ANSI: Final = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]")
TIME: Final = rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
# ``2026-08-01T10:00:00.1Z stderr P text``: P is a piece, F the last one or a whole line.
CRI: Final = re.compile(
    rb"(?P<head>[^{}\"\n]{0,200}?" + TIME + rb" (?P<stream>std(?:out|err)) )"
    rb"(?P<tag>[PF])(?::[^ ]*)?(?: (?P<text>.*))?",
    re.DOTALL,
)
# ``Aug 01 10:00:00 host stub[4711]: text``. Nothing marks a piece but that the line is cut.
SYSLOG: Final = re.compile(
    rb"(?P<head>(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|" + TIME + rb") "
    rb"[^\s{}\"]{1,100} [^\s{}\"]{1,100}\[\d+\]: )(?P<text>.*)",
    re.DOTALL,
)

# Marks of pieces by CRI, Docker's drivers, fluent-bit and journald, which also writes lists of
# bytes.
_CRI_MARKS: Final = (b" stderr P", b" stdout P")
_DRIVER_MARKS: Final = (b"artial_", b"ARTIAL_")
_JSON_MARKS: Final = (
    *(*_DRIVER_MARKS, b'"logtag":"P', b'"logtag": "P', b"line-max"),
    *(b'"MESSAGE":[', b'"MESSAGE": [', b'"MESSAGE" : ['),
)


def may_be_piece(block: bytes, begin: int, end: int) -> bool:
    """True if the line at ``begin`` is of a kind that is written in pieces."""
    start = _start(block, begin, end)
    if CRI.match(start):
        return True
    json_start = starts_json(start)
    return json_start is not None and _MARK not in json_start[0]


def has_pieces(block: bytes, begin: int, end: int) -> bool:
    """True if lines of that kind can be in pieces, or are unreadable as they are: a quick check."""
    start = _start(block, begin, end)
    marks: tuple[bytes, ...] = _JSON_MARKS
    if CRI.match(start):
        marks = _CRI_MARKS
    elif b'"log"' in start and b'"logtag"' not in start:
        # Docker's lines are whole if each text ends with a line end.
        texts = block.count(b'{"log":"', begin, end)
        ended = block.count(b'\\n","stream":"', begin, end)
        ended -= block.count(b'\\\\n","stream":"', begin, end)  # a backslash and an n
        if not texts or texts > ended:
            return True
        marks = _DRIVER_MARKS
    return any(block.find(mark, begin, end) >= 0 for mark in marks)


def _start(block: bytes, begin: int, end: int) -> bytes:
    """The beginning of a line."""
    end = min(end, begin + 1000)
    line_end = block.find(b"\n", begin, end)
    return ANSI.sub(b"", block[begin : line_end if line_end >= 0 else end])


def may_be_cut(line: bytes) -> bool:
    """True if a line with a cut request may continue in the next line of its writer."""
    return SYSLOG.match(ANSI.sub(b"", line[:1000])) is not None
