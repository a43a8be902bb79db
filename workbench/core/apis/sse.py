"""Server-sent events as a client reads them: the rules of the WHATWG's "Server-sent events".

An event counts once its blank line was received; comments are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

CONTENT_TYPE: Final = "text/event-stream; charset=utf-8"
_BLANK: Final = b" \t\r\n"
# The number of bytes of a body that are checked.
_BEGINNING: Final = 1024
_EVENT: Final = re.compile(rb"(?:data|event|id|retry)?:|(?:data|event|id|retry)[\r\n]")
_FRAME_END: Final = re.compile(rb"(?<=\n\n)|(?<=\n\r\n)")
_STRAY: Final = re.compile(r"^(?![ \t]*$|:|(?:data|event|id|retry)(?::|$)).+", re.MULTILINE)


class Event(NamedTuple):
    """One event.

    Attributes:
        kind: "" where the stream names none.
    """

    kind: str
    data: str


def is_stream(content_type: str, body: bytes) -> bool:
    """True if a body is a stream of events. Its beginning takes precedence over its content type,
    which some upstreams leave out and recordings lose.
    """
    start = body[:_BEGINNING].removeprefix(b"\xef\xbb\xbf").lstrip(_BLANK)
    if start.startswith((b"{", b"[")):
        return False
    if _EVENT.match(start):
        return True
    return content_type.partition(";")[0].strip().lower() == "text/event-stream"


def events(stream: bytes) -> Iterator[Event]:
    """The events of a complete stream."""
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    kind = ""
    data: list[str] = []
    for line in _lines(text).split("\n")[:-1]:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif name == "event":
            kind = value.removeprefix(" ")
        elif not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data = "", []


def frames(stream: bytes) -> Iterator[bytes]:
    """The bytes of a stream, cut after the blank line of each event."""
    yield from filter(None, _FRAME_END.split(stream))


def texts(stream: bytes) -> Iterator[str]:
    """The data of the events, also of one that has no blank line yet."""
    if b"data:" in stream:
        yield from (event.data for event in events(stream + b"\n\n"))


def stray_line(stream: str) -> str:
    """The first line of the events that is neither one of their fields nor a comment: readers skip
    it. "" for none.
    """
    match = _STRAY.search(_lines(stream).rpartition("\n\n")[0])
    return match[0] if match else ""


def unended(stream: str) -> str:
    """The text after the last event, without the blank line that ends one, so readers skip it. ""
    if nothing follows, or only comments.
    """
    lines = _lines(stream).rpartition("\n\n")[2].split("\n")
    return "\n".join(line for line in lines if line.strip() and not line.startswith(":"))


def _lines(stream: str) -> str:
    return stream.replace("\r\n", "\n").replace("\r", "\n")
