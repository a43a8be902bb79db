"""Reading files of folders that anything may lie in, and files that somebody names."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Final

# Of what is read whole. No request or reply is longer.
LONGEST: Final = 64 * 1024 * 1024


def read_regular(path: Path, most: int = -1) -> bytes:
    """The bytes of a file, or the first ``most`` of them. A named pipe, or what else has no end of
    its own, is refused, for to wait for it may take for ever; so is a file that is very long.
    Raises OSError.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        if most < 0 and status.st_size > LONGEST:
            mebibytes = LONGEST // (1024 * 1024)
            raise OSError(errno.EFBIG, f"it is longer than {mebibytes} MiB", str(path))
        return file.read(most)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def open_finite(path: Path | str) -> BufferedReader:
    """Open what somebody names, to read it to its end: a file, a pipe (once it has a writer), a
    terminal or the null device. Other devices never end and are refused. Raises OSError.
    """
    file = open(path, "rb")  # noqa: SIM115  (the caller closes it)
    kind = os.fstat(file.fileno()).st_mode
    is_device = stat.S_ISCHR(kind) or stat.S_ISBLK(kind)
    if is_device and not (file.isatty() or os.path.samefile(path, os.devnull)):
        file.close()
        raise OSError(errno.EINVAL, "it is a device, not a file", str(path))
    return file


def open_named(path: Path | str) -> BufferedReader:
    """Open a file that somebody names, as ``open_finite`` does, but refuse what would have to be
    waited for: a named pipe, a socket. Raises OSError.
    """
    refuse_waiting(path)
    return open_finite(path)


def refuse_waiting(path: Path | str) -> None:
    """Raise OSError where reading ``path`` may take for ever: a named pipe, a socket, a device."""
    kind = os.stat(path).st_mode
    if stat.S_ISFIFO(kind) and _has_name(path):
        raise OSError(errno.EINVAL, "it is a named pipe, not a file", str(path))
    if stat.S_ISSOCK(kind):
        raise OSError(errno.EINVAL, "it is a socket, not a file", str(path))
    refuse_endless(Path(path))


def _has_name(path: Path | str) -> bool:
    """Whether a pipe is in a folder. That of a shell's ``<(command)`` is not, and has a writer."""
    real = os.path.realpath(path)
    return os.path.exists(real) and not real.startswith("/dev/fd/")


def refuse_endless(path: Path) -> None:
    """Raise OSError where there is a device at ``path`` that ``open_finite`` refuses."""
    if path.is_char_device() or path.is_block_device():
        open_finite(path).close()


def read_at(descriptor: int, offset: int, count: int) -> bytes:
    """At most ``count`` bytes of an open file from ``offset`` on. Raises OSError."""
    if hasattr(os, "pread"):  # Windows has none
        return os.pread(descriptor, count, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, count)
