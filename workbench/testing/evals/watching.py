"""What the test of a golden query does, seen from outside: its checks, the tools it spies on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core.runs.evals import Check
    from workbench.testing.agents.spies import ToolCallSpy


@dataclass(slots=True)
class Watched:
    """In the order in which they came."""

    checks: list[Check] = field(default_factory=list)
    spies: list[ToolCallSpy] = field(default_factory=list)


# Of the process, which runs one test at a time; async tests may run in a context of their own.
_watched: Watched | None = None


def current() -> Watched | None:
    """What is being watched now, if anything is."""
    return _watched


@contextmanager
def watching() -> Iterator[Watched]:
    """Watch what happens inside."""
    global _watched
    before, _watched = _watched, Watched()
    try:
        yield _watched
    finally:
        _watched = before
