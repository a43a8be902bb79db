"""The base of every tab: a list and further panes, shown as far as there is room."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import DescendantFocus
from textual.message import Message
from textual.widget import Widget
from textual.worker import Worker

from workbench.session.session import Session
from workbench.tui.command import Command, Situation
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import say, say_failure
from workbench.tui.workspace.pane_layout import PaneLayout, PaneRow

Part = TypeVar("Part")


class Tab(Container):
    """One tab of the main screen. It is mounted when it is first shown.

    Args:
        panes: by their names, in the order of the Tab key; the list, if there is one, is first.
        is_stacked: True if all below the list share a place in every terminal.

    Attributes:
        panes: shows which of them are in view, and which has the focus.
        commands: commands of the tab and its panes, by their ids, in the order of the key bar.
    """

    # The actions of its keys; ``BINDINGS`` has the keys.
    TAB_COMMANDS: ClassVar[Sequence[Command[Any]]] = ()
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "Zoom", show=False,
                id="pane.zoom", tooltip="This pane on the whole screen, and back"),
        Binding("escape", "leave", show=False,
                id="pane.leave", tooltip="Out of the zoom, then to the list"),
        Binding("tab", "pane(1)", show=False, id="pane.on", tooltip="Next pane, or field"),
        Binding("shift+tab", "pane(-1)", show=False,
                id="pane.back", tooltip="Previous pane, or field"),
    ]
    # fmt: on

    class CountsChanged(Message):
        """The counts in the header may have changed."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Tab.CountsChanged)

    def __init__(
        self, session: Session, panes: Mapping[str, Framed], *, is_stacked: bool = False
    ) -> None:
        super().__init__()
        self.session = session
        self.panes = PaneLayout(self, panes, is_stacked=is_stacked)
        self.commands: dict[str, Command[Any]] = {}
        self._situation: Mapping[Situation, int] = {}
        self._take_commands()

    def compose(self) -> ComposeResult:
        below = self.panes.below
        yield from (pane for pane in self.panes.all if pane not in below)
        if below:
            yield PaneRow(*below)

    # For each tab to define

    async def open(self) -> None:
        """Add what else is needed, when the tab is shown for the first time."""

    def show_news(self) -> None:
        """Show what changed in the session."""
        raise NotImplementedError

    @property
    def target(self) -> str | None:
        """The name of the fixture that a save writes."""
        return None

    def files_changed(self, names: frozenset[str]) -> None:
        """Handle changed files of the fixtures folder."""

    def profile_changed(self) -> None:
        """Render replies as the server now reports that it writes them."""

    def write_back(self) -> None:
        """Take what was typed into the session."""

    def take_focus(self) -> None:
        """Give the focus to the pane that had it last."""
        self.panes.take_focus()

    @property
    def actor(self) -> object | None:
        """The target of its commands; None if it does not exist yet."""
        return self

    @property
    def situation(self) -> Mapping[Situation, int]:
        """The situations for the key bar, each with the number of rows in it."""
        rows, undoable = self.app.focused, len(self.session.history)
        is_empty = isinstance(rows, RowList) and not rows.keys
        situation: dict[Situation, int] = {"no rows" if is_empty else "usual": 1}
        return {**situation, "undoable": undoable} if undoable else situation

    # Common to all tabs

    def add_panes(self, panes: Mapping[str, Framed]) -> None:
        """Add the panes below a list without any."""
        self.panes.add(panes)
        self._take_commands()

    def _take_commands(self) -> None:
        self.commands = {}
        lists = (pane.entry for pane in self.panes.all)
        parts = [type(part) for part in (*lists, *self.panes.all)] + [*type(self).__mro__]
        for part in parts:
            self.commands |= {command.id: command for command in vars(part).get("TAB_COMMANDS", ())}

    def update_keys(self) -> None:
        """Draw the key bar again where it goes by something else now."""
        situation = self.situation
        if situation != self._situation:
            self._situation = situation
            self.refresh_bindings()

    @property
    def entry(self) -> Widget:
        """The widget that has the focus first: the list, or the only pane."""
        return self.panes.first.entry

    def on_resize(self) -> None:
        self.panes.fit()
        self.panes.fit_list()

    def on_row_list_lines_changed(self, event: RowList.LinesChanged) -> None:
        event.stop()
        self.panes.rows_changed()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.panes.focus_came(event.widget)

    def say(self, text: str, severity: str = "information") -> None:
        """Show a message in the status line."""
        say(self, text, severity)

    def start(self, group: str, doing: Coroutine[Any, Any, object], *, once: bool = False) -> None:
        """Run a function in a worker that may ask questions while keys act; a failure is shown.

        Args:
            once: cancel running work of the same group.
        """
        self.run_worker(doing, group=group, exclusive=once, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        say_failure(self, event)

    def is_busy(self) -> bool:
        """True if a batch job is running; then a message is shown."""
        is_running = self.session.batch_job.is_running
        if is_running:
            self.say("Another action is still running. esc stops it.")
        return is_running

    def run_job(self, parts: Iterable[Part], doing: str, total: int) -> AsyncIterator[Part]:
        """Run a batch job of ``total`` parts, and show its progress: ``Fixing 12 of 300``."""
        return self.session.batch_job.run(
            parts, lambda done: self.say(f"{doing} {done:,} of {total:,} · esc stops")
        )

    def stop_work(self) -> bool:
        """Stop background work of this tab. Return True if there was any."""
        is_running = self.session.batch_job.is_running
        if is_running:
            self.session.batch_job.stop()
        return is_running

    def acts(self, id: str) -> bool:
        """True if the keys of a command act now. Letters act outside text fields only; inside they
        are text.
        """
        command = self.commands.get(id)
        if command is None or (takes_text(self.app.focused) and not command.in_fields):
            return False
        return self.can_do(command)

    def can_do(self, command: Command[Any]) -> bool:
        """True if a command of this tab has a target."""
        actor = self.actor
        return command.acts is None or actor is None or command.acts(actor)

    async def run_command(self, id: str) -> None:
        """Run a command, also where its keys do not act."""
        actor = self.actor
        if actor is not None:
            result = self.commands[id].run(actor)
            if isawaitable(result):
                await result

    async def action_pane(self, by: int) -> None:
        """Tab key: go to the next pane."""
        self.panes.focus_next(by)

    def action_zoom(self) -> None:
        self.panes.toggle_zoom()
        self.refresh_bindings()

    def action_leave(self) -> None:
        """Escape: stop what runs, else leave the zoom, else go back to the list."""
        if self.stop_work():
            return
        if self.screen.maximized is not None:
            self.screen.minimize()
            self.refresh_bindings()
            return
        self.write_back()
        self.panes.focus_first()


def takes_text(focused: Widget | None) -> bool:
    """True if the focused widget is a text field."""
    if isinstance(focused, RowList):
        return False
    # Fields are loaded after the first rows are drawn.
    from textual.widgets import Input, TextArea

    return isinstance(focused, Input | TextArea)
