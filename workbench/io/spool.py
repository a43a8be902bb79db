"""Request dumps on disk instead of in memory, safe from what happens to the log they came from."""

from __future__ import annotations

import tempfile
import threading
from typing import NamedTuple


class SpoolRef(NamedTuple):
    """Where in the spool something was put."""

    offset: int
    length: int


class Spool:
    """An append-only temporary file without a name: it is gone when the process is, however it
    ends. May be used from several threads.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by close)
        self._lock = threading.Lock()
        self._end = 0

    def put(self, data: bytes) -> SpoolRef:
        """Keep ``data``. Raises OSError where the disk is full; what was put before stays."""
        with self._lock:
            self._file.seek(self._end)
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            ref = SpoolRef(self._end, len(data))
            self._end += len(data)
            return ref

    def get(self, ref: SpoolRef) -> bytes:
        """What was put at ``ref``. Raises OSError."""
        # Not pread, which Windows has not.
        with self._lock:
            self._file.seek(ref.offset)
            parts = []
            missing = ref.length
            while missing and (part := self._file.read(missing)):
                parts.append(part)
                missing -= len(part)
            return b"".join(parts)

    def close(self) -> None:
        with self._lock:
            self._file.close()
