"""Journals of recordings: append-only files ``<id>.jsonl``."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from workbench.core.formats import FormatError
from workbench.core.recordings import journal as lines
from workbench.core.recordings.exchanges import (
    Header,
    NewerFormatError,
    Record,
)

SUFFIX = ".jsonl"
BLOCK = 1 << 18


class JournalWriter:
    """Appends records to a journal, each in one write: if the process is killed, only the record
    being written is lost. Thread-safe.

    Args:
        header: of a new journal; None continues the journal at ``path``.

    Raises:
        FileExistsError: there is a header, and ``path`` exists.
        OSError: it cannot be created or opened.
    """

    def __init__(self, path: Path, header: Header | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        is_new = os.O_CREAT | os.O_EXCL if header is not None else 0
        flags = os.O_RDWR | os.O_APPEND | is_new | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(path, flags, 0o600)
        if header is None:
            self._end_torn_line()
            return
        try:
            self.append(header)
        except BaseException:  # without its header it is not a journal
            self.close()
            path.unlink()
            raise

    def _end_torn_line(self) -> None:
        """End a line that a killed writer left incomplete, so that new lines are separate."""
        if os.fstat(self._descriptor).st_size:
            os.lseek(self._descriptor, -1, os.SEEK_END)
            if os.read(self._descriptor, 1) != b"\n":
                os.write(self._descriptor, b"\n")

    def append(self, record: Record) -> None:
        """Write ``record``.

        Raises:
            FormatError: a value in it is not JSON; nothing is written.
            OSError: the disk is full; the part that was written is removed.
        """
        data = lines.line(record)
        with self._lock:
            start = os.fstat(self._descriptor).st_size
            unwritten = memoryview(data)
            try:
                while unwritten:
                    unwritten = unwritten[os.write(self._descriptor, unwritten) :]
            except OSError:
                os.ftruncate(self._descriptor, start)
                raise

    def close(self) -> None:
        os.close(self._descriptor)


def read_header(path: Path) -> Header:
    """The header of a journal; nothing else is read. Raises as ``Recording``."""
    return first_line(path)[0]


def first_line(path: Path) -> tuple[Header, int]:
    """The header, and its length in bytes."""
    with open(path, "rb") as file:
        line = file.readline(BLOCK)
    try:
        record = lines.parse(line) if line.endswith(b"\n") else None
    except NewerFormatError:
        raise
    except FormatError as error:
        raise FormatError(f"line 1: {error}") from None
    if not isinstance(record, Header):
        raise FormatError("line 1: not a recording: the first line is not a header")
    return record, len(line)
