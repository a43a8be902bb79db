"""Decompresses HTTP bodies in small pieces, so that a short body cannot fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from workbench.core.text.wording import mebibytes

MAX_BODY: Final = 64 * 1024 * 1024
_PIECE: Final = 64 * 1024
_GZIP_OR_ZLIB: Final = 32 + zlib.MAX_WBITS


class PackingError(ValueError):
    """A body that cannot be decompressed; the text continues "the body": "is too long"."""


class Unpacker:
    """Decodes the content coding of one body, up to a maximum size.

    Args:
        coding: the header ``Content-Encoding``: nothing, ``identity``, ``gzip`` or ``deflate``.
            Several codings in a row are not supported.
        most: maximum size in bytes after decompression.

    Raises:
        PackingError: another coding.
    """

    def __init__(self, coding: str, most: int = MAX_BODY) -> None:
        name = coding.strip().lower()
        if name not in ("", "identity", "gzip", "deflate"):
            raise PackingError(f"is encoded as {coding!a}; only gzip and deflate are supported")
        self._name = name
        self._unpack = zlib.decompressobj(_GZIP_OR_ZLIB) if name in ("gzip", "deflate") else None
        self._most = most
        self._size = 0
        self._received = 0

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """The next parts of the body, from the next bytes received. Raises PackingError."""
        self._received += len(data)
        for piece in self._unpacked(data) if self._unpack is not None else (data,):
            self._size += len(piece)
            if self._size > self._most:
                raise PackingError(f"is longer than {mebibytes(self._most)}")
            if piece:
                yield piece

    def end(self) -> None:
        """The body is complete. Raises PackingError if something is missing or left over."""
        if self._unpack is None:
            return
        if self._received and not self._unpack.eof:
            raise PackingError(f"is not {self._name}: it is cut")
        if self._unpack.unused_data:
            raise PackingError(f"is not {self._name}: more follows its end")

    def _unpacked(self, data: bytes) -> Iterator[bytes]:
        assert self._unpack is not None
        piece = b""
        while data or len(piece) == _PIECE:  # after a full piece there may be more
            try:
                piece = self._unpack.decompress(data, _PIECE)
            except zlib.error as error:
                raise PackingError(f"is not {self._name}: {error}") from None
            yield piece
            data = self._unpack.unconsumed_tail


def unpacked(coding: str, data: bytes, most: int = MAX_BODY) -> bytes:
    """A whole body. Raises PackingError."""
    unpacker = Unpacker(coding, most)
    body = b"".join(unpacker.pieces(data))
    unpacker.end()
    return body
