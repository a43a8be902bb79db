"""Requests in logs that other programs escaped, or wrote more text after."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from workbench.core.log.wrapped import object_end

_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
# Docker puts one before each piece of a line: ``docker logs --timestamps``.
_TIME: Final = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ")


def other_readings(dump: bytes) -> Iterator[bytes]:
    """What a dump may be beside what stands there: the JSON that more text follows, and the text
    before a report in XML, a ``repr`` or a runtime changed it.
    """
    end = object_end(dump)
    if 0 < end < len(dump):
        yield dump[:end]
    if b"&" in dump:
        text = html.unescape(dump.decode("utf-8", "surrogateescape"))
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
