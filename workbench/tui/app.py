"""The terminal application: start, end, and the commands of no particular pane."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Final

from rich.console import RenderableType
from rich.text import Text
from textual import on, work
from textual.app import App, SuspendNotSupported, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.events import Event, Key, MouseDown, Paste
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme
from textual.worker import Worker, WorkerState

from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.files.atomic import write_atomic
from workbench.session.session import Session
from workbench.tui import leaving
from workbench.tui.keys.key_order import KeyOrder, called
from workbench.tui.launch import Launch
from workbench.tui.misses.empty_states import Offer, suite_command
from workbench.tui.misses.tab import MissesTab
from workbench.tui.screen import MainScreen
from workbench.tui.services.services import Services
from workbench.tui.tabs import SUITE, TABS
from workbench.tui.terminal_window import TerminalWindow, can_suspend, stop_process
from workbench.tui.widgets.contrast import readable
from workbench.tui.widgets.copying import clipboard_bytes, copy, fits_terminal
from workbench.tui.widgets.inert import InertFilter
from workbench.tui.widgets.line_filters import (
    FilterChain,
    PlainCharacters,
    WritableCharacters,
    lacking_encoding,
)
from workbench.tui.widgets.status import StatusBar
from workbench.tui.widgets.styles import OURS, first_theme
from workbench.tui.workspace.tab import takes_text

if TYPE_CHECKING:
    from workbench.tui.dialogs.welcome import Welcome
    from workbench.tui.suite.tab import SuiteTab

_FUNCTION_KEY: Final = re.compile(r"f\d+")
# How long the first paint waits for the first rows of a log that is slow, and keys for them.
PAINT_WITHIN: Final = 0.1
FIRST_ROWS_SECONDS: Final = 3.0
# How long the demo says that its agents have started.
DEMO_NOTE_SECONDS: Final = 10.0
# The topic of what is said at the start.
_NOTES: Final = "notes"

EMPTY_LIST_COMMANDS: Final[Sequence[tuple[str, str, Offer]]] = (
    ("Open a log", "Read one more log from now on", "open"),
    ("Start a server", "It ends with this window", "server"),
    ("Sample traffic", "Send the requests of some sample agents to the server", "sample"),
    ("Copy the command", "The line that runs a suite against the server", "copy"),
)


def _palette() -> type[Provider]:
    from workbench.tui.keys.palette import Palette

    return Palette


class WorkbenchApp(KeyOrder):
    """Main application: lists the first rows before the first paint, starts the background services
    after it, saves drafts on exit.
    """

    TITLE = "workbench"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["main.tcss", "tabs.tcss"]
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}

    BINDING_GROUP_TITLE = "Everywhere"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", id="help", tooltip="All keys"),
        Binding("f1", "help", "Help", id="help.field", tooltip="All keys"),
        Binding("ctrl+p", "command_palette", "More", priority=True,
                id="palette", tooltip="Every command by its name"),
        Binding("colon", "command_palette", show=False,
                id="palette.list", tooltip="Every command by its name"),
        *(
            Binding(tab.key, f"show_tab('{tab.id}')", tab.title, show=False,
                    id=tab.id, tooltip=tab.about)
            for tab in TABS
        ),
        Binding("X", "run_suite", "Run again",
                id="suite.again", tooltip="Run the suite again (asks while it is running)"),
        Binding("q", "quit", "Quit", id="quit", tooltip="Quit; drafts are kept"),
        Binding("ctrl+q", "quit", show=False, priority=True,
                id="quit.field", tooltip="Quit; drafts are kept"),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False,
                id="suspend", tooltip="Suspend this window; fg in the shell brings it back"),
    ]
    # fmt: on

    def __init__(self, session: Session, launch: Launch) -> None:
        # Before super().__init__, which computes all styles from the theme.
        themes = f"{os.environ.get('TEXTUAL_THEME', '')},{launch.theme}"
        self.set_reactive(App.theme, first_theme(themes))
        super().__init__()
        self.session = session
        session.server.url = launch.server_url
        session.upstream_url = launch.upstream_url
        self.launch = launch
        self.window = TerminalWindow(self)
        self._inert = InertFilter()
        self._filter_chain = FilterChain([])
        self._plain = PlainCharacters(enabled=launch.plain)
        self._writable = WritableCharacters(lacking_encoding())
        self._card: Welcome | None = None
        self.set_keymap(dict(launch.keys))

    @cached_property
    def available_themes(self) -> dict[str, Theme]:
        # Asked for with each widget that is drawn.
        return {**super().available_themes, **OURS}

    def get_css_variables(self) -> dict[str, str]:
        return readable(super().get_css_variables())

    def get_key_display(self, binding: Binding) -> str:
        """The keys of a command as on a keyboard: those that the project gave it, else its own."""
        if binding.key_display:
            return binding.key_display
        display = super().get_key_display
        keys = self.launch.keys.get(binding.id or "", binding.key).split(",")
        names = [display(Binding(key.strip(), "")) for key in keys]
        shown = " ".join(name.upper() if _FUNCTION_KEY.fullmatch(name) else name for name in names)
        return shown.replace("⏎", "Enter") if self._plain.enabled else shown

    def get_line_filters(self) -> Sequence[LineFilter]:
        ours = (self._inert, self._plain, self._writable)
        filters = [*super().get_line_filters(), *(each for each in ours if each.enabled)]
        if self._filter_chain.filters != filters:
            self._filter_chain = FilterChain(filters)
        return [self._filter_chain]

    def get_default_screen(self) -> MainScreen:
        return MainScreen(self.session, self._list, self._open, self.window)

    @cached_property
    def services(self) -> Services:
        return Services(self, self.main, self.launch)

    @property
    def main(self) -> MainScreen:
        """The screen below all dialogs."""
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        return screen

    @property
    def misses(self) -> MissesTab:
        return self.main.misses

    @property
    def status(self) -> StatusBar:
        return self.main.status

    # Start and end

    async def _list(self) -> None:
        """Bring back the drafts of the last session, and list the first rows."""
        self.launch.notes[:0] = self._recover()
        await self.main.load()
        self._leave_when_asked()
        notes = " ".join(self.launch.notes)
        self.status.say(notes, topic=_NOTES)
        if self.launch.is_demo:
            self.set_timer(DEMO_NOTE_SECONDS, partial(self.status.clear, _NOTES))
        self.main.set_focus(self.misses.rows)
        self.services.read_first_part()
        await self.services.wait_for_rows(PAINT_WITHIN)
        if not self.misses.rows.is_read:  # no log has one, or it takes long
            self.misses.show_news()
        self.services.show_state()

    @work(description="start")
    async def _open(self) -> None:
        """Show the request, answer and preview of the selected row; then begin what can wait. In a
        worker, since the application's message loop may be waiting with an early key.
        """
        await self.services.wait_for_rows(FIRST_ROWS_SECONDS)
        if not self.is_running:
            return  # the application was quit before the first paint
        self.app_suspend_signal.subscribe(self, lambda _: self.window.leave(), immediate=True)
        self.app_resume_signal.subscribe(self, lambda _: self.window.enter(), immediate=True)
        self.rows_ready.set()
        await called(self.main.call_after_refresh)
        gc.enable()  # off since the start began
        # In a thread, so that keys move in the list meanwhile.
        module = await asyncio.to_thread(import_module, "workbench.tui.misses.miss_parts")
        with self.batch_update():
            await self.misses.add_parts(module.MissParts(self.misses))
        await called(self.main.call_after_refresh)
        if self.launch.on_ready is not None:
            try:
                self.launch.on_ready()
            except UserError as error:
                self.status.say(" ".join([*self.launch.notes, error.sentence]))
        if self.launch.welcome:
            from workbench.tui.dialogs.welcome import Welcome  # only at the very first start

            self._card = Welcome(is_demo=self.launch.is_demo)
            await self.main.mount(self._card)
        # The keys that were typed before act on the rows that they were meant for.
        self.ready.set()
        await called(self.call_after_refresh)
        self.services.begin()

    def _leave_when_asked(self) -> None:
        """Quit on a signal, and when the terminal is gone."""
        loop = asyncio.get_running_loop()

        def leave() -> threading.Event:
            begun = threading.Event()

            def begin() -> None:
                begun.set()
                self.call_later(self._leave)

            try:
                loop.call_soon_threadsafe(begin)
            except RuntimeError:  # it has ended
                begun.set()
            return begun

        if not self.is_headless:
            leaving.leave_when_asked(leave, self._end_suite)

    def _end_suite(self) -> int:
        """End the suite, if there is one; returns the exit code of a process that cannot leave."""
        suite = self.session.suite
        return (suite.end() if suite is not None else 0) or 1

    def _recover(self) -> Iterable[str]:
        """Read the state of the last session. Yields messages about it."""
        session = self.session
        for kept_as in session.drafts.recover():
            yield f"A draft could not be read. It is kept as {kept_as}."
        session.take_files([session.ignore.path.name])
        if recovered := len(session.drafts.drafts):
            are = "is" if recovered == 1 else "are"
            yield f"{counted(recovered, 'draft')} of the last session {are} back."

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a service that failed unexpectedly, except while the application ends."""
        if event.state == WorkerState.ERROR and self.is_running:
            worker, error = event.worker, event.worker.error
            message = f"{worker.description} stopped: {type(error).__name__}: {error}."
            self.status.say(message, "error")

    async def action_quit(self) -> None:
        """Quit, after a question if something would be lost."""
        trouble = leaving.keep_drafts(self.main)
        question = leaving.question(
            self.main, trouble, is_own=self.launch.is_own, is_demo=self.launch.is_demo
        )
        if question is None:
            self._end()
            return
        self._close_screens()
        self._quit_if_wanted(question)

    @work(description="end")
    async def _quit_if_wanted(self, question: str) -> None:
        from workbench.tui.dialogs.questions import confirm

        if await confirm(self.main, question, "Quit"):
            self._end()

    def action_suspend_process(self) -> None:
        """Stop this process until the shell lets it go on; then the screen is drawn again. The
        server and the suite are in sessions of their own: they run on, and clients wait.
        """
        if not can_suspend():
            self.status.say("Not suspended, because no shell could bring this window back.")
            return
        with contextlib.suppress(SuspendNotSupported), self.suspend():
            stop_process()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "suspend_process":
            return not takes_text(self.focused)  # in fields the key is for undo
        if action == "run_suite":
            return self.session.suite is not None
        return super().check_action(action, parameters)

    def _close_screens(self) -> None:
        """Close all dialogs."""
        while self.screen is not self.main:
            self.screen.dismiss()

    def _leave(self) -> None:
        """Quit without asking; drafts are saved as far as possible."""
        leaving.keep_drafts(self.main)
        self._end()

    def panic(self, *renderables: RenderableType) -> None:
        """End after an error; for input that cannot be decoded, with one line and no traceback."""
        if any(map(leaving.is_bad_input, renderables)):
            self._leave_unread()
        else:
            super().panic(*renderables)

    @work(description="end")
    async def _leave_unread(self) -> None:
        await self.ready.wait()  # ending during the start would be another error
        self._leave()
        self.exit(return_code=1, message=Text(leaving.BAD_INPUT))

    def _end(self) -> None:
        self.services.end()
        self.exit()

    # Keys

    async def on_event(self, event: Event) -> None:
        """Remove the welcome card with the first key or click, which acts as always."""
        if self._card is not None and isinstance(event, Key | MouseDown | Paste):
            self._card.remove()
            self._card = None
        await super().on_event(event)

    async def action_show_tab(self, name: str) -> None:
        await self.main.show_tab(name)

    @work(description="run again")
    async def action_run_suite(self) -> None:
        await self._suite_tab().run_again()

    def _suite_tab(self) -> SuiteTab:
        from workbench.tui.suite.tab import SuiteTab  # loaded on first use

        tab = self.main.tab(SUITE)
        assert isinstance(tab, SuiteTab)
        return tab

    def action_command_palette(self) -> None:
        from workbench.tui.keys.palette import SteadyPalette

        if not isinstance(self.screen, SteadyPalette):
            self._close_screens()  # commands act on the main screen
            self.push_screen(SteadyPalette())

    def action_help(self) -> None:
        from workbench.tui.keys.help_screen import HelpScreen

        self.push_screen(HelpScreen(self.focused, self.main.key_bar.now))

    @on(MissesTab.OfferTaken)
    def _offer_taken(self, event: MissesTab.OfferTaken) -> None:
        self.do_offer(event.what)

    def do_offer(self, what: Offer) -> None:
        """Open a log, start a server, send samples, copy a command, run the suite again or show
        what failed in it: an empty list offers it.
        """
        url = self.session.server.url
        if what == "add":
            from workbench.session.answers.written import git_add_command

            copy(self.main, git_add_command(self.session), "the git add line")
        elif what == "run":
            self.action_run_suite()
        elif what == "suite":
            self._show_failed()
        elif what == "open":
            self._open_log()
        elif what == "server":
            self.status.say(self.services.start_server())
        elif url is None:
            self.status.say('There is no server. "Start a server" of the palette (^p) starts one.')
        elif what == "sample" and self.session.server.is_up is False:
            self.status.say(f"No server answers at {url}: nothing can be sent to it.")
        elif what == "sample" and self.launch.play_sample is not None:
            self.launch.play_sample(url)
            self.status.say(f"Sending sample traffic to {url}.")
        elif what == "copy":
            command = suite_command(url)
            copy(self.main, command, f"the command {command}")

    @work(description="showing the suite")
    async def _show_failed(self) -> None:
        await self.main.show_tab(SUITE.id)
        self._suite_tab().select_failed()

    @work(description="opening a log")
    async def _open_log(self) -> None:
        from workbench.tui.dialogs.questions import ask_line

        name = await ask_line(self.main, "Which log?", "Open")
        if name is not None:
            self.status.say(self.services.open_log(name))

    @work(description="choosing a theme")
    async def _choose_theme(self) -> None:
        from workbench.tui.dialogs.themes import ThemePicker

        picker = ThemePicker(self.available_themes.values(), self.theme)
        name = await self.push_screen_wait(picker)
        if name is not None and self.launch.keep_theme is not None:
            self.launch.keep_theme(name)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy text through the terminal, which works over SSH as well; long text goes to a file.
        The status line shows which.
        """
        if not text:
            self.status.say("There is nothing to copy here.")
            return
        data = clipboard_bytes(text)
        message = f"Copied {counted(len(text), 'character')}."
        if fits_terminal(text):
            super().copy_to_clipboard(data.decode())
        else:
            message = "Too long for the terminal's clipboard"
            try:
                file = self.session.state_folder.ensure() / "clip.txt"
                write_atomic(file, data)
            except OSError as error:
                message += f", and no file for it: {error.strerror}."
            else:
                message += f": written to {file}."
        self.status.say(message)

    def action_help_quit(self) -> None:
        """Ctrl+C without marked text: it ends programs elsewhere."""
        self.status.say("q quits. ^c copies what is marked.")

    def action_toggle_plain(self) -> None:
        self._plain.enabled = not self._plain.enabled
        self.refresh_css()
        self.main.refresh_bindings()  # the key bar names Enter in another way

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """The commands without a key, for the palette."""
        for title, what, name in EMPTY_LIST_COMMANDS:
            yield SystemCommand(title, what, partial(self.do_offer, name))
        yield SystemCommand("Theme", "Other colours", self._choose_theme)
        plain = "For terminals that cannot draw the others"
        yield SystemCommand("Plain characters", plain, self.action_toggle_plain)
