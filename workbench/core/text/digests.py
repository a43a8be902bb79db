"""The format of digests, and their short form."""

from __future__ import annotations

import re

DIGEST_LENGTH = 64
SHORT_LENGTH = 12
# Fewer digits of a digest are taken for a mistake.
LEAST_DIGITS = 4

_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: str) -> bool:
    """True if ``text`` has the form of a digest."""
    return _DIGEST.fullmatch(text) is not None


def short(digest: str) -> str:
    """The 12 digits by which sentences and lists identify a digest."""
    return digest[:SHORT_LENGTH]
