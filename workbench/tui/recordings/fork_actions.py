"""Forks of the shown recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.formats import FormatError
from workbench.core.replies.response import FixtureError
from workbench.io.files.path_text import cannot_write
from workbench.session.recordings import fork_replies
from workbench.session.recordings.fork_replies import ForkError
from workbench.tui.dialogs.questions import ask_line
from workbench.tui.widgets.frame import Framed

if TYPE_CHECKING:
    from workbench.tui.recordings.tab import RecordingsTab

# The suffix in the name of a fork that has no name of its own.
FORK_NAME = "fork"


class ForkActions:
    """Begins a fork at the shown exchange, and writes or leaves it."""

    def __init__(self, tab: RecordingsTab) -> None:
        self._tab = tab
        self._view = tab.view
        self._index = tab.index
        # The reply that was written with errors, which the next ^s agrees to.
        self._asked_of: tuple[str, int, str] | None = None

    @property
    def is_active(self) -> bool:
        """True if the reply of a fork is edited."""
        return self._view.exchange is not None

    async def begin(self) -> None:
        """Edit a reply to fork the recording there."""
        tab = self._tab
        exchange = tab.exchange()
        if exchange is None or tab.recording is None:
            tab.say("Select the exchange whose reply the fork replaces.")
            return
        await self._view.begin(tab.recording, exchange)
        self._fit_panes()
        tab.panes.focus("answer")
        tab.say("Write the reply of the fork. ^s saves it as a child recording, esc goes back.")

    def _fit_panes(self) -> None:
        """Show the form of the fork in place of exchanges and reply, or these again."""
        tab, view = self._tab, self._view
        panes: dict[str, Framed] = {"exchanges": tab.exchanges_pane, "request": tab.request}
        if self.is_active:
            panes = {"request": tab.request, "answer": view.answer}
            if view.payload is not None:
                panes["preview"] = view.preview
        else:
            panes["reply"] = tab.reply
        view.display = self.is_active
        for pane in (tab.exchanges_pane, tab.reply, view.preview):
            pane.display = pane in panes.values()
        tab.add_panes(panes)

    def end(self) -> None:
        """Show exchanges and reply again; what was typed is kept."""
        if self.is_active:
            self._view.end()
            self._fit_panes()

    def leave(self) -> None:
        """End the fork, go back to the exchanges, and show what happens to the draft."""
        tab = self._tab
        tab.write_back()
        is_begun = (tab.recording, tab.position) in self._index.forks_begun
        self._go_back()
        tab.say("Not written. f goes on with what was typed." if is_begun else "")

    def _go_back(self) -> None:
        self._tab.show_exchange()
        self._tab.panes.focus("exchanges")

    async def write(self) -> None:
        """Ask for the name of the fork, and write it, if its reply is one."""
        tab = self._tab
        tab.write_back()
        recording, at, draft = tab.recording, tab.position, self._view.draft
        if recording is None or draft is None:
            return
        parent = self._index.facts[recording].name
        try:
            exchange = self._index.recordings[recording].exchange(at)
            fork_replies.replaced(exchange, draft)
            wrong = fork_replies.misfits(exchange, draft)
            if wrong and self._asked_of != (recording, at, draft.text):
                self._asked_of = (recording, at, draft.text)
                first, *others = (finding.message for finding in wrong)
                more = f", and {len(others)} more" if others else ""
                tab.say(f"Not written. Press ^s again to write it anyway: {first}{more}", "warning")
                return
            name = await ask_line(tab, "What is the fork called?", "Write")
            if name is None:
                return
            if recording not in self._index.recordings:
                raise ForkError("its parent is gone.")
            child = self._index.fork(recording, at, draft, name.strip() or f"{parent} {FORK_NAME}")
        except (ForkError, FixtureError, FormatError) as error:
            tab.say(f"Not written: {error}", "error")
        except OSError as error:
            tab.say(f"Not written: {cannot_write(self._index.folder, error)}.", "error")
        else:
            tab.go_to(child, at)
            tab.post_message(tab.CountsChanged())
            self._go_back()
            tab.say(f'Forked from exchange {at}. "{parent}" is as it was. d shows the difference.')
