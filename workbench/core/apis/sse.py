"""Server-sent events as a client reads them: the rules of the WHATWG's "Server-sent events".

An event counts once its blank line was received; comments are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Event(NamedTuple):
    """One event.

    Attributes:
        kind: "" where the stream names none.
    """

    kind: str
    data: str


def events(stream: bytes) -> Iterator[Event]:
    """The events of a complete stream."""
    text = stream.decode("utf-8", "replace").removeprefix("\ufeff")
    kind = ""
    data: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif name == "event":
            kind = value.removeprefix(" ")
        elif not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data = "", []
