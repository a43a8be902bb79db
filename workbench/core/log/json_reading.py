"""JSON in a line of a log: where it begins, where it ends, and its value."""

from __future__ import annotations

import json
import re
from typing import Any, Final

# Text that may precede JSON or a quoted line: names and times.
BEFORE: Final = rb"[^{}\"\[]{0,200}(?:\[[^{}\"\[\]]{0,200}\][^{}\"\[]{0,200}){0,5}"
_JSON_LINE: Final = re.compile(BEFORE + rb"(?=\[?\{\s*\")")
_STRING_OR_BRACE: Final = re.compile(rb"\"(?:[^\"\\]++|\\.)*+\"?|[{}]", re.DOTALL)


def starts_json(line: bytes) -> re.Match[bytes] | None:
    """The prefix of ``line`` before its JSON, or None."""
    return _JSON_LINE.match(line)


def object_end(text: bytes) -> int:
    """The end of the JSON object at the beginning of text; -1 if the object is incomplete."""
    depth = 0
    for match in _STRING_OR_BRACE.finditer(text):
        if match[0] == b"{":
            depth += 1
        elif match[0] == b"}":
            depth -= 1
            if depth == 0:
                return match.end()
    return -1


def read_after(start: re.Match[bytes], line: bytes) -> Any:
    """The value of the JSON that follows ``start`` in a line; None if it cannot be read."""
    text = line[start.end() :].strip().rstrip(b",")
    if text.startswith(b"[") != text.endswith(b"]"):  # the first or last one of a list
        text = text.removeprefix(b"[").removesuffix(b"]")
    return parse_value(text)


def parse_value(text: bytes) -> Any:
    """The value of JSON text, which may contain raw control characters; None if it cannot
    be read.
    """
    try:
        return json.loads(text.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
