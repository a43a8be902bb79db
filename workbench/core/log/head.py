"""What a file begins with, where it is meant to be a log."""

from __future__ import annotations

from codecs import getincrementaldecoder

GZIP_MAGIC = b"\x1f\x8b"

# So many bytes of a file tell what it is.
_HEAD = 8192
_PACKERS = {
    GZIP_MAGIC: "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}


def why_no_log(head: bytes) -> str:
    """Why a file that begins so is no log: what it is instead, for a person; "" where it may be
    one. NULs at the start are the hole before the place of a writer whose log was truncated.
    """
    head = head[:_HEAD]
    for magic, packer in _PACKERS.items():
        if head.startswith(magic):
            return f"it is packed by {packer}; unpack it first"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16; a log is UTF-8"
    return "it is no text" if b"\0" in head.lstrip(b"\0") and not _is_utf8(head) else ""


def _is_utf8(head: bytes) -> bool:
    """Whether ``head`` is UTF-8, though it may end inside a character."""
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True
