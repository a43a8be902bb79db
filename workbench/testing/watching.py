"""What the test of a golden query does, seen from outside: its checks, the tools it spies on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.testing.checks import Check
    from workbench.testing.spies import ToolCallSpy


@dataclass(slots=True)
class Watched:
    """In the order in which they came."""

    checks: list[Check] = field(default_factory=list)
    spies: list[ToolCallSpy] = field(default_factory=list)


_watched: ContextVar[Watched | None] = ContextVar("workbench_watched", default=None)


def current() -> Watched | None:
    """What is being watched here, if anything is."""
    return _watched.get()


@contextmanager
def watching() -> Iterator[Watched]:
    """Watch what happens inside."""
    watched = Watched()
    token = _watched.set(watched)
    try:
        yield watched
    finally:
        _watched.reset(token)
