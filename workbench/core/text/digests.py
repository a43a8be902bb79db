"""How digests are written: their form, and the few digits that stand for one."""

from __future__ import annotations

import re

DIGEST_LENGTH = 64
SHORT_LENGTH = 12

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """Whether ``text`` has the form of a digest."""
    return _DIGEST.fullmatch(text) is not None


def short(digest: str) -> str:
    """The 12 digits that stand for a digest in sentences and lists."""
    return digest[:SHORT_LENGTH]
