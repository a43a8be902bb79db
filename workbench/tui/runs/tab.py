"""The Runs tab: stepping through recorded runs, forking, comparing and promoting them."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.widgets import Input

from workbench.core.digest import short
from workbench.core.fixtures.recorded import SecretError
from workbench.core.replies.response import FixtureError, NotAReplyError
from workbench.core.runs.branches import RunDifference
from workbench.core.runs.exchanges import RunFormatError
from workbench.io.store import FileStamp, FixtureChangedError
from workbench.session.misses.promote import promote
from workbench.session.runs.fork_replies import ForkError
from workbench.session.session import Session
from workbench.session.wording import cannot_write
from workbench.tui.dialogs.questions import ask_line
from workbench.tui.runs.reply_pane import ForkEditor, ReplyPane
from workbench.tui.runs.run_notices import difference_lines
from workbench.tui.runs.run_panes import RunPanes
from workbench.tui.undo_actions import UndoActions

FORK_NAME = "fork"


class RunsTab(RunPanes):
    """Runs and their exchanges: step, fork, compare and promote."""

    BINDING_GROUP_TITLE = "Runs"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "step(1)", "Step",
                id="runs.step", tooltip="One exchange on; says what is next"),
        Binding("B", "step(-1)", "Back", show=False,
                id="runs.back", tooltip="One exchange back"),
        Binding("f", "fork", "Fork",
                id="runs.fork", tooltip="A child run with another reply to this exchange"),
        Binding("d", "compare", "Diff",
                id="runs.compare", tooltip="With its parent, or of the two runs that are marked"),
        Binding("P", "promote", "Promote",
                id="runs.promote", tooltip="Save the reply as the fixture of its request"),
        Binding("m", "mark", "Mark", show=False,
                id="runs.mark", tooltip="Mark the run to be compared, or take its mark off"),
        Binding("u", "run('undoing', 'undo')", "Undo", show=False,
                id="runs.undo", tooltip="Take back the last promotion or save"),
        Binding("y", "copy_id", "Copy", show=False,
                id="runs.copy", tooltip="Copy the digest of the exchange, or the id of the run"),
    ]
    # fmt: on

    # Their keys are letters, which a text field takes as text.
    _LETTERS = frozenset({"step", "fork", "compare", "promote", "mark", "run", "copy_id"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.undoing = UndoActions(self, lambda *_: self.post_message(self.CountsChanged()))
        # The fixture, and its state, that a second P overwrites.
        self._told: tuple[str, FileStamp | None] | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in self._LETTERS:
            return not isinstance(self.app.focused, Input | ForkEditor)
        return super().check_action(action, parameters)

    # Stepping

    def action_step(self, by: int) -> None:
        """Go to the next exchange, or the one before, and say what comes next."""
        if self.run is None or not self.book.facts[self.run].calls:
            self.say("There is nothing to step through.")
            return
        last = self.book.facts[self.run].calls
        position = min(max(self.position + by, 1), last)
        try:
            said = self.book.stepped(self.run, position)
        except (RunFormatError, OSError) as error:
            said = f"At {position} of {last}; the next cannot be read: {error}."
        self.exchanges.go_to(position)
        self.exchanges.set_next(position + 1 if position < last else None)
        self.say(said)

    # Forks

    def action_fork(self) -> None:
        """Edit a reply to fork the run there."""
        if self.exchange() is None or self.run is None:
            self.say("Select the exchange whose reply the fork replaces.")
            return
        self.panes.show("reply")
        self.reply.fork(self.book.fork_text(self.run, self.position))
        what = "Write the other reply"
        if obstacle := self.reply.editor.obstacle:
            what = f"{obstacle}: too much to be edited here"
        self.say(f"{what}; ^s writes the child run, esc goes back.")

    def on_reply_pane_fork_typed(self, event: ReplyPane.ForkTyped) -> None:
        event.stop()
        if self.run is not None:
            self.book.forks_begun[self.run, self.position] = event.text

    def on_fork_editor_left(self, event: ForkEditor.Left) -> None:
        event.stop()
        is_begun = (self.run, self.position) in self.book.forks_begun
        self._leave_fork()
        self.say("Not written. f goes on with what was typed." if is_begun else "")

    def _leave_fork(self) -> None:
        self._show_exchange()
        self.update_frames()
        self.panes.focus_on(self.exchange_box.frame)

    def on_fork_editor_written(self, event: ForkEditor.Written) -> None:
        event.stop()
        run, at = self.run, self.position
        if run is None:
            return
        ask = partial(self._write_fork, run, at, event.text)
        ask_line(self, "What is the fork called?", ask)

    def _write_fork(self, run: str, at: int, text: str, name: str) -> None:
        if run not in self.book.runs:
            self.say("Not written: its parent is gone.", "error")
            return
        parent = self.book.facts[run].name
        try:
            child = self.book.fork(run, at, text, name.strip() or f"{parent} {FORK_NAME}")
        except (ForkError, FixtureError, RunFormatError) as error:
            self.say(f"Not written: {error}", "error")
        except OSError as error:
            self.say(f"Not written: {cannot_write(self.book.folder, error)}.", "error")
        else:
            self.show_rows()
            self.post_message(self.CountsChanged())
            self.runs.select(child)
            self._show_run()
            self.exchanges.go_to(at)
            self._leave_fork()
            self.say(f'Forked from exchange {at}. "{parent}" is as it was. d shows the difference.')

    # Comparing

    def action_mark(self) -> None:
        run, marked = self.run, self.book.marked
        if run is None:
            return
        if run in marked:
            marked.remove(run)
        else:
            marked.append(run)
            del marked[:-2]
        self.runs.refresh_rows(self.runs.keys)
        self.runs.update_title()
        wanted = "d compares them." if len(marked) == 2 else "d compares two that are marked."
        self.say(f"{len(marked)} marked. {wanted}")

    def action_compare(self) -> None:
        """Show the differences of a fork and its parent, or of the two marked runs."""
        above = self.book.parent_of(self.run) if self.run is not None else None
        if len(self.book.marked) == 2:
            before, after = self.book.marked
        elif self.run is not None and above is not None:
            before, after = above, self.run
        else:
            self.say("This run is not a fork. m marks two runs to compare.")
            return
        self.say("Comparing…")
        self._compare(before, after)

    @work(thread=True, exclusive=True, group="compare", exit_on_error=False)
    def _compare(self, before: str, after: str) -> None:
        try:
            found = self.book.differences(before, after)
        except OSError as error:
            self.app.call_from_thread(self.say, f"Cannot be compared: {error.strerror}.", "error")
        else:
            self.app.call_from_thread(self._show_differences, before, after, found)

    def _show_differences(self, before: str, after: str, found: list[RunDifference]) -> None:
        names = self.book.facts[before].name, self.book.facts[after].name
        self.request.show((), difference_lines(*names, found))
        self.compares = True
        self.panes.show("request")
        first = f"They part at {found[0]}." if found else "The same in every exchange."
        self.say(first)

    # Fixtures

    def action_promote(self) -> None:
        """Save the reply as a fixture; a second press overwrites an existing one."""
        exchange = self.exchange()
        if exchange is None:
            self.say("Select the exchange to promote.")
            return
        digest = exchange.digest or ""
        now = digest, self.session.store.stamp(digest) if digest else None
        was_told, self._told = self._told == now, None
        try:
            said = promote(self.session, exchange, overwrite=was_told)
        except FixtureChangedError:
            self._told = now
            self.say(f"{short(digest)} has a fixture. P again overwrites it.", "warning")
        except (NotAReplyError, SecretError, ValueError) as error:
            self.say(f"Not promoted: {error}.", "error")
        except OSError as error:
            trouble = cannot_write(self.session.store.folder, error)
            self.say(f"Not promoted: {trouble}.", "error")
        else:
            more = f" It is {said}." if said else ""
            self.say(f"Promoted to {short(digest)}….json.{more} u undoes.")
            self.post_message(self.CountsChanged())

    def action_copy_id(self) -> None:
        exchange = None if self.runs.has_focus else self.exchange()
        text = (exchange.digest if exchange is not None else None) or self.run
        if text:
            self.copy(text)
