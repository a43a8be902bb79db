"""Reading logs as they grow, however they are cut, replaced, deleted or late."""

from __future__ import annotations

import errno
import os
import select
import stat
import threading
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, Protocol

from workbench.io.regular import read_at, refuse_endless

SLICE = 3 << 17
STANDARD_INPUT = Path("-")
# So many of the bytes last read are compared at every read; others there mean another content.
_MARK = 1024


class LogData(NamedTuple):
    """Bytes of the log that were not delivered before; ``offset`` is their place in the file."""

    data: bytes
    offset: int


class LogFailed(NamedTuple):
    """The log cannot be read now, for this reason; tried again at every read."""

    reason: str


class LogChange(Enum):
    """What happened to a log besides that more was written.

    Attributes:
        CUT: the file was truncated or rewritten in place; what follows is from its start.
        REPLACED: another file has the name now (rotated, recreated); what follows is from its
            start.
        GONE: no file has the name any more; waiting for one. Data may still follow: what its writer
            goes on writing into the file without a name.
        ENDED: the stream was closed at its other end; nothing follows.
    """

    CUT = auto()
    REPLACED = auto()
    GONE = auto()
    ENDED = auto()


TailEvent = LogData | LogFailed | LogChange


class Tail(Protocol):
    """A log that is read bit by bit."""

    path: Path

    @property
    def backlog(self) -> int:
        """How many bytes are known to wait."""

    def read(self, limit: int = SLICE) -> list[TailEvent]:
        """What happened since the last call, with at most about ``limit`` bytes of data."""

    def close(self) -> None: ...


class LogTail:
    """Reads a log file from its start and then what is appended.

    Each byte that was in the file at a read is delivered once. NULs at the start of a file are
    left out: they are the hole before the place of a writer whose log was truncated under it.
    The one thing not noticed is a file rewritten, between two reads, with the very bytes it had.
    The file may be absent, at start too. ``read`` and ``close`` may be called from any thread.
    """

    def __init__(self, path: Path) -> None:
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
        return events

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
            self._read_file(events, limit)  # not near its end: who has the name comes later
            return
        # The name first, the old file's rest after it: a writer that has begun the new file has
        # let go of the old one, so that nothing comes to it later.
        gone, replaced = self._look_at_name()
        self._read_file(events, limit)
        if gone and not self._gone:
            events.append(LogChange.GONE)
        self._gone = gone
        if replaced and not self.backlog and self._open():
            events.append(LogChange.REPLACED)
            self._read_file(events, limit)

    def _look_at_name(self) -> tuple[bool, bool]:
        """Whether no file has the name, and whether another one has.

        A new file that is empty does not count yet: who rotates logs makes the new file before the
        writer lets go of the old one.
        """
        try:
            found = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return True, False
        return False, (found.st_dev, found.st_ino) != self._identity and found.st_size > 0

    def _open(self) -> bool:
        """Go over to the file that has the name now, if any."""
        try:
            # Not blocking, for a named pipe that turns up here.
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self.path, flags)
        except (FileNotFoundError, NotADirectoryError):
            return False
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            os.close(descriptor)
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        self._close()
        self._descriptor = descriptor
        self._identity = (found.st_dev, found.st_ino)
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
        """Take the bytes at the position; None where the file is not the one read so far.

        What was read last is compared after the reading: a file is written anew from its start, so
        that bytes which are none of the old file's have others before them by then.
        """
        waiting = self.backlog
        if waiting <= limit:  # near its end, which may be elsewhere by now
            waiting = os.fstat(descriptor).st_size - self._position
        if waiting < 0:
            return None
        block = read_at(descriptor, self._position, min(limit, waiting))
        before = read_at(descriptor, self._position - len(self._mark), len(self._mark))
        if before != self._mark:
            return None
        self._position += len(block)
        self._mark = block[-_MARK:] if len(block) >= _MARK else (self._mark + block)[-_MARK:]
        # Some file systems announce a size that there is not.
        self.backlog = waiting - len(block) if block else 0
        return block


class StreamTail:
    """Reads a log that comes through a pipe: standard input, a named pipe."""

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

    def close(self) -> None:
        """Read no more. Standard input itself stays open: it is not ours to close."""
        with self._lock:
            self._ended = True
            if self.path != STANDARD_INPUT:
                os.close(self.descriptor)


def open_tail(path: Path) -> Tail:
    """The tail of a log file, of a named pipe, or, for ``-``, of standard input.

    Raises:
        OSError: it cannot be opened, or it is a device that never ends.
    """
    if path == STANDARD_INPUT:
        return StreamTail(0)
    refuse_endless(path)
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return LogTail(path)
    if stat.S_ISFIFO(kind) or stat.S_ISCHR(kind):
        return StreamTail(os.open(path, os.O_RDONLY | os.O_NONBLOCK), path)
    return LogTail(path)
