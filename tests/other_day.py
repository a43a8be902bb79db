"""Requests of real agents, and the same ones on another day."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.reference import LOG
from workbench.core.digest import digest
from workbench.core.log.events import RequestLogged
from workbench.core.log.reader import LogParser
from workbench.core.request_body import parse_request
from workbench.core.requests.volatile import VolatileKind, spans

# What stands in a request one day, and what the next.
DAYS: list[tuple[VolatileKind, str, str]] = [
    ("date", "Today's date is 2026-11-19.", "Today's date is 2026-11-20."),
    ("date", "It is Thursday, November 19, 2026.", "It is Friday, November 20, 2026."),
    ("date", "Thu 19 Nov 2026", "Fri 20 Nov 2026"),
    ("time", "The time is 17:02:33.", "The time is 09:41:05."),
    (
        "uuid",
        "session 550e8400-e29b-41d4-a716-446655440000",
        "session 7f9c2ba4-e88f-4d7a-9b3d-c9a1f0e2d4c6",
    ),
    ("call-id", "(see call_9pVtYqL3dK8mZx2wQbN7rTsA)", "(see call_0aB1cD2eF3gH4iJ5kL6mN7oP)"),
    ("temp-path", "files are in /tmp/tmpab12cd_x/in", "files are in /tmp/tmpq9zz8y7w/in"),
    ("port", "tools at http://127.0.0.1:43121/mcp", "tools at http://127.0.0.1:51987/mcp"),
]


@cache
def agent_requests() -> dict[str, dict[str, Any]]:
    """The requests of the reference log by their digests, 108 of them."""
    events = LogParser().feed(LOG.read_bytes())
    dumps = [parse_request(event.dump) for event in events if isinstance(event, RequestLogged)]
    return {digest(payload): payload for payload in dumps}


def saying(payload: dict[str, Any], text: str) -> dict[str, Any]:
    """``payload`` with ``text`` in its first message, where agents have such things."""
    changed = copy.deepcopy(payload)
    first = changed["messages"][0]
    if isinstance(first["content"], str):
        first["content"] += f"\n{text}"
    else:
        first["content"].insert(0, {"type": "text", "text": text})
    return changed


@dataclass(frozen=True)
class Pair:
    """A request with something volatile in it, on one day and on the next.

    Attributes:
        was, is_now: the span that differs, and nothing else does.
    """

    kind: VolatileKind
    before: dict[str, Any]
    after: dict[str, Any]
    was: str
    is_now: str


def pairs() -> Iterator[Pair]:
    """Each request with each of ``DAYS``."""
    for kind, one, other in DAYS:
        [b], [a] = spans(one), spans(other)
        was, is_now = one[b.start : b.end], other[a.start : a.end]
        for payload in agent_requests().values():
            yield Pair(kind, saying(payload, one), saying(payload, other), was, is_now)
