"""How APIs cut the bytes of a stream into frames. Each declares its ways in its ``Replies``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from workbench.core.apis import eventstream, ndjson, sse


def _as_text(part: bytes) -> str:
    return part.decode("utf-8", "backslashreplace")


def _as_one(stream: bytes, change: Callable[[bytes], bytes]) -> bytes:
    return change(stream)


class Framing(NamedTuple):
    """A way to cut a stream into frames.

    Attributes:
        is_stream: True if a body is such a stream, from content type and body, of which only the
            beginning may have been received.
        frames: the frames of a stream, all bytes of it.
        texts: the JSON in the frames; the last one may be cut. None if a body is not such a stream.
        shown: a part of a stream as text, with the content of its frames where they are binary.
        changed: a stream with a change made to the content of its frames, which keeps lengths.
    """

    is_stream: Callable[[str, bytes], bool]
    frames: Callable[[bytes], Iterator[bytes]]
    texts: Callable[[bytes], Iterator[str]]
    shown: Callable[[bytes], str] = _as_text
    changed: Callable[[bytes, Callable[[bytes], bytes]], bytes] = _as_one


SSE: Final = Framing(sse.is_stream, sse.frames, sse.texts)
NDJSON: Final = Framing(ndjson.is_stream, ndjson.lines, ndjson.objects)
EVENTSTREAM: Final = Framing(
    eventstream.is_stream,
    eventstream.frames,
    eventstream.texts,
    eventstream.shown,
    eventstream.changed,
)
FRAMINGS: Final = (SSE, NDJSON, EVENTSTREAM)


def texts(body: bytes) -> Iterator[str]:
    """The contents of the frames of a body in any framing; empty if the body is not a stream."""
    if framing := framing_of("", body):
        yield from framing.texts(body)


def framing_of(
    content_type: str, body: bytes, framings: tuple[Framing, ...] = FRAMINGS
) -> Framing | None:
    """The way in which a body is cut into frames; None for one that is not a stream."""
    return next((each for each in framings if each.is_stream(content_type, body)), None)
