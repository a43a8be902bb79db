"""Reading files of folders that anything may lie in."""

from __future__ import annotations

import errno
import os
import stat
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
            raise OSError(errno.EINVAL, "it is no file", str(path))
        if most < 0 and status.st_size > LONGEST:
            mebibytes = LONGEST // (1024 * 1024)
            raise OSError(errno.EFBIG, f"it is longer than {mebibytes} MiB", str(path))
        return file.read(most)


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
