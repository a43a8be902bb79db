"""The state of a log that the application follows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class LogStatus:
    """The state of one log.

    Attributes:
        state: ``waiting`` (not there yet), ``live``, ``gone``, ``ended`` or ``unreadable``.
        trouble: why it is unreadable.
    """

    name: str
    state: str = "waiting"
    trouble: str = ""
    bytes_read: int = 0
