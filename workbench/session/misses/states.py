"""How a row of the list stands, in a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.session.wording import brief_time, counted

StateKind = Literal[
    "held", "broken", "verified", "saved", "answered", "ignored", "skipped", "errors", "draft",
    "other day", "unsupported", "knock-on", "no dump", "missing",
]  # fmt: skip
# States that need nothing more from a person.
DONE: frozenset[StateKind] = frozenset({"verified", "saved", "answered", "ignored", "skipped"})


@dataclass(frozen=True, slots=True)
class MissState:
    """The topmost thing that holds of a row.

    Attributes:
        errors: how many, for the kind ``errors``.
        seconds: how long, for the kind ``held``.
    """

    kind: StateKind
    errors: int = 0
    seconds: float = 0

    @property
    def word(self) -> str:
        if self.kind == "held":
            return f"held {brief_time(self.seconds)}"
        if self.kind == "errors":
            return counted(self.errors, "error")
        return "elsewhere" if self.kind == "answered" else self.kind

    @property
    def is_done(self) -> bool:
        return self.kind in DONE
