"""Log lines inside others: in JSON, as container runtimes, structured loggers and exports of log
stores write it, in CSV or in quotes; and requests that other programs escaped, or wrote more text
after.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.apis.recognition import TEXT_KEYS, is_conversation
from workbench.core.log.json_reading import BEFORE, object_end, parse_value, read_after, starts_json

# Limits of nested records, and of the strings in one record that are compared with each other.
_DEEPEST: Final = 30
_MOST_COMPARED: Final = 20

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
# Docker puts one before each piece of a line: ``docker logs --timestamps``.
_TIME: Final = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ")

# A line of a document that is written on several lines.
_MEMBER: Final = re.compile(rb"\s*\"([^\"\\]{1,100})\"\s*:\s*(?=\")")
# ``time="…" level=info msg="…"``, or a line in quotes alone.
_OTHERS: Final = rb"(?:[^{}\"\[]{0,200}=\"[^{}\"\[\\]{0,200}\"){0,5}"
_QUOTED: Final = re.compile(_OTHERS + BEFORE + rb"(?:[\w.@-]{1,100}=)?(?=\")")
# A cell of CSV. One that is not the first may go on in the next line.
_CELL: Final = re.compile(
    rb"(?:^|(?P<comma>[,;|\t]))\"(?P<text>(?:[^\"]++|\"\")*+)(?:\"(?=[,;|\t\r\n]|$)|(?(comma)$|(?!)))"
)
_ATTRIBUTE: Final = re.compile(rb"=\"([^\"<]*)\"")
_LITERAL: Final = re.compile(rb"\"(?:[^\"\\]++|\\.)*+\"", re.DOTALL)


def texts(line: bytes, mark: str) -> Iterator[str]:
    """The strings with ``mark`` in a line that is JSON, a member of an object, ``msg="…"``, an
    element of XML, a row of CSV, or in quotes.
    """
    if (json_start := starts_json(line)) and (value := read_after(json_start, line)):
        yield from _log_texts(value, mark)
        return
    if line.lstrip().startswith(b"<"):
        for attribute in _ATTRIBUTE.finditer(line):
            yield _unescaped(attribute[1].decode("utf-8", "replace"))
        return
    cells = [c["text"] for c in _CELL.finditer(line) if mark.encode() in c["text"]]
    if cells:
        yield from (cell.replace(b'""', b'"').decode("utf-8", "replace") for cell in cells)
        return
    member = _MEMBER.match(line)
    if member and member[1].decode("utf-8", "replace") in TEXT_KEYS:
        return
    start = member or _QUOTED.match(line)
    literal = start and _LITERAL.match(line, start.end())
    if literal and line[literal.end() : literal.end() + 1] in (b"", b",", b" ", b"\t", b"\r"):
        value = parse_value(literal[0])
        if isinstance(value, str):
            yield value


def _log_texts(value: Any, mark: str, depth: int = 0) -> Iterator[str]:
    """The strings of log records in a JSON value that contain ``mark``. The strings of a record are
    in it and its objects; if it has none, its lists contain records.
    """
    if isinstance(value, str):
        if mark in value:
            yield value
    elif isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _log_texts(item, mark, depth + 1)
    elif isinstance(value, dict):
        members = list(_members(value, depth))
        own = [text for text in members if isinstance(text, str) and mark in text]
        if own:
            yield from _without_copies(own, mark)
            return
        for member in members:
            if isinstance(member, list):
                yield from _log_texts(member, mark, depth + 1)


def _members(record: Mapping[str, Any], depth: int) -> Iterator[Any]:
    """The values of a record and its objects. Requests and replies quote logs: what is in them is
    left out.
    """
    is_quoting = is_conversation(record)
    for key, value in record.items():
        if is_quoting:
            if isinstance(value, str) and key not in TEXT_KEYS:
                yield value
        elif isinstance(value, dict) and depth < _DEEPEST:
            yield from _members(value, depth + 1)
        else:
            yield value


def _without_copies(texts: list[str], mark: str) -> list[str]:
    """The strings of one record without those contained in another one: loggers write a message a
    second time, formatted or cut.
    """
    kept: list[int] = []
    for number in sorted(range(len(texts)), key=lambda number: len(texts[number]), reverse=True):
        lines = [line.rstrip().rstrip(".…") for line in texts[number].split(mark)[1:]]
        longer = [texts[other] for other in kept[:_MOST_COMPARED]]
        if not any(all(mark + line in text for line in lines) for text in longer):
            kept.append(number)
    return [texts[number] for number in sorted(kept)]


def other_readings(dump: bytes) -> Iterator[bytes]:
    """Alternative readings of a dump: JSON that is followed by more text, and the original of text
    that a report in XML, a ``repr``, CSV or a runtime changed.
    """
    end = object_end(dump)
    if 0 < end < len(dump):
        yield dump[:end]
    if b"&" in dump:
        text = _unescaped(dump.decode("utf-8", "surrogateescape"))
        yield from _whole(text.encode("utf-8", "surrogateescape"))
    if b"\\" in dump:
        text = _ESCAPED.sub(r"\1", dump.decode("utf-8", "surrogateescape"))
        yield from _whole(text.encode("utf-8", "surrogateescape"))
    if b'""' in dump:
        yield from _whole(dump.replace(b'""', b'"'))
    if _TIME.search(dump):
        yield from _whole(_TIME.sub(b"", dump))


def _whole(text: bytes) -> Iterator[bytes]:
    end = object_end(text)
    if end > 0:
        yield text[:end]


def _unescaped(text: str) -> str:
    """A text of XML or HTML without its escapes."""
    from html import unescape  # loads a table that few logs need

    return unescape(text)
