"""Request dumps on disk instead of in memory, safe from what happens to the log they came from."""

from __future__ import annotations

import tempfile
import threading
from typing import Final

# Before each piece stands how long it is: what keeps a place keeps one number.
_LENGTH_BYTES: Final = 8


class Spool:
    """An append-only temporary file without a name: it is gone when the process is, however it
    ends. May be used from several threads.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by close)
        self._lock = threading.Lock()
        self._end = 0

    def put(self, data: bytes) -> int:
        """Keep ``data``; its place, for ``get``. Raises OSError where the disk is full; what was
        put before stays.
        """
        with self._lock:
            place = self._end
            self._file.seek(place)
            whole = rest = memoryview(len(data).to_bytes(_LENGTH_BYTES) + data)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._end += len(whole)
            return place

    def get(self, place: int) -> bytes:
        """What was put there. Raises OSError."""
        # Not pread, which Windows has not.
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
