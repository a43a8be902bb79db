"""Whether a process still runs."""

from __future__ import annotations

import psutil


def has_ended(process: int) -> bool:
    """Whether a process is gone, or only waits to be collected by the one that adopted it."""
    try:
        return psutil.Process(process).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
