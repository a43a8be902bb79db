"""Decisions about rows: skipped for now, ignored so that they keep the fallback, or marked, to be
saved together.
"""

from __future__ import annotations

from typing import Final

from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.session.misses.states import open_name
from workbench.tui.dialogs.questions import ask_line, confirm
from workbench.tui.misses.hold_actions import HoldActions
from workbench.tui.widgets.status import NOTHING_SELECTED, UNTIL_ANOTHER_ROW, status_of
from workbench.tui.workspace.subject_parts import SubjectParts

_HIDDEN: Final = "u undoes; . shows it."


class RowActions:
    """Skips, ignores or marks the selected row, or takes that back; saves the drafts of all marked
    rows.
    """

    def __init__(self, parts: SubjectParts, hold: HoldActions) -> None:
        self._hold = hold
        self._tab = parts.tab
        self._parts = parts
        self._session = parts.session

    def skip(self) -> None:
        key = self._tab.rows.cursor
        if key is None:
            status_of(self._tab).say(NOTHING_SELECTED, topic=UNTIL_ANOTHER_ROW)
            return
        name = self._session.miss_index.rows[key].name
        skipped = self._session.decisions.skip(key)
        self._tab.decided(key)
        message = (
            f"Skipped {name}. {self._after_skip(key)}" if skipped else f"{name} is open again."
        )
        self._tab.say(message)

    async def ignore(self) -> None:
        """Put the selected miss on the ignore list, after asking for the reason; or take it off."""
        digest = self._parts.view.required_digest()
        if digest is None:
            return
        if digest in self._session.ignore.reasons:
            self._ignore(digest, None)
            return
        question = f"Ignore {short(digest)}: why is the placeholder enough?"
        reason = await ask_line(self._tab, question, "Ignore")
        if reason is not None:
            self._ignore(digest, reason)

    def _ignore(self, digest: str, reason: str | None) -> None:
        try:
            self._session.decisions.ignore(digest, reason)
        except OSError as error:
            self._tab.say(f"Cannot write the ignore list: {error.strerror}.", "error")
            return
        self._tab.decided(digest)
        if reason is None:
            self._tab.say(f"{short(digest)} is no longer ignored.")
        elif digest in self._session.held:
            self._hold.release_ignored(digest)
        else:
            self._tab.say(f"Ignored {short(digest)}. {_HIDDEN}")

    def _after_skip(self, key: str) -> str:
        """The next possible action on a skipped row."""
        if key in self._session.held:
            reply = self._session.server.miss_reply
            return f"Its client is still waiting. L sends {reply}. u undoes."
        return _HIDDEN

    # Marks

    async def mark(self) -> None:
        """Mark the selected row and go on, or take its mark off."""
        digest = self._parts.view.required_digest()
        if digest is None:
            return
        marked, rows = self._session.decisions.marked, self._tab.rows
        marked ^= {digest}
        rows.refresh_rows([digest])
        rows.update_title()
        self._tab.update_keys()
        if digest in marked:
            await self._parts.step(1)

    def clear_marks(self) -> None:
        marked = list(self._session.decisions.marked)
        self._session.decisions.marked.clear()
        self._tab.rows.refresh_rows(marked)
        self._tab.rows.update_title()
        self._tab.update_keys()
        cleared = f"{counted(len(marked), 'mark')} cleared."
        self._tab.say(cleared if marked else "Nothing is marked. m marks.")

    async def save_marked(self) -> None:
        """Check the marked drafts, and save those without errors, after asking."""
        tab, session, began_in = self._tab, self._session, self._tab.app.focused
        if tab.is_busy():
            return
        tab.write_back()
        marked = [d for d in session.miss_index.misses if d in session.decisions.marked]
        if not marked:
            tab.say("Nothing is marked. m marks; A saves all marked drafts.")
            return
        names = [open_name(session, digest) for digest in marked]
        written = [name for name in names if session.drafting.is_written(name)]
        if not written:
            tab.say("Nothing is written in the marked rows. Enter writes.")
            return
        checked, bad, unfilled = 0, 0, 0
        assessments = map(session.drafting.assess, written)
        async for assessment in tab.run_job(assessments, "Checking", len(written)):
            checked, bad = checked + 1, bad + bool(assessment.faults)
            unfilled += bool(assessment.errors) and not assessment.faults
        if checked < len(written):
            tab.say("Stopped: nothing was saved.")
            return
        question = (
            f"Save {counted(len(written), 'marked draft')}?"
            f"{_stays(bad, 'has errors', 'have errors')}"
            f"{_stays(unfilled, 'is not filled in', 'are not filled in')}"
            f"{_stays(len(marked) - len(written), 'is not written', 'are not written')}"
        )
        if tab.focus_moved(began_in, "A"):
            return
        if await confirm(tab, question, "Save"):
            await self._save(marked)

    async def _save(self, digests: list[str]) -> None:
        """Save drafts and show how many were saved."""
        tab, saved, partial = self._tab, 0, 0
        if tab.is_busy():
            return
        saving = self._session.save_many(digests)
        async for digest, is_saved in tab.run_job(saving, "Saving", len(digests)):
            saved += is_saved
            partial += is_saved and bool(self._session.drafting.not_stored(digest))
            tab.decided(digest)
        left = len(digests) - saved
        rest = f", {left:,} left" if left else ""
        about = f" {counted(partial, 'request')} stored without messages." if partial else ""
        message = f"{saved:,} saved{rest}.{about} u undoes."
        tab.say(message if saved else f"Nothing was saved{rest}.")


def _stays(count: int, single: str, several: str) -> str:
    """Why some marked drafts are not saved; "" for none."""
    why = f"{single} and stays" if count == 1 else f"{several} and stay"
    return f" {count:,} {why}." if count else ""
