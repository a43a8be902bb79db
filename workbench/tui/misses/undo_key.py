"""Taking back the last decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.core.digest import short
from workbench.io.store import FixtureChangedError
from workbench.session.misses.decisions import NothingToUndoError
from workbench.session.undo import Step, taken_back
from workbench.session.wording import cannot_write
from workbench.tui.tab import Tab

# A decision about more digests is taken back while other keys work.
AT_ONCE: Final = 16


class UndoKey(Tab):
    """A tab with a key that takes back the last decision.

    Named behind what lays out the panes: Textual finds styles along the first base alone.
    """

    def show_undone(self, digests: Sequence[str]) -> None:
        """Decisions about these digests were taken back: show how they stand now."""
        raise NotImplementedError

    def select_digest(self, digest: str) -> None:
        """Select the row of a digest, where there are such rows."""

    async def action_undo(self) -> None:
        """Take back the last decision; one about many while other keys work."""
        if self.is_busy():
            return
        if self.session.decisions.steps_to_undo > AT_ONCE:
            self.run_worker(self._undo(), group="undo", exit_on_error=False)
            return
        undone = await self._undo()
        if undone:
            self.select_digest(undone[-1].digest)

    async def _undo(self) -> list[Step]:
        """Take back the last decision and say what that did; returns the steps taken back."""
        if self.is_busy():  # with what was begun since the key
            return []
        total = self.session.decisions.steps_to_undo
        undone: list[Step] = []
        shown, severity = 0, "information"
        long_work = self.session.long_work
        try:
            async for step in long_work.run(self.session.undo()):
                undone.append(step)
                if long_work.is_to_be_told():
                    self.show_undone([step.digest for step in undone[shown:]])
                    shown = len(undone)
                    self.say(f"Taking back {shown:,} of {total:,} · esc stops")
        except NothingToUndoError:
            said = "Nothing to undo in this session."
        except FixtureChangedError as error:
            name = short(error.digest)
            said = f"{name} was changed since by another program: not undone. It is as it was."
            severity = "warning"
            if total > 1 and not undone:
                said += " u takes back the others."
        except OSError as error:
            trouble = cannot_write(self.session.store.folder, error)
            said, severity = f"Not undone: {trouble}.", "error"
        else:
            said = taken_back(undone) if len(undone) == total else "Stopped."
        self.show_undone([step.digest for step in undone[shown:]])
        if undone and len(undone) < total:
            said += f" {len(undone):,} of {total:,} are taken back; u goes on with the others."
        self.say(said, severity)
        return undone

    def is_busy(self) -> bool:
        """Whether a decision about many is being made or taken back; says so."""
        is_busy = self.session.long_work.is_under_way
        if is_busy:
            self.say("One decision at a time: this one is under way still. esc stops it.")
        return is_busy

    def action_leave(self) -> None:
        """Escape: a decision about many that is under way stops; only then it leads back."""
        if self.session.long_work.is_under_way:
            self.session.long_work.stop()
        else:
            super().action_leave()
