"""What happens in folders, told by Linux itself: at once, and waking nobody while nothing does."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import monotonic
from typing import Final, Self

IS_AVAILABLE: Final = sys.platform == "linux"

# From <sys/inotify.h>.
_MODIFY, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _IGNORED, _ONLYDIR = 0x400, 0x800, 0x2000, 0x8000, 0x1000000
_WANTED: Final = _MODIFY | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_GONE: Final = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _IGNORED
_HEAD: Final = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows
_BUFFER: Final = 1 << 16


class FolderWatch:
    """Watches folders, not what is below them. To be used as a context manager.

    Args:
        quiet: seconds without events after which a batch ends.
        most: seconds after which it ends all the same.

    Raises:
        OSError: a folder is not there, or the system has no more watches to give.
    """

    def __init__(self, folders: Iterable[Path], *, quiet: float, most: float) -> None:
        self._quiet, self._most = quiet, most
        libc = ctypes.CDLL(None, use_errno=True)
        self._wake = os.eventfd(0)
        self._events = -1
        try:
            self._events = _checked(libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
            for folder in folders:
                name = os.fsencode(folder)
                _checked(libc.inotify_add_watch(self._events, name, _WANTED | _ONLYDIR))
        except OSError:
            self.close()
            raise
        self._poll = select.poll()
        for descriptor in (self._events, self._wake):
            self._poll.register(descriptor, select.POLLIN)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._wake)
        if self._events >= 0:
            os.close(self._events)

    def interrupt(self) -> None:
        """End ``batches``. May be called from any thread, until this is closed."""
        os.eventfd_write(self._wake, 1)

    def batches(self, timeout: float) -> Iterator[set[str]]:
        """The names of files to which something happened, or none after ``timeout`` seconds. Ends
        when a folder went away, and by ``interrupt``.
        """
        while True:
            names: set[str] = set()
            wait, until = timeout, monotonic() + timeout
            while (ready := self._ready(wait)) == {self._events}:
                is_first = not names
                told, is_gone = self._read()
                names |= told
                if is_gone:
                    yield names
                    return
                if is_first:
                    until = monotonic() + self._most
                wait = min(self._quiet, until - monotonic())
                if wait <= 0:
                    break
            yield names
            if self._wake in ready:
                return

    def _ready(self, timeout: float) -> set[int]:
        return {descriptor for descriptor, _ in self._poll.poll(max(timeout, 0) * 1000)}

    def _read(self) -> tuple[set[str], bool]:
        """The names told by now, and whether a folder went away."""
        data, at = os.read(self._events, _BUFFER), 0
        names, is_gone = set(), False
        while at < len(data):
            _, mask, _, length = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            if name := data[at : at + length].rstrip(b"\0"):
                names.add(os.fsdecode(name))
            is_gone |= bool(mask & _GONE)
            at += length
        return names, is_gone


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
