"""The states a draft has had, to go back and forth between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from workbench.core.json.spans import Path
from workbench.core.replies.response import RESPONSE

MOST_STATES: Final = 200
# Of all states together; the two last ones are kept whatever they have.
MOST_CHARACTERS: Final = 20_000_000
# Typing in one field is one step until a pause of this many seconds, or until the length of the
# text has changed by this many characters.
PAUSE: Final = 2.0
LONGEST_STEP: Final = 100


class DraftState(NamedTuple):
    """The state that an undo restores.

    Attributes:
        shown: the texts of the fields by their names, whose layout may differ from the document's;
            empty if the draft was not on screen.
        at: the path of the response in these fields.
    """

    text: str
    keep_lines: bool
    shown: Mapping[str, str]
    at: Path = RESPONSE


class DraftHistory:
    """The states of one draft in their order, one of which is the present one."""

    def __init__(self, first: DraftState) -> None:
        self._states = [first]
        self._at = 0
        # The last typing: its field, its time, and the length of the text before.
        self._typed: tuple[frozenset[str], float, int] | None = None

    @property
    def has_steps(self) -> bool:
        """True if there is a step to undo or redo."""
        return len(self._states) > 1

    @property
    def present(self) -> DraftState:
        return self._states[self._at]

    def changed(self, state: DraftState) -> None:
        """Add the state after a change by other means than typing. One with the same text takes the
        place of the present one.
        """
        self._typed = None
        if state.text == self.present.text:
            self._states[self._at] = state
        else:
            self._add(state)

    def typed(self, state: DraftState, fields: Collection[str], now: float) -> None:
        """Add the state after typing in some fields; typing on makes no further step.

        Args:
            now: in seconds, of any clock.
        """
        where, before = frozenset(fields), len(self.present.text)
        if self._typed is not None and self._typed[0] == where:
            _, last, began = self._typed
            is_short = abs(len(state.text) - began) <= LONGEST_STEP
            if now - last < PAUSE and is_short:
                self._states[self._at] = state
                self._typed = where, now, began
                return
        self._add(state)
        self._typed = where, now, before

    def _add(self, state: DraftState) -> None:
        del self._states[self._at + 1 :]
        self._states.append(state)
        length = sum(len(state.text) for state in self._states)
        while len(self._states) > 2 and (
            length > MOST_CHARACTERS or len(self._states) > MOST_STATES
        ):
            length -= len(self._states.pop(0).text)
        self._at = len(self._states) - 1

    def go(self, by: int) -> DraftState | None:
        """Go to the state before (-1) or after (1); None where there is none."""
        self._typed = None
        if not 0 <= self._at + by < len(self._states):
            return None
        self._at += by
        return self.present
