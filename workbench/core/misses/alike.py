"""Details that distinguish misses which would look the same in the list."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.digest import short
from workbench.core.misses.miss import BRIEF_CHARACTERS, Miss


class AlikeMisses:
    """Finds the detail that distinguishes a miss from others: the first of these that differs: the
    end of the user's text, the instructions, the previous answer, the tool choice, the digest.
    """

    def __init__(self, misses: Mapping[str, Miss]) -> None:
        self._misses = misses
        # Digests by a hash of all that a row shows; None where several rows show the same.
        self._by_look: dict[int, str | None] = {}
        # How many details a row needs beside its text; most need none.
        self._needs: dict[str, int] = {}

    def add(self, digest: str) -> set[str]:
        """Add a miss whose request is known now; returns the misses whose detail changed."""
        look = self._look(digest)
        other = self._by_look.setdefault(look, digest)
        if other == digest:
            return set()
        self._by_look[look] = None
        changed = {digest} if other is None else {digest, other}
        for alike in list(changed):
            self._needs[alike] = self._needs.get(alike, 0) + 1
            changed |= self.add(alike)
        return changed

    def detail(self, digest: str) -> str:
        """A detail that tells a miss from others with the same text; "" if there are none."""
        needs = self._needs.get(digest, 0)
        detail = self._details(digest)[needs - 1] if needs else ""
        return short(detail) if detail == digest else detail

    def _look(self, digest: str) -> int:
        """A hash of all that a row shows."""
        miss = self._misses[digest]
        assert miss.texts is not None, "only misses whose request is known are told apart"
        text = (miss.texts.added or miss.last_user_text or "")[:BRIEF_CHARACTERS]
        columns = (miss.model, miss.turn, miss.texts.opening, text)
        return hash((*columns, *self._details(digest)[: self._needs.get(digest, 0)]))

    def _details(self, digest: str) -> tuple[str, ...]:
        texts = self._misses[digest].texts
        assert texts is not None, "only misses whose request is known are told apart"
        return (
            f"…{texts.ending}" if texts.ending else "",
            f"system {texts.system}" if texts.system else "no system text",
            f"after {texts.before}" if texts.before else "",
            "no tool_choice" if texts.choice == "absent" else f"tool_choice {texts.choice}",
            digest,
        )
