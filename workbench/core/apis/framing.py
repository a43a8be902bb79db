"""How APIs cut the bytes of a stream into frames. Each declares one of these in its ``Replies``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from workbench.core.apis import ndjson, sse


class Framing(NamedTuple):
    """A way to cut a stream into frames.

    Attributes:
        is_stream: whether a body is such a stream, from content type and body, of which only the
            beginning may be there yet.
        frames: the frames of a stream, all bytes of it.
        texts: what the frames hold, which is JSON; the last one may be cut. None for a body that
            is no such stream.
    """

    is_stream: Callable[[str, bytes], bool]
    frames: Callable[[bytes], Iterator[bytes]]
    texts: Callable[[bytes], Iterator[str]]


SSE: Final = Framing(sse.is_stream, sse.frames, sse.texts)
NDJSON: Final = Framing(ndjson.is_stream, ndjson.lines, ndjson.objects)
FRAMINGS: Final = (SSE, NDJSON)


def texts(body: bytes) -> Iterator[str]:
    """What the frames of a body hold, whichever way it is cut into them; none for no stream."""
    for framing in FRAMINGS:
        if framing.is_stream("", body):
            yield from framing.texts(body)
