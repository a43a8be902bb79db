"""Streams of JSON objects, each in a line of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

CONTENT_TYPE: Final = "application/x-ndjson"
STREAM_JSON: Final = "application/stream+json"
_TYPES: Final = (CONTENT_TYPE, STREAM_JSON, "application/ndjson", "application/jsonl")


def is_stream(content_type: str, body: bytes) -> bool:
    """True if a body is such a stream: by its content type, or because its whole first line is an
    object and more follows.
    """
    if content_type.partition(";")[0].strip().lower() in _TYPES:
        return True
    first, _, more = body.lstrip().partition(b"\n")
    return first.startswith(b"{") and bool(more.strip()) and _is_json(first)


def lines(body: bytes) -> Iterator[bytes]:
    """The lines of a stream, each with its line end; the last one may have none."""
    yield from body.splitlines(keepends=True)


def objects(body: bytes) -> Iterator[str]:
    """The lines that begin like objects."""
    for line in lines(body):
        if line.lstrip().startswith(b"{"):
            yield line.decode("utf-8", "replace")


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
