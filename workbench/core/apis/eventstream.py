"""Event streams of AWS: binary messages, each with headers, a payload and two checksums.

A message begins with its length, the length of its headers and the checksum of both, and ends with
the checksum of everything before. The payload is JSON; in a ``chunk`` it has other JSON in base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import Final, NamedTuple

from workbench.core.json.values import mapping, string

CONTENT_TYPE: Final = "application/vnd.amazon.eventstream"
_BEGINNING: Final = struct.Struct(">II")
_CHECKSUM: Final = struct.Struct(">I")
_PRELUDE: Final = _BEGINNING.size + _CHECKSUM.size
# The types of header values: text, and types of fixed size; other values begin with their size.
_TEXT: Final = 7
_SIZES: Final = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_JSON: Final = {":content-type": "application/json"}


class EventMessage(NamedTuple):
    """One message.

    Attributes:
        headers: the headers with text values.
    """

    headers: Mapping[str, str]
    payload: bytes

    @property
    def kind(self) -> str:
        """The type of its event, or of its exception."""
        return self.headers.get(":event-type") or self.headers.get(":exception-type", "")

    @property
    def is_exception(self) -> bool:
        return self.headers.get(":message-type") in ("exception", "error")

    @property
    def data(self) -> bytes:
        """Its JSON: of a chunk that which it wraps."""
        return _unwrapped(self.payload) if self.kind == "chunk" else self.payload


def event(kind: str, payload: bytes) -> bytes:
    """The message of an event with a JSON payload."""
    return _encoded({":event-type": kind, **_JSON, ":message-type": "event"}, payload)


def chunk(data: bytes) -> bytes:
    """The message that wraps other JSON."""
    return event("chunk", b'{"bytes":"' + base64.b64encode(data) + b'"}')


def exception(kind: str, payload: bytes) -> bytes:
    """The message of an error, which ends a stream."""
    return _encoded({":exception-type": kind, **_JSON, ":message-type": "exception"}, payload)


def _encoded(headers: Mapping[str, str], payload: bytes) -> bytes:
    written = b""
    for name, value in headers.items():
        key, text = name.encode("ascii"), value.encode("utf-8")
        written += bytes([len(key)]) + key + bytes([_TEXT]) + len(text).to_bytes(2, "big") + text
    return _message(written, payload)


def _message(headers: bytes, payload: bytes) -> bytes:
    length = _PRELUDE + len(headers) + len(payload) + _CHECKSUM.size
    beginning = _BEGINNING.pack(length, len(headers))
    message = beginning + _CHECKSUM.pack(binascii.crc32(beginning)) + headers + payload
    return message + _CHECKSUM.pack(binascii.crc32(message))


def is_stream(content_type: str, body: bytes | bytearray) -> bool:
    """True if a body is an event stream. Its beginning takes precedence over its content type."""
    if len(body) >= _PRELUDE:
        return _length(body, 0) > 0
    return content_type.partition(";")[0].strip().lower() == CONTENT_TYPE


def _length(stream: bytes | bytearray, start: int) -> int:
    """The length of the message that begins at ``start``; 0 if none does."""
    if len(stream) < start + _PRELUDE:
        return 0
    length, headers = _BEGINNING.unpack_from(stream, start)
    (checksum,) = _CHECKSUM.unpack_from(stream, start + _BEGINNING.size)
    begins = binascii.crc32(stream[start : start + _BEGINNING.size]) == checksum
    return length if begins and length >= _PRELUDE + headers + _CHECKSUM.size else 0


def frames(stream: bytes | bytearray) -> Iterator[bytes]:
    """The bytes of each message; the last may be a part of one, or anything else."""
    start = 0
    while start < len(stream):
        end = start + (_length(stream, start) or len(stream))
        yield bytes(stream[start:end])
        start = end


def decoded(frame: bytes) -> EventMessage | None:
    """The message that ``frame`` is; None if it is cut or damaged."""
    if not frame or _length(frame, 0) != len(frame):
        return None
    end = len(frame) - _CHECKSUM.size
    if _CHECKSUM.unpack_from(frame, end) != (binascii.crc32(frame[:end]),):
        return None
    start = _payload_start(frame)
    return EventMessage(_headers(frame[_PRELUDE:start]), frame[start:end])


def _payload_start(frame: bytes) -> int:
    return _PRELUDE + int(_BEGINNING.unpack_from(frame)[1])


def _headers(written: bytes) -> dict[str, str]:
    """The headers with text values."""
    headers: dict[str, str] = {}
    reader = BytesIO(written)
    while size := reader.read(1):
        name = reader.read(size[0]).decode("utf-8", "replace")
        kind = _number(reader.read(1))
        length = _SIZES[kind] if kind in _SIZES else _number(reader.read(2))
        value = reader.read(length)
        if kind == _TEXT:
            headers[name] = value.decode("utf-8", "replace")
    return headers


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def last(stream: bytes | bytearray) -> EventMessage | None:
    """The message that ends a stream; None while one is not whole."""
    start = end = 0
    while length := _length(stream, end):
        start, end = end, end + length
    return decoded(bytes(stream[start:end])) if end == len(stream) else None


def texts(stream: bytes) -> Iterator[str]:
    """The JSON of each message of a stream that can be read."""
    if is_stream("", stream):
        for frame in frames(stream):
            if message := decoded(frame):
                yield message.data.decode("utf-8", "replace")


def shown(part: bytes) -> str:
    """A part of a stream for people: the JSON of its messages, and what is none as it is."""
    read = ((frame, decoded(frame)) for frame in frames(part))
    return "\n".join(
        (message.data if message else frame).decode("utf-8", "backslashreplace")
        for frame, message in read
    )


def changed(stream: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A stream with ``change``, which keeps lengths, made to the JSON of each message."""
    return b"".join(_changed(frame, change) for frame in frames(stream))


def _changed(frame: bytes, change: Callable[[bytes], bytes]) -> bytes:
    message = decoded(frame)
    if message is None:
        return change(frame)
    if message.data is message.payload:
        payload = change(message.payload)
    else:
        wrapped = base64.b64encode(message.data)
        payload = message.payload.replace(wrapped, base64.b64encode(change(message.data)))
    return _message(frame[_PRELUDE : _payload_start(frame)], payload)


def _unwrapped(payload: bytes) -> bytes:
    """The JSON that a chunk wraps; the payload itself if it wraps none."""
    try:
        wrapped = string(mapping(json.loads(payload)).get("bytes"))
        return base64.b64decode(wrapped, validate=True) if wrapped else payload
    except (ValueError, RecursionError):
        return payload
