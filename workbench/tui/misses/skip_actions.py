"""Misses put aside: skipped for now, or ignored because the fallback is wanted."""

from __future__ import annotations

from workbench.core.digest import short
from workbench.tui.dialogs.questions import ask_line
from workbench.tui.widgets.status import NOTHING_SELECTED, UNTIL_ANOTHER_ROW, status_of
from workbench.tui.workspace import Workspace


class SkipActions:
    """Skips and ignores the selected row, or takes that back."""

    def __init__(self, tab: Workspace) -> None:
        self._tab = tab
        self._session = tab.session

    def action_skip(self) -> None:
        key = self._tab.rows.cursor
        if key is None:
            status_of(self._tab).say(NOTHING_SELECTED, topic=UNTIL_ANOTHER_ROW)
            return
        name = self._session.miss_index.rows[key].name
        skipped = self._session.decisions.skip(key)
        self._tab.decided(key)
        said = f"Skipped {name}. {self._next(key)}" if skipped else f"{name} is open again."
        self._tab.say(said)

    def action_ignore(self) -> None:
        """Put the selected miss on the ignore list, after asking for the reason; or take it off."""
        digest = self._tab.view.wanted_digest()
        if digest is None:
            return
        if digest in self._session.ignore.reasons:
            self._ignore(digest, None)
            return
        self._tab.start("ignore", self._ask_and_ignore(digest))

    async def _ask_and_ignore(self, digest: str) -> None:
        question = f"Why is the fallback wanted for {short(digest)}?"
        reason = await ask_line(self._tab, question)
        if reason is not None:
            self._ignore(digest, reason)

    def _ignore(self, digest: str, reason: str | None) -> None:
        try:
            self._session.decisions.ignore(digest, reason)
        except OSError as error:
            self._tab.say(f"Cannot write the ignore list: {error.strerror}.", "error")
            return
        self._tab.decided(digest)
        self._tab.say(
            f"{short(digest)} is no longer ignored."
            if reason is None
            else f"Ignored {short(digest)}. {self._next(digest)}"
        )

    def _next(self, key: str) -> str:
        """What can be done about a row that was put aside."""
        if key in self._session.held:
            return "Its client still waits: L sends the fallback. u undoes."
        return "u undoes; . shows it."
