"""Log lines inside others: in JSON, as container runtimes and structured loggers write it, or in
quotes; and requests that other programs escaped, or wrote more text after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final, NamedTuple

# What programs name the text of a line; compared without case and signs.
TEXT_KEYS: Final = frozenset(
    {
        "body",
        "event",
        "fullmessage",
        "line",
        "log",
        "m",
        "message",
        "msg",
        "mt",
        "output",
        "payload",
        "shortmessage",
        "stderr",
        "stdout",
        "stringvalue",
        "text",
        "textpayload",
    }
)
# Objects of a record that may have it.
_CONTAINERS: Final = frozenset({"body", "data", "fields", "jsonpayload", "log", "record"})
_SIGNS: Final = re.compile(r"[^a-z]")

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
# Docker puts one before each piece of a line: ``docker logs --timestamps``.
_TIME: Final = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ")

# What may stand before JSON or a quoted line: names and times.
_BEFORE: Final = rb"[^{}\"\[]{0,200}(?:\[[^{}\"\[\]]{0,200}\][^{}\"\[]{0,200}){0,5}"
_JSON_LINE: Final = re.compile(_BEFORE + rb"(?=\[?\{\s*\")")
# A line of JSON that is written on several lines.
_MEMBER: Final = re.compile(rb"\s*\"([^\"\\]{1,100})\"\s*:\s*(?=\")")
# ``time="…" level=info msg="…"``, or a line in quotes alone.
_OTHERS: Final = rb"(?:[^{}\"\[]{0,200}=\"[^{}\"\[\\]{0,200}\"){0,5}"
_QUOTED: Final = re.compile(_OTHERS + _BEFORE + rb"(?:[\w.@-]{1,100}=)?(?=\")")
_ATTRIBUTE: Final = re.compile(rb"=\"([^\"<]*)\"")
_LITERAL: Final = re.compile(rb"\"(?:[^\"\\]++|\\.)*+\"", re.DOTALL)
_STRING_OR_BRACE: Final = re.compile(rb"\"(?:[^\"\\]++|\\.)*+\"?|[{}]", re.DOTALL)


class Record(NamedTuple):
    """A line that is a JSON object.

    Attributes:
        before: what stands before the object.
        value: the object.
    """

    before: bytes
    value: dict[str, Any]


def starts_json(line: bytes, begin: int, end: int) -> re.Match[bytes] | None:
    """What stands before the JSON that ``line[begin:end]`` begins with, if it does."""
    return _JSON_LINE.match(line, begin, end)


def records(line: bytes) -> list[Record]:
    """The objects of a line of JSON: one, or those of a list; none if it is something else."""
    found = starts_json(line, 0, len(line))
    if found is None:
        return []
    value = _read(line[found.end() :].strip().rstrip(b","))
    objects = value if isinstance(value, list) else [value]
    return [Record(found[0], one) for one in objects if isinstance(one, dict)]


def text_of(record: Mapping[str, Any], wanted: str = "") -> tuple[str, str]:
    """The key and the text of a record, if there are several one in which ``wanted`` occurs; both
    are "" if it has no key that is known.
    """
    found = list(_texts_of(record))
    with_it = [one for one in found if wanted in one[1]]
    return (with_it or found or [("", "")])[0]


def _texts_of(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        name = _plain(key)
        if name in TEXT_KEYS and isinstance(value, str):
            yield key, value
        elif name in TEXT_KEYS and (text := _of_bytes(value)):
            yield key, text
        elif name in _CONTAINERS and isinstance(value, dict):
            yield from ((key, text) for _, text in _texts_of(value))


def texts(line: bytes, wanted: str) -> Iterator[str]:
    """The texts of a line that is JSON, a member of an object, ``msg="…"``, an element of XML, or
    in quotes; of several in an object that in which ``wanted`` occurs.
    """
    if found := records(line):
        yield from (text_of(record.value, wanted)[1] for record in found)
        return
    if line.lstrip().startswith(b"<"):
        for attribute in _ATTRIBUTE.finditer(line):
            yield unescape(attribute[1].decode("utf-8", "replace"))
        return
    member = _MEMBER.match(line)
    if member and _plain(member[1].decode("utf-8", "replace")) not in TEXT_KEYS:
        return
    start = member or _QUOTED.match(line)
    literal = start and _LITERAL.match(line, start.end())
    if literal and line[literal.end() : literal.end() + 1] in (b"", b",", b" ", b"\t", b"\r"):
        value = _read(literal[0])
        if isinstance(value, str):
            yield value


def has_unknown_text(line: bytes, wanted: str) -> bool:
    """Whether a line is JSON in which ``wanted`` stands under a key that is not known. Deeper in it
    somebody quotes a line: requests do.
    """
    return any(
        wanted not in text_of(record.value, wanted)[1]
        and any(isinstance(text, str) and wanted in text for text in record.value.values())
        for record in records(line)
    )


def object_end(text: bytes) -> int:
    """The end of the JSON object that a text begins with; -1 if it does not end there."""
    depth = 0
    for found in _STRING_OR_BRACE.finditer(text):
        if found[0] == b"{":
            depth += 1
        elif found[0] == b"}":
            depth -= 1
            if depth == 0:
                return found.end()
    return -1


def _plain(key: str) -> str:
    return _SIGNS.sub("", key.lower())


def _of_bytes(value: object) -> str:
    """The text that journald writes as a list of bytes; "" if it is none."""
    if not isinstance(value, list):
        return ""
    try:
        return bytes(value).decode("utf-8", "replace")
    except (TypeError, ValueError):  # anything else
        return ""


def _read(text: bytes) -> Any:
    """The value of a JSON text, in which control characters may stand as they are; None if it
    cannot be read.
    """
    try:
        return json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def other_readings(dump: bytes) -> Iterator[bytes]:
    """What a dump may be beside what stands there: the JSON that more text follows, and the text
    before a report in XML, a ``repr`` or a runtime changed it.
    """
    end = object_end(dump)
    if 0 < end < len(dump):
        yield dump[:end]
    if b"&" in dump:
        text = unescape(dump.decode("utf-8", "surrogateescape"))
        yield from _whole(text.encode("utf-8", "surrogateescape"))
    if b"\\" in dump:
        text = _ESCAPED.sub(r"\1", dump.decode("utf-8", "surrogateescape"))
        yield from _whole(text.encode("utf-8", "surrogateescape"))
    if _TIME.search(dump):
        yield from _whole(_TIME.sub(b"", dump))


def _whole(text: bytes) -> Iterator[bytes]:
    end = object_end(text)
    if end > 0:
        yield text[:end]
