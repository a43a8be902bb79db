"""Reads a log that was packed by gzip, such as one that CI kept."""

from __future__ import annotations

import gzip
import os
import threading
import zlib
from pathlib import Path

from workbench.io.logs.tail import SLICE, LogChange, LogData, LogFailed, TailEvent


class PackedTail:
    """Reads a log packed by gzip from its start to its end; such a file does not grow.
    Thread-safe.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.backlog = os.stat(path).st_size
        self._file = gzip.open(path)  # noqa: SIM115  (closed by close)
        self._position = 0
        self._lock = threading.Lock()

    def read(self, limit: int = SLICE) -> list[TailEvent]:
        with self._lock:
            if not self.backlog:
                return []
            try:
                data = self._file.read(limit)
            except (OSError, EOFError, zlib.error) as error:
                self.backlog = 0
                return [LogFailed(str(error)), LogChange.ENDED]
            if not data:
                self.backlog = 0
                return [LogChange.ENDED]
            begin = self._position
            self._position += len(data)
            return [LogData(data, begin)]

    def may_have_news(self) -> bool:
        return bool(self.backlog)

    def close(self) -> None:
        with self._lock:
            self.backlog = 0
            self._file.close()
