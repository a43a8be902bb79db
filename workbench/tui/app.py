"""The terminal application: it starts the feed, shows the tabs and says how things stand."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import Event, Key, Resize
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Label

from workbench.core.digest import short
from workbench.io.tail import Tail, open_tail
from workbench.session.session import Session
from workbench.tui.bars import KeyBar, StatusBar, TopBar
from workbench.tui.clipboard import copy
from workbench.tui.empty_states import no_fixtures, no_misses, suite_command
from workbench.tui.feed import Feed
from workbench.tui.fixtures_tab import FixturesTab
from workbench.tui.help_screen import HelpScreen
from workbench.tui.inert import one_line
from workbench.tui.messages import StatusChanged, SubjectChanged
from workbench.tui.misses_tab import MissesTab
from workbench.tui.plain import PlainCharacters
from workbench.tui.styles import MUTED, SUCCESS, WARNING
from workbench.tui.welcome import Welcome
from workbench.tui.workspace import Workspace

SMALLEST = (60, 15)
PROBE_SECONDS = 2.0
PATH_WIDTH = 24
EMPTY_LIST_COMMANDS = (
    ("Open a log", "Read one more log", "open"),
    ("Start a server", "A server of this window's own, where there is none", "server"),
    ("Sample traffic", "Send the requests of some sample agents to the server", "sample"),
    ("Copy the suite's command", "The line that runs a suite against the server", "copy"),
)


@dataclass
class Launch:
    """What the command line decided.

    Attributes:
        server_url: of the server whose misses are shown, if known.
        is_own: whether that server ends with this application.
        notes: sentences for the status line at the start.
        on_ready: called once when the first screen is drawn (sample traffic starts then).
        plain: draw with plain characters.
        welcome: show the hint of the first start.
        keys: other keys for bindings, by their ids.
        start_server: starts a server of our own and returns its URL and log.
        play_sample: sends sample traffic to the server at a URL, in a thread of its own.
    """

    tails: Sequence[Tail] = ()
    server_url: str | None = None
    is_own: bool = False
    notes: list[str] = field(default_factory=list)
    on_ready: Callable[[], None] | None = None
    plain: bool = False
    welcome: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    start_server: Callable[[], tuple[str, Path]] | None = None
    play_sample: Callable[[str], None] | None = None


class WorkbenchApp(App[None]):
    """Holds the session and hands its news to the tabs."""

    TITLE = "workbench"
    CSS_PATH = "main.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "Help", key_display="?", id="help", tooltip="All keys"),
        Binding("q", "quit", "Quit", id="quit", tooltip="Drafts are kept"),
        Binding("ctrl+q", "quit", key_display="^q", show=False, priority=True),
        Binding("1", "show_tab('misses')", show=False, id="misses", tooltip="Misses"),
        Binding("2", "show_tab('fixtures')", show=False, id="fixtures", tooltip="Fixtures"),
        Binding("colon", "command_palette", show=False, id="palette", tooltip="Every command"),
    ]

    def __init__(self, session: Session, launch: Launch) -> None:
        super().__init__()
        self.session = session
        self.launch = launch
        self.feed = Feed(
            session, launch.tails, self._misses_changed, self._files_changed, self._note
        )
        self._server_up: bool | None = None
        self._plain = PlainCharacters(enabled=launch.plain)
        self.set_keymap(dict(launch.keys))

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *([self._plain] if self._plain.enabled else [])]

    async def on_event(self, event: Event) -> None:
        """Any key closes the hint of the first start, and does what it does all the same."""
        if isinstance(event, Key) and self.launch.welcome:
            self.launch.welcome = False
            await self.screen_stack[0].query(Welcome).remove()
        await super().on_event(event)

    def compose(self) -> ComposeResult:
        with Container(id="main"):
            yield TopBar()
            with ContentSwitcher(initial="misses"):
                yield MissesTab(self.session)
                yield FixturesTab(self.session)
            yield StatusBar()
            yield KeyBar()
        yield Label(id="too-small")
        if self.launch.welcome:
            yield Welcome()

    @property
    def misses(self) -> MissesTab:
        return self.screen_stack[0].query_one(MissesTab)

    @property
    def fixtures(self) -> FixturesTab:
        return self.screen_stack[0].query_one(FixturesTab)

    @property
    def status(self) -> StatusBar:
        return self.screen_stack[0].query_one(StatusBar)

    @property
    def _shown_tab(self) -> str | None:
        return self.screen_stack[0].query_one(ContentSwitcher).current

    # Life

    def on_mount(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._leave)
        self._update_waiting_text()
        self.misses.update_rows(frozenset())
        self.fixtures.fixtures.update_rows()
        self._update_bar()
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
        if self.launch.server_url:
            self._probe_server()
        if self.launch.on_ready is not None:
            self.launch.on_ready()

    @work(group="logs", exit_on_error=False)
    async def _follow_logs(self, tails: Sequence[Tail]) -> None:
        await self.feed.follow_logs(tails)

    @work(group="fixtures", exit_on_error=False)
    async def _watch_fixtures(self) -> None:
        await self.feed.watch_fixtures()

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
            if up != self._server_up:
                self._server_up = up
                self._update_bar()
            await asyncio.sleep(PROBE_SECONDS)

    def _leave(self) -> None:
        """End on a signal as on ``q``: drafts are kept."""
        self.run_worker(self.action_quit(), exit_on_error=False)

    async def action_quit(self) -> None:
        for tab in (self.misses, self.fixtures):
            with contextlib.suppress(OSError):  # said when it was typed; nobody can be told now
                tab.view.keep_now()
        self.feed.stop.set()
        self.exit()

    # News

    def _misses_changed(self, digests: set[str]) -> None:
        self.misses.update_rows(frozenset(digests))
        self._update_bar()
        if not self.misses.misses.keys:
            self._update_waiting_text()

    def _files_changed(self, names: frozenset[str], digests: set[str]) -> None:
        self.fixtures.update_names(names)
        self._misses_changed(digests)

    def _note(self, text: str) -> None:
        self.status.say(text)

    def on_status_changed(self, event: StatusChanged) -> None:
        self.status.say(event.text, event.severity)

    def on_subject_changed(self, event: SubjectChanged) -> None:
        if event.tab == self._shown_tab:
            self._show_target(event.digest)

    def _show_target(self, digest: str | None) -> None:
        self.status.show_target(f"saves {short(digest)}….json" if digest else "")

    def on_workspace_decided(self) -> None:
        self._update_bar()
        self._update_waiting_text()

    def on_workspace_confirm_asked(self, event: Workspace.ConfirmAsked) -> None:
        self.status.confirm(event.question, event.confirmed)

    def on_workspace_asked(self, event: Workspace.Asked) -> None:
        self.status.ask(event.question, event.answered)

    # The line above

    def _update_bar(self) -> None:
        bar = self.screen_stack[0].query_one(TopBar)
        tabs: list[tuple[str, Workspace, str]] = [
            ("misses", self.misses, "Misses"),
            ("fixtures", self.fixtures, "Fixtures"),
        ]
        shown = self._shown_tab or ""
        bar.show_tabs([(name, title, tab.open_items()) for name, tab, title in tabs], shown)
        bar.show_facts(list(self._facts()))

    def _facts(self) -> Iterable[Content]:
        muted = MUTED
        yield Content.styled("fixtures ", muted) + one_line(_short(self.session.store.folder))
        if self.launch.server_url:
            where = urlsplit(self.launch.server_url).netloc
            up = {None: "", True: " up", False: " down"}[self._server_up]
            style = SUCCESS if self._server_up else WARNING
            yield Content.styled("server ", muted) + Content(where) + Content.styled(up, style)
        for log in list(self.feed.logs.values())[:1]:
            more = f" +{len(self.feed.logs) - 1}" if len(self.feed.logs) > 1 else ""
            live = log.state == "live"
            dot = Content.styled("●" if live else "○", SUCCESS if live else WARNING)
            yield dot + Content(f" {log.state} ") + one_line(log.name + more)

    def _update_waiting_text(self) -> None:
        logs = list(self.feed.logs.values())
        fixtures = self.fixtures.open_items()
        self.misses.misses.waiting_text = no_misses(
            self.session, logs, self.launch.server_url, fixtures
        )
        self.misses.misses.refresh()
        self.fixtures.fixtures.waiting_text = no_fixtures(self.session.store.folder)

    # Keys

    def action_show_tab(self, name: str) -> None:
        self.screen_stack[0].query_one(ContentSwitcher).current = name
        tab = self.misses if name == "misses" else self.fixtures
        tab.rows.focus()
        self._show_target(tab.subject)
        self._update_bar()

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self.focused))

    def action_empty_list(self, what: str) -> None:
        """What an empty list offers: open a log, start a server, sample traffic, copy a line."""
        url = self.launch.server_url
        if what == "open":
            self.status.ask("Which log?", self.open_log)
        elif what == "server" and url is None and self.launch.start_server is not None:
            self._start_server(self.launch.start_server)
        elif what == "sample" and url is not None and self.launch.play_sample is not None:
            self.launch.play_sample(url)
        elif what == "copy" and url is not None:
            self._note(copy(self, self.session.state_folder, suite_command(url)))

    def open_log(self, name: str) -> None:
        """Read one more log from now on."""
        if name.strip():
            tail = open_tail(Path(name.strip()).expanduser())
            self.feed.add(tail)
            self._follow_logs([tail])
            self._update_bar()
            self._update_waiting_text()
            self._note(f"Reading {tail.path}.")

    def _start_server(self, start: Callable[[], tuple[str, Path]]) -> None:
        try:
            url, log = start()
        except OSError as error:
            self._note(f"The server cannot start: {error.strerror or error}.")
            return
        self.launch.server_url, self.launch.is_own = url, True
        self.open_log(str(log))
        self._probe_server()
        self._note(f"Started on {url}. It ends with this window.")

    def action_toggle_plain(self) -> None:
        self._plain.enabled = not self._plain.enabled
        self.refresh_css()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        for title, what, name in EMPTY_LIST_COMMANDS:
            yield SystemCommand(title, what, partial(self.action_empty_list, name))
        yield SystemCommand(
            "Plain characters", "For terminals that cannot draw glyphs", self.action_toggle_plain
        )
        yield SystemCommand(
            "Misses", "Requests that had no fixture (1)", lambda: self.action_show_tab("misses")
        )
        yield SystemCommand(
            "Fixtures", "Files of the folder (2)", lambda: self.action_show_tab("fixtures")
        )

    def on_resize(self, event: Resize) -> None:
        width, height = event.size
        too_small = width < SMALLEST[0] or height < SMALLEST[1]
        screen = self.screen_stack[0]
        screen.set_class(too_small, "-too-small")
        if too_small:
            wanted = "x".join(map(str, SMALLEST))
            screen.query_one("#too-small", Label).update(
                Content(f"Needs {wanted} or more; this is {width}x{height}.")
            )


def _short(path: Path) -> str:
    """A folder as briefly as it can be copied: relative where it is below the current one."""
    try:
        shown = str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        shown = str(path)
    return shown if len(shown) <= PATH_WIDTH else "…" + shown[-PATH_WIDTH + 1 :]
