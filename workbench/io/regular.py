"""Reading files of folders that anything may lie in."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int = -1) -> bytes:
    """The bytes of a file, or the first ``most`` of them. A named pipe, or what else has no end of
    its own, is refused: to wait for it may take for ever. Raises OSError.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        return file.read(most)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
