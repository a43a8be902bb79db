"""Writes files atomically: readers see the old content or the new one."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

_LEFTOVER = r"\..+\.(\d{1,9})-[0-9a-f]{8}\.tmp"
# No save takes so long: if a process has the id of an older file's writer, it is another one.
_OLD_SECONDS = 3600


def write_atomic(
    path: Path,
    data: bytes,
    *,
    create: bool = False,
    mode: int | None = None,
    confirm: Callable[[], None] | None = None,
) -> os.stat_result:
    """Write ``data`` to a temporary file beside ``path`` and rename it.

    Keeps the mode of an existing file (new ones get 0666 & ~umask) and writes through symlinks.
    The data is synced to disk before the rename. Before the first write into a folder, what killed
    writers left there is removed.

    Args:
        create: the file must not exist.
        mode: permissions of a created file, instead of the default.
        confirm: called just before the rename; an exception stops the write.

    Returns:
        the status of the file that was written.

    Raises:
        FileExistsError: ``create`` and it does.
        OSError: the error of the system, for ``path``; nothing is changed.
    """
    target = Path(os.path.realpath(path))
    _remove_leftovers_once(target.parent)
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            if not create:
                with contextlib.suppress(FileNotFoundError):
                    os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            elif mode is not None:
                os.chmod(temporary, mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        written = os.stat(temporary)
        if confirm:
            confirm()
        if create:
            _link_new(temporary, target)
        else:
            os.replace(temporary, target)
    except OSError as error:
        # The error names no file if the disk is full, and the temporary one if the rename fails.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        # Usually the file is gone. If not, the earlier error is reported.
        with contextlib.suppress(OSError):
            temporary.unlink()
    _sync_folder(target.parent)
    return written


def _link_new(temporary: Path, target: Path) -> None:
    """Give ``temporary`` the name ``target`` unless it exists: a link fails where a rename would
    overwrite.
    """
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.replace(temporary, target)


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, if the system can open folders."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@functools.cache
def _remove_leftovers_once(folder: Path) -> None:
    """In this process: to look through a folder of thousands takes as long as many a write."""
    remove_leftovers(folder)


def remove_leftovers(folder: Path) -> int:
    """Remove temporary files of writers that were killed; returns how many."""
    removed = 0
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Most of thousands are other files, which are passed over soonest.
            hidden = entry.name.startswith(".")
            match = re.fullmatch(_LEFTOVER, entry.name) if hidden else None
            if match and _is_left(entry, int(match[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)
                    removed += 1
    return removed


def _is_left(entry: os.DirEntry[str], pid: int) -> bool:
    with contextlib.suppress(OSError):
        age = time.time() - entry.stat(follow_symlinks=False).st_mtime
        return age > _OLD_SECONDS or not _is_alive(pid)
    return False


def _is_alive(pid: int) -> bool:
    if os.name == "nt":
        return True  # signal 0 is Ctrl+C there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # it belongs to another user
    return True
