"""Times of logs, which are local times without an offset, in RFC 3339."""

from __future__ import annotations

from datetime import datetime


def with_offset(time: str | None) -> str | None:
    """``2026-11-20T10:09:22+01:00`` for a local time in ISO 8601; None for None."""
    return None if time is None else datetime.fromisoformat(time).astimezone().isoformat()
