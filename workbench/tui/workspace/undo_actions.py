"""Undoing the last decision."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Final

from workbench.core.fixture.names import short_name
from workbench.io.files.path_text import cannot_write
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.undo import NothingToUndoError, UndoEntry, undone_sentence
from workbench.tui.workspace.tab import Tab

# A decision about more digests is undone in the background.
AT_ONCE: Final = 16


class UndoActions:
    """Undoes decisions, whichever tab they were made in.

    Args:
        show: called with each digest whose decision was undone.
        select: called with the digest to select after that.
    """

    def __init__(
        self,
        tab: Tab,
        show: Callable[[str], object],
        select: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._tab = tab
        self._session = tab.session
        self._show = show
        self._select = select

    async def undo(self) -> None:
        """Undo the last decision; a large one in the background."""
        if self._tab.is_busy():
            return
        total = len(self._session.history)
        job = self._tab.run_job(self._session.undo(), "Undoing", total)
        if total > AT_ONCE:
            self._tab.start("undo", self._undo(job, total))
            return
        undone = await self._undo(job, total)
        if undone:
            self._select(undone[-1].digest)

    async def _undo(self, job: AsyncIterator[UndoEntry], total: int) -> list[UndoEntry]:
        """Undo the last decision and report it. Return the undone entries."""
        undone: list[UndoEntry] = []
        severity = "information"
        try:
            async for entry in job:
                undone.append(entry)
                self._show(entry.digest)
        except NothingToUndoError:
            message = "Nothing to undo in this session."
        except FixtureChangedError as error:
            name = short_name(error.name)
            message = f"{name} was not undone, because another program has changed it since."
            severity = "warning"
            if total > 1 and not undone:
                message += " u undoes the others."
        except OSError as error:
            trouble = cannot_write(self._session.store.folder, error)
            message, severity = f"Not undone: {trouble}.", "error"
        else:
            message = undone_sentence(undone) if len(undone) == total else "Stopped."
        if undone and len(undone) < total:
            message += f" {len(undone):,} of {total:,} are undone; u goes on with the others."
        self._tab.say(message, severity)
        return undone
