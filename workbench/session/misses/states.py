"""The states of a row of the list of misses, by what there is to do."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from workbench.core.text.wording import brief_time, counted

StateKind = Literal[
    "held", "broken", "answered", "ignored", "skipped", "draft", "stale", "unsupported", "blocked",
    "no dump", "missing",
]  # fmt: skip
# By what a row is answered: a file that was written here, one that another program wrote, the
# fixture of another request that says the same.
AnsweredBy = Literal["saved", "elsewhere", "equivalent"]
# States that need nothing more from a person.
DONE: frozenset[StateKind] = frozenset({"answered", "ignored", "skipped"})
# What can be said of a row beside its state.
ERRORS: Final = "errors"
VERIFIED: Final = "verified"


class MissState(NamedTuple):
    """The first state, in the order above, that holds of a row.

    Attributes:
        by: for ``answered``.
        is_verified: the server was seen to send this answer.
        errors: how many a ``draft`` has.
        seconds: how long its client has waited, for ``held``.
        is_outdated: for ``blocked``: the answer that it quotes was changed or undone since, so that
            it will not come again.
    """

    kind: StateKind
    by: AnsweredBy | None = None
    is_verified: bool = False
    errors: int = 0
    seconds: float = 0
    is_outdated: bool = False

    @property
    def word(self) -> str:
        """What the list shows."""
        if self.kind == "held":
            return f"held {brief_time(self.seconds)}"
        if self.errors:
            return counted(self.errors, "error")
        return self.by or self.kind

    @property
    def words(self) -> list[str]:
        """The words of a filter that mean it."""
        marks = {ERRORS: self.errors, VERIFIED: self.is_verified}
        return [self.kind, self.word, *(mark for mark, has in marks.items() if has)]

    @property
    def is_done(self) -> bool:
        return self.kind in DONE or self.is_outdated
