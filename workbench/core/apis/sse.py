"""Server-sent events as a client reads them: the rules of the WHATWG's "Server-sent events".

An event counts once its blank line was received; comments are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    yield from of_lines(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1])


def of_lines(lines: Iterable[str]) -> Iterator[Event]:
    """Each event as soon as its lines, given without their ends, are complete."""
    kind = ""
    data: list[str] = []
    for line in lines:
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif name == "event":
            kind = value.removeprefix(" ")
        elif not line:
            if data:
                yield Event(kind, "\n".join(data))
            kind, data = "", []
