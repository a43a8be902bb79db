"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """``1 draft``, ``1,200 drafts``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
