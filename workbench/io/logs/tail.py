"""Reads growing logs, which may be truncated, replaced, deleted or created late."""

from __future__ import annotations

import errno
import os
import select
import stat
import threading
import time
import zlib
from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, Protocol

from workbench.io.files.regular import read_at

SLICE = 3 << 17
STANDARD_INPUT = Path("-")
# This many of the last bytes are compared at each read, to notice a file that was rewritten.
_MARK = 1024
# Two changes in one tick of the file system have the same time, so file times younger than this
# prove nothing. The coarsest ticks are two seconds long (FAT).
_TICK_NS = 2_000_000_000


class LogData(NamedTuple):
    """New bytes of the log; ``offset`` is their place in the file."""

    data: bytes
    offset: int


class LogFailed(NamedTuple):
    """The log cannot be read now; each read tries again."""

    reason: str


class LogChange(Enum):
    """Changes of a log, other than growth.

    Attributes:
        CUT: the file was truncated or rewritten; data follows from its start.
        REPLACED: another file now has the name (rotated, recreated); data follows from its start.
        GONE: no file has the name any more. Data may still follow, while the writer has the old
            file open.
        ENDED: the writers of the stream closed it; nothing follows.
    """

    CUT = auto()
    REPLACED = auto()
    GONE = auto()
    ENDED = auto()


TailEvent = LogData | LogFailed | LogChange


class Tail(Protocol):
    """A log that is read in parts."""

    path: Path

    @property
    def backlog(self) -> int:
        """How many bytes are known to be unread."""

    def read(self, limit: int = SLICE) -> list[TailEvent]:
        """The events since the last call, with about ``limit`` bytes of data at most."""

    def may_have_news(self) -> bool:
        """False only if a read would certainly return nothing. Quicker than a read."""

    def close(self) -> None: ...


class LogTail:
    """Reads a log file from its start, then what is appended.

    Each byte that is in the file at a read is delivered once. NULs at the start are skipped: a
    writer whose log was truncated leaves them. A file that was rewritten between two reads with the
    same last bytes is not noticed. The file may be missing. Thread-safe.

    Args:
        now: the time in nanoseconds since the epoch, by which the times of the file are judged.
    """

    def __init__(self, path: Path, *, now: Callable[[], int] = time.time_ns) -> None:
        self.path = path
        self.backlog = 0
        self._lock = threading.Lock()
        self._descriptor: int | None = None
        self._identity = (0, 0)
        self._position = 0
        self._mark = b""
        self._blank = True
        self._gone = False
        self._failure = ""
        self._now = now
        # The state of the file before the last read; None where it may change unnoticed.
        self._read_as: tuple[int, ...] | None = None

    def read(self, limit: int = SLICE) -> list[TailEvent]:
        events: list[TailEvent] = []
        with self._lock:
            try:
                self._read(events, limit)
                self._failure = ""
            except OSError as error:
                reason = error.strerror or str(error)
                if reason != self._failure:
                    events.append(LogFailed(reason))
                self._failure = reason
                self.backlog = 0
                self._read_as = None
        return events

    def may_have_news(self) -> bool:
        try:
            status = os.stat(self.path)
        except OSError:
            return True  # a writer may have the old file open
        return _state(status) != self._read_as

    def close(self) -> None:
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _read(self, events: list[TailEvent], limit: int) -> None:
        if self._descriptor is None and not self._open():
            return
        if self.backlog > limit:
            self._read_file(events, limit)  # not near the end: look at the name later
            return
        # First look at the name, then read the rest of the old file: when a new file has content,
        # its writer no longer writes to the old one.
        gone, replaced = self._look_at_name()
        self._read_file(events, limit)
        if gone and not self._gone:
            events.append(LogChange.GONE)
        self._gone = gone
        if replaced and not self.backlog and self._open():
            events.append(LogChange.REPLACED)
            self._read_file(events, limit)

    def _look_at_name(self) -> tuple[bool, bool]:
        """Two flags: True if no file has the name, and True if another file has it.

        An empty new file does not count, because it is created before the writer closes the old
        one.
        """
        self._read_as = None
        try:
            status = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return True, False
        is_same = (status.st_dev, status.st_ino) == self._identity
        if is_same and max(status.st_mtime_ns, status.st_ctime_ns) < self._now() - _TICK_NS:
            self._read_as = _state(status)
        return False, not is_same and status.st_size > 0

    def _open(self) -> bool:
        """Open the file that has the name now, if there is one."""
        try:
            # Non-blocking, in case the name now belongs to a named pipe.
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.path, flags)
        except (FileNotFoundError, NotADirectoryError):
            return False
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            os.close(descriptor)
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        self._close()
        self._descriptor = descriptor
        self._identity = (status.st_dev, status.st_ino)
        self._restart()
        return True

    def _restart(self) -> None:
        self.backlog = 0
        self._position = 0
        self._mark = b""
        self._blank = True

    def _read_file(self, events: list[TailEvent], limit: int) -> None:
        assert self._descriptor is not None
        block = self._next_block(self._descriptor, limit)
        if block is None:
            events.append(LogChange.CUT)
            self._restart()
            block = self._next_block(self._descriptor, limit)
        while block:
            data = block.lstrip(b"\0") if self._blank else block
            if data:
                self._blank = False
                events.append(LogData(data, self._position - len(data)))
                return
            block = self._next_block(self._descriptor, limit)

    def _next_block(self, descriptor: int, limit: int) -> bytes | None:
        """Read the next bytes; None if the file was rewritten.

        The last bytes read before are compared after reading: a file is rewritten from its start,
        so if the new bytes are there, so are those before them.
        """
        waiting = self.backlog
        if waiting <= limit:  # near the end, which may have moved
            waiting = os.fstat(descriptor).st_size - self._position
        if waiting < 0:
            return None
        block = read_at(descriptor, self._position, min(limit, waiting))
        before = read_at(descriptor, self._position - len(self._mark), len(self._mark))
        if before != self._mark:
            return None
        self._position += len(block)
        self._mark = block[-_MARK:] if len(block) >= _MARK else (self._mark + block)[-_MARK:]
        # Some file systems report a size that is too large.
        self.backlog = waiting - len(block) if block else 0
        return block


def _state(status: os.stat_result) -> tuple[int, ...]:
    """Differs after a change, also after one that put the time of the content back."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class StreamTail:
    """Reads a log from a pipe: standard input or a named pipe."""

    backlog = 0

    def __init__(self, descriptor: int, path: Path = STANDARD_INPUT) -> None:
        self.path = path
        self.descriptor = descriptor
        self._lock = threading.Lock()
        self._position = 0
        self._ended = False

    def read(self, limit: int = SLICE) -> list[TailEvent]:
        with self._lock:
            if self._ended or not select.select([self.descriptor], [], [], 0)[0]:
                return []
            offset = self._position
            try:
                data = os.read(self.descriptor, limit)
            except BlockingIOError:
                return []
            except OSError as error:
                self._ended = True
                return [LogFailed(error.strerror or str(error)), LogChange.ENDED]
            self._position += len(data)
            self._ended = not data
            return [LogData(data, offset) if data else LogChange.ENDED]

    def may_have_news(self) -> bool:
        with self._lock:
            return not self._ended and bool(select.select([self.descriptor], [], [], 0)[0])

    def close(self) -> None:
        """Stop reading. Standard input stays open."""
        with self._lock:
            self._ended = True
            if self.path != STANDARD_INPUT:
                os.close(self.descriptor)


class PackedTail:
    """Reads a log packed by gzip from its start to its end; such a file does not grow.
    Thread-safe.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        import gzip  # few logs are packed

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
