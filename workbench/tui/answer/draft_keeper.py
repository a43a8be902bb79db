"""Writes drafts to disk while they are edited, so that a crash loses a moment of typing at most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime

from textual.timer import Timer
from textual.widget import Widget

from workbench.session.session import Session
from workbench.session.wording import cannot_write, shown
from workbench.tui.widgets.status import say

KEEP_AFTER = 0.3
ONLY_IN_MEMORY = "draft only in memory"


class DraftKeeper:
    """Writes every changed draft, and knows the state of one of them.

    Args:
        owner: runs the timer and the worker.
        take_typed: writes what was typed into the draft.
        changed: called when ``state`` changed.

    Attributes:
        state: when the followed draft was written, or that it could not be; "" before.
    """

    def __init__(
        self,
        owner: Widget,
        session: Session,
        take_typed: Callable[[], object],
        changed: Callable[[], None],
    ) -> None:
        self._owner = owner
        self._session = session
        self._take_typed = take_typed
        self._changed = changed
        self._digest: str | None = None
        self._timer: Timer | None = None
        self.state = ""

    def follow(self, digest: str | None) -> None:
        """Follow the state of another draft from now on."""
        self._digest, self.state = digest, ""

    def keep_soon(self) -> None:
        """Write the drafts shortly after the first change, even while typing goes on."""
        if self._timer is None:
            self._timer = self._owner.set_timer(KEEP_AFTER, self._keep_typed)

    def keep_now(self, trouble: str) -> str:
        """Write the drafts, of which one could not be saved; returns ``trouble`` and where the
        draft is.
        """
        try:
            self._take_typed()
            self._session.drafts.store_changed()
        except OSError as error:
            self.state = ONLY_IN_MEMORY  # said here, and not again
            return f"{trouble} {self._only_in_memory(error)}"
        return f"{trouble} The draft is kept in {shown(self._session.state_folder.drafts)}."

    def _keep_typed(self) -> None:
        self._timer = None
        self._take_typed()
        self._owner.run_worker(self._keep(), group="keep", exit_on_error=False)

    async def _keep(self) -> None:
        try:
            await asyncio.to_thread(self._session.drafts.store_changed)
        except OSError as error:
            # Said once; the frame says it for as long as it holds.
            if self.state != ONLY_IN_MEMORY:
                self.state = ONLY_IN_MEMORY
                say(self._owner, self._only_in_memory(error), "error")
                self._changed()
            return
        draft = self._session.drafts.get(self._digest) if self._digest else None
        if draft is not None and draft.kept_revision == draft.revision:
            if self.state == ONLY_IN_MEMORY:
                say(self._owner, "The draft is kept again.")
            self.state = f"draft kept {datetime.now():%H:%M:%S}"
            self._changed()

    def _only_in_memory(self, error: OSError) -> str:
        folder = self._session.state_folder.path
        return f"The draft is only in memory: {cannot_write(folder, error)}."
