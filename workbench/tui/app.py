"""The terminal application: its life, what flows in, and the commands that belong to no pane."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.events import Event, Key
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen

from workbench.session.wording import cannot_write, counted
from workbench.tui.bars import StatusBar
from workbench.tui.empty_states import suite_command
from workbench.tui.launch import Launch
from workbench.tui.main_screen import MainScreen
from workbench.tui.plain import PlainCharacters
from workbench.tui.themes import THEMES

# What the first paint does not need is imported where it is used.
if TYPE_CHECKING:
    from workbench.io.control_client import ServerEvent
    from workbench.io.tail import Tail
    from workbench.session.session import Session
    from workbench.tui.feed import Feed
    from workbench.tui.fixtures_tab import FixturesTab
    from workbench.tui.misses_tab import MissesTab

PROBE_SECONDS = 2.0
EMPTY_LIST_COMMANDS = (
    ("Open a log", "Read one more log from now on", "open"),
    ("Start a server", "One of this window's own, where there is none", "server"),
    ("Sample traffic", "Send the requests of some sample agents to the server", "sample"),
    ("Copy the command", "The line that runs a suite against the server", "copy"),
)


def _palette() -> type[Provider]:
    from workbench.tui.commands import Palette

    return Palette


class WorkbenchApp(App[None]):
    """Holds the session and hands its news to the tabs.

    Long because whatever comes from outside (files, servers, signals, commands) comes in here and
    is handed on in a few lines.

    Args:
        open_session: called once, after the first paint.
    """

    TITLE = "workbench"
    CSS_PATH = "main.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_palette}

    @dataclass
    class QuitAsked(Message):
        """The key to quit was pressed.

        Attributes:
            again: it goes this way once more.
        """

        again: bool

    BINDING_GROUP_TITLE = "Everywhere"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", key_display="?", id="help", tooltip="All keys"),
        Binding("f1", "help", "Help", key_display="F1", id="help.field", tooltip="All keys"),
        Binding("ctrl+p", "command_palette", "More", key_display="^p", priority=True,
                id="palette", tooltip="Every command by its name"),
        Binding("colon", "command_palette", show=False,
                id="palette.list", tooltip="Every command by its name"),
        Binding("1", "show_tab('misses')", show=False,
                id="misses", tooltip="The requests that had no fixture"),
        Binding("2", "show_tab('fixtures')", show=False,
                id="fixtures", tooltip="The files of the fixtures folder"),
        Binding("3", "show_tab('runs')", show=False,
                id="runs", tooltip="What was recorded, exchange by exchange"),
        Binding("4", "show_tab('evals')", show=False,
                id="evals", tooltip="How the golden queries did, run by run"),
        Binding("q", "quit", "Quit", id="quit", tooltip="End; drafts are kept"),
        Binding("ctrl+q", "quit", key_display="^q", show=False, priority=True,
                id="quit.field", tooltip="End; drafts are kept"),
    ]
    # fmt: on

    def __init__(self, open_session: Callable[[], Session], launch: Launch) -> None:
        super().__init__()
        self.launch = launch
        self._open_session = open_session
        self._plain = PlainCharacters(enabled=launch.plain)
        for theme in THEMES:
            self.register_theme(theme)
        if "TEXTUAL_THEME" not in os.environ:
            # Not by setting it, which would parse all styles a second time.
            self.set_reactive(App.theme, THEMES[0].name)
            self.stylesheet.set_variables(self.get_css_variables())
        self.set_keymap(dict(launch.keys))

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *([self._plain] if self._plain.enabled else [])]

    async def on_event(self, event: Event) -> None:
        """Any key closes the hint of the first start, and does what it does all the same."""
        if isinstance(event, Key) and self.launch.welcome:
            self.launch.welcome = False
            await self.main.query("Welcome").remove()
        await super().on_event(event)

    def get_default_screen(self) -> MainScreen:
        return MainScreen(welcome=self.launch.welcome)

    @cached_property
    def session(self) -> Session:
        session = self._open_session()
        session.server_url = self.launch.server_url
        session.upstream.url = self.launch.upstream_url
        return session

    @cached_property
    def feed(self) -> Feed:
        from workbench.tui.feed import Feed

        news = (self._misses_changed, self._files_changed, self._toast, self._days_changed)
        return Feed(self.session, self.launch.tails, *news)

    @property
    def main(self) -> MainScreen:
        """The screen below whatever else is shown."""
        screen = self.screen_stack[0]
        assert isinstance(screen, MainScreen)
        return screen

    @property
    def misses(self) -> MissesTab:
        return self.main.misses

    @property
    def fixtures(self) -> FixturesTab:
        return self.main.fixtures

    @property
    def status(self) -> StatusBar:
        return self.main.status

    # Life

    async def on_main_screen_painted(self) -> None:
        await self.main.load(self.session)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.call_later, self._leave)
        self._show_state()
        self.misses.misses.focus()
        self.call_after_refresh(self._start)

    def _start(self) -> None:
        """After the first paint: what takes time."""
        for bad in self.session.drafts.recover():
            self._note(f"A draft could not be read; kept as {bad.kept_as}.")
        self.session.take_files([self.session.ignore.path.name])
        recovered = len(self.session.drafts.drafts)
        if recovered:
            are = (
                "draft of the last session is"
                if recovered == 1
                else "drafts of the last session are"
            )
            self._note(f"{recovered} {are} back.")
        for note in self.launch.notes:
            self._note(note)
        self._follow_logs(self.launch.tails)
        self._watch_fixtures()
        self.main.runs.follow(self.feed.stop)
        self.main.evals.follow(self.feed.stop)
        self._compare()
        if self.launch.server_url:
            self._use_server(self.launch.server_url)
        if self.launch.on_ready is not None:
            self.launch.on_ready()

    @work(group="logs", exit_on_error=False)
    async def _follow_logs(self, tails: Sequence[Tail]) -> None:
        await self.feed.follow_logs(tails)

    @work(group="fixtures", exit_on_error=False)
    async def _watch_fixtures(self) -> None:
        await self.feed.watch_fixtures()

    def _use_server(self, url: str) -> None:
        self._probe_server()
        self._follow_server(url)

    @work(group="server", exit_on_error=False)
    async def _follow_server(self, url: str) -> None:
        from workbench.io.control_client import ControlClient
        from workbench.tui.server_feed import ServerFeed

        feed = ServerFeed(
            self.session,
            ControlClient(url),
            reads_log=lambda: bool(self.feed.logs),
            on_misses=self._misses_changed,
            on_held=self._held_changed,
            on_ended=self._wait_ended,
            stop=self.feed.stop,
        )
        await feed.follow()

    @work(group="compare", exit_on_error=False)
    async def _compare(self) -> None:
        await self.feed.compare()

    @work(group="probe", exit_on_error=False)
    async def _probe_server(self) -> None:
        """Ask now and then whether something listens there."""
        parts = urlsplit(self.launch.server_url or "")
        while not self.feed.stop.is_set():
            try:
                connecting = asyncio.open_connection(parts.hostname, parts.port)
                _, writer = await asyncio.wait_for(connecting, 1)
                writer.close()
                up = True
            except (OSError, TimeoutError):
                up = False
            if up != self.session.server_up:
                self.session.server_up = up
                self._show_state()
            await asyncio.sleep(PROBE_SECONDS)

    def _leave(self) -> None:
        """End on a signal: drafts are kept as far as they can be; nobody can be asked."""
        self._keep_drafts()
        self._end()

    async def action_quit(self) -> None:
        """End, once the keys before it have acted: they come up from what has the focus, and what
        they ask for comes the same way behind them.
        """
        self._ask_to_quit(again=True)

    def _ask_to_quit(self, *, again: bool) -> None:
        begin = self.focused or self.screen
        begin.post_message(self.QuitAsked(again).set_sender(begin))

    def on_workbench_app_quit_asked(self, asked: QuitAsked) -> None:
        """End; where drafts would be lost, only after asking."""
        if asked.again:
            self._ask_to_quit(again=False)
            return
        question = self._lost_by_leaving(self._keep_drafts())
        if not question:
            self._end()
            return
        while self.screen is not self.main:
            self.pop_screen()
        self.status.confirm(question, self._end)

    def _lost_by_leaving(self, trouble: OSError | None) -> str:
        """What to ask before the end: about drafts that cannot be kept, because of ``trouble``,
        clients that wait for the server of this window, and forks that were not written; "" where
        nothing is lost.
        """
        clients = self.session.held.clients if self.launch.is_own else 0
        if clients and trouble is None:
            waits = "waits for an answer" if clients == 1 else "wait for answers"
            return (
                f"{counted(clients, 'client')} {waits} of the server that ends with this window."
                " y ends and they get the fallback, esc stays."
            )
        if trouble is None:
            begun = len(self.main.runs.book.forks_begun)
            lost = f"{counted(begun, 'fork')} not written would be lost."
            return f"{lost} y ends, any other key stays." if begun else ""
        lost = counted(len(self.session.drafts.unkept), "draft")
        why = cannot_write(self.session.state_folder.path, trouble)
        return f"{lost} would be lost. y ends, any other key stays ({why})."

    def _keep_drafts(self) -> OSError | None:
        """Write every draft to disk; returns why one cannot be."""
        try:
            for tab in self.main.tabs.values():
                if tab.is_open:
                    tab.write_back()
            self.session.drafts.store_changed()
        except OSError as error:
            return error
        return None

    def _end(self) -> None:
        self.feed.stop.set()
        self.exit()

    # News

    def _misses_changed(self, digests: set[str]) -> None:
        self.misses.update_rows(frozenset(digests))
        self._show_state()
        self.feed.wake()

    def _days_changed(self, digests: set[str], fixtures_changed: bool) -> None:
        self.misses.days_changed(digests, fixtures_changed)

    def _held_changed(self, digests: set[str]) -> None:
        waiting = self.misses.held_changed(digests)
        if waiting and self.launch.bell:
            self.bell()
        self._show_state()

    def _wait_ended(self, event: ServerEvent) -> None:
        text, answers_a_key = self.misses.wait_ended(event)
        if text:
            (self._note if answers_a_key else self._toast)(text)

    def _files_changed(self, names: frozenset[str], digests: set[str]) -> None:
        self.fixtures.update_names(names)
        self._misses_changed(digests)
        for tab in (self.misses, self.fixtures):
            tab.files_changed(names)

    def _show_state(self) -> None:
        url = self.launch.server_url
        server = (url, self.session.server_up) if url else None
        self.main.show_state(list(self.feed.logs.values()), server)

    def _note(self, text: str) -> None:
        self.status.say(text)

    def _toast(self, text: str) -> None:
        """Tell what happened without a key."""
        self.notify(text, timeout=4, markup=False)

    # Keys

    async def action_show_tab(self, name: str) -> None:
        await self.main.show_tab(name)

    def action_help(self) -> None:
        from workbench.tui.help_screen import HelpScreen

        self.push_screen(HelpScreen(self.focused))

    def action_empty_list(self, what: str) -> None:
        """What an empty list offers: open a log, start a server, sample traffic, copy a line."""
        from workbench.tui.clipboard import copy

        url = self.launch.server_url
        if what == "open":
            self.status.ask("Which log?", self.open_log)
        elif what == "server":
            self._start_server()
        elif url is None:
            self._note('There is no server. "Start a server" of the palette (^p) starts one.')
        elif what == "sample" and self.launch.play_sample is not None:
            self.launch.play_sample(url)
            self._note(f"Sample traffic goes to {url}.")
        elif what == "copy":
            self._note(copy(self, self.session.state_folder, suite_command(url)))

    def open_log(self, name: str) -> None:
        """Read one more log from now on."""
        from workbench.io.tail import open_tail

        if name.strip():
            tail = open_tail(Path(name.strip()).expanduser())
            self.feed.add(tail)
            self._follow_logs([tail])
            self._show_state()
            self._note(f"Reading {tail.path}.")

    def _start_server(self) -> None:
        if self.launch.start_server is None or self.launch.is_own:
            self._note(f"The server of this window is {self.launch.server_url}.")
            return
        try:
            url, log = self.launch.start_server()
        except OSError as error:
            self._note(f"The server cannot start: {error.strerror or error}.")
            return
        self.launch.server_url, self.launch.is_own = url, True
        self.session.server_url = url
        self.open_log(str(log))
        self._use_server(url)
        self._note(f"Started on {url}. It ends with this window.")

    def action_toggle_plain(self) -> None:
        self._plain.enabled = not self._plain.enabled
        self.refresh_css()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:  # noqa: ARG002
        """The commands that no key has, for the palette."""
        for title, what, name in EMPTY_LIST_COMMANDS:
            yield SystemCommand(title, what, partial(self.action_empty_list, name))
        across = "The setting with which the server answers misses of another day"
        yield SystemCommand("Serve across days", across, self.misses.action_serve_across_days)
        yield SystemCommand("Theme", "Other colours", self.action_change_theme)
        plain = "For terminals that cannot draw the others"
        yield SystemCommand("Plain characters", plain, self.action_toggle_plain)
