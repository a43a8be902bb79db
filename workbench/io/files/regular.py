"""Reads files without waiting for pipes or reading endless devices."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

from workbench.core.text.wording import mebibytes

# Maximum size of a file that is read as a whole; requests and replies are shorter.
LONGEST: Final = 64 * 1024 * 1024


def read_regular(path: Path | str) -> bytes:
    """The bytes of a regular file. Raises OSError, also for pipes, devices and very long files."""
    with open(path, "rb", buffering=0, opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        if status.st_size > LONGEST:
            raise OSError(errno.EFBIG, f"it is longer than {mebibytes(LONGEST)}", str(path))
        return file.read()


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def open_finite(path: Path | str, *, named_pipes: bool = False) -> BufferedReader:
    """Open what ``refuse_endless`` lets through. Raises OSError."""
    refuse_endless(path, named_pipes=named_pipes)
    return open(path, "rb")


def refuse_endless(path: Path | str, *, named_pipes: bool = False) -> None:
    """Raise OSError for files that may never end: a socket, a device other than a terminal and the
    null device, and a named pipe unless ``named_pipes``.
    """
    kind = os.stat(path).st_mode
    if stat.S_ISFIFO(kind) and not named_pipes and _has_name(path):
        raise OSError(errno.EINVAL, "it is a named pipe, not a file", str(path))
    if stat.S_ISSOCK(kind):
        raise OSError(errno.EINVAL, "it is a socket, not a file", str(path))
    if stat.S_ISCHR(kind) or stat.S_ISBLK(kind):
        with open(path, "rb") as device:
            if not (device.isatty() or os.path.samefile(path, os.devnull)):
                raise OSError(errno.EINVAL, "it is a device, not a file", str(path))


def _has_name(path: Path | str) -> bool:
    """True if a pipe is in a folder. The pipe of a shell's ``<(command)`` is not, and has a
    writer.
    """
    real = os.path.realpath(path)
    return os.path.exists(real) and not real.startswith("/dev/fd/")


def read_at(descriptor: int, offset: int, count: int) -> bytes:
    """At most ``count`` bytes of an open file from ``offset``. Raises OSError."""
    if hasattr(os, "pread"):  # Windows has none
        return os.pread(descriptor, count, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, count)
