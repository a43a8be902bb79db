"""The states of a row of the list of misses."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from workbench.core.text.wording import counted
from workbench.session.wording import brief_time

StateKind = Literal[
    "held", "broken", "verified", "saved", "answered", "equivalent", "ignored", "skipped", "errors",
    "draft", "stale", "unsupported", "outdated", "blocked", "no dump", "missing",
]  # fmt: skip
# The word for a file that another program wrote.
ELSEWHERE: Final = "elsewhere"
# States that need nothing more from a person.
DONE: frozenset[StateKind] = frozenset(
    {"verified", "saved", "answered", "equivalent", "ignored", "skipped", "outdated"}
)


class MissState(NamedTuple):
    """The first state, in the order above, that holds of a row.

    Attributes:
        errors: how many, for ``errors``.
        seconds: how long its client has waited, for ``held``.
    """

    kind: StateKind
    errors: int = 0
    seconds: float = 0

    @property
    def word(self) -> str:
        """What the list shows."""
        if self.kind == "held":
            return f"held {brief_time(self.seconds)}"
        if self.kind == "errors":
            return counted(self.errors, "error")
        return ELSEWHERE if self.kind == "answered" else self.kind

    @property
    def is_done(self) -> bool:
        return self.kind in DONE
