"""What a client puts together from a stream, compared with the plain reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a stream and a plain reply say the same.

    Attributes:
        content, tool_calls, finish_reason: what a client puts together from the stream.
        pieces: the content pieces of the stream, in order.
        differences: what does not match, one sentence each; empty when everything matches.
        facts: what else was compared, one phrase each, true where there are no differences.
    """

    content: str
    tool_calls: list[dict[str, Any]]
    finish_reason: Any
    pieces: list[str]
    differences: list[str] = field(default_factory=list)
    facts: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.differences
