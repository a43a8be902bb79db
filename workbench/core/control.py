"""What the control API of a server tells: written by the server, read by its clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HoldState:
    """Whether misses wait for their fixtures in the server, and how many seconds."""

    enabled: bool
    timeout_s: float


@dataclass(frozen=True, slots=True)
class HeldRequest:
    """Clients that wait for the answer to one digest; times are in seconds."""

    id: str
    digest: str
    age_s: float
    gives_up_in_s: float
    stream: bool
    clients: int


@dataclass(frozen=True, slots=True)
class MissRecord:
    """What of a miss its clients read.

    Attributes:
        count: how many requests had this digest.
        first_seen, last_seen: local times in ISO 8601.
        variants: how many of them differ.
        requests: these; None where they were not asked for.
    """

    digest: str
    count: int
    first_seen: str
    last_seen: str
    variants: int
    requests: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class UnsupportedRecord:
    """A method and path that the server does not support, beside the misses."""

    method: str
    path: str
    reason: str
    count: int
    first_seen: str
    last_seen: str
