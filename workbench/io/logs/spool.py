"""Keeps request dumps on disk instead of in memory, independent of their log."""

from __future__ import annotations

import tempfile
import threading
from typing import Final

# Each piece starts with its length, so that its place is one number.
_LENGTH_BYTES: Final = 8


class Spool:
    """An append-only temporary file without a name, which disappears with the process.
    Thread-safe.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by close)
        self._lock = threading.Lock()
        self._end = 0

    def put(self, data: bytes) -> int:
        """Append ``data``; returns its place. Raises OSError if the disk is full; earlier data
        stays.
        """
        with self._lock:
            place = self._end
            self._file.seek(place)
            whole = unwritten = memoryview(len(data).to_bytes(_LENGTH_BYTES) + data)
            while unwritten:
                unwritten = unwritten[self._file.write(unwritten) :]
            self._end += len(whole)
            return place

    def get(self, place: int) -> bytes:
        """The data at ``place``. Raises OSError."""
        # Not pread: Windows does not have it.
        with self._lock:
            self._file.seek(place)
            return self._read(int.from_bytes(self._read(_LENGTH_BYTES)))

    def _read(self, missing: int) -> bytes:
        parts = []
        while missing and (part := self._file.read(missing)):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        with self._lock:
            self._file.close()
