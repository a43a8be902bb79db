"""Log files: which ones a command line names, how each is read, and what a file is that is not a
log.
"""

from __future__ import annotations

import os
import stat
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase, BufferedReader
from pathlib import Path

from workbench.io.files.regular import refuse_endless
from workbench.io.logs.tail import STANDARD_INPUT, LogTail, PackedTail, StreamTail, Tail

GZIP_MAGIC = b"\x1f\x8b"

# Enough bytes to detect the type of a file.
_HEAD = 8192
_PACKERS = {
    GZIP_MAGIC: "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}


def expand(patterns: Sequence[str]) -> list[Path]:
    """The log files for names and patterns, each file once, in the given order.

    A pattern without a match counts as the name of a file that may be created later.
    """
    paths: dict[object, Path] = {}
    for pattern in patterns:
        for path in _matches(pattern):
            paths.setdefault(_identity(path), path)
    return list(paths.values())


def _identity(path: Path) -> object:
    """The same for two names of one file, also where these are hard links."""
    try:
        status = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return status.st_dev, status.st_ino


def _matches(pattern: str) -> list[Path]:
    # A file may have brackets in its name.
    if not os.path.lexists(pattern):
        import glob  # seldom needed, and not before the first paint

        matches = sorted(glob.glob(pattern, recursive=True))
        if files := [Path(match) for match in matches if not os.path.isdir(match)]:
            return files
    return [Path(pattern)]


def open_tail(path: Path) -> Tail:
    """The tail of a log file, which may be compressed with gzip, of a named pipe, or, for ``-``, of
    standard input.

    Raises:
        OSError: it cannot be opened, or it is a device that never ends.
    """
    if path == STANDARD_INPUT:
        return StreamTail(0)
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return LogTail(path)
    refuse_endless(path, named_pipes=True)
    if stat.S_ISFIFO(kind) or stat.S_ISCHR(kind):
        return StreamTail(os.open(path, os.O_RDONLY | os.O_NONBLOCK), path)
    if stat.S_ISREG(kind) and _is_packed(path):
        return PackedTail(path)
    return LogTail(path)


@contextmanager
def unpacked(log: BufferedReader) -> Iterator[BufferedIOBase]:
    """``log``, decompressed if it is gzip. Reading raises OSError, EOFError or ``zlib.error`` if it
    is broken.
    """
    if log.peek().startswith(GZIP_MAGIC):
        from gzip import GzipFile

        with GzipFile(fileobj=log) as file:
            yield file
    else:
        yield log


def _is_packed(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    except OSError:  # its tail reports why
        return False


def why_not_a_log(head: bytes) -> str:
    """Why a file that begins with ``head`` is not a log, for a person; "" if it may be one.

    NULs at the start are allowed: a writer whose log was truncated leaves them.
    """
    head = head[:_HEAD]
    for magic, packer in _PACKERS.items():
        if head.startswith(magic):
            return f"it is compressed with {packer}; decompress it first"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16; a log is UTF-8"
    return "it is not a text file" if b"\0" in head.lstrip(b"\0") and not _is_utf8(head) else ""


def _is_utf8(head: bytes) -> bool:
    """True if ``head`` is UTF-8; it may end inside a character."""
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
