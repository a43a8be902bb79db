"""The main screen: header, tabs, status line and key bar."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Label

from workbench.session.wording import brief_time, shown
from workbench.tui.bars import KeyBar, TopBar
from workbench.tui.widgets.empty_states import no_fixtures, no_misses
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.status import StatusBar
from workbench.tui.widgets.styles import HELD, MUTED, SUCCESS, WARNING

if TYPE_CHECKING:
    from workbench.core.control import HoldState
    from workbench.session.session import Session
    from workbench.tui.evals.tab import EvalsTab
    from workbench.tui.fixtures.tab import FixturesTab
    from workbench.tui.misses.tab import MissesTab
    from workbench.tui.runs.tab import RunsTab
    from workbench.tui.services.log_feed import LogStatus
    from workbench.tui.tab import Tab

SMALLEST = (60, 15)
REDRAW_AFTER = 0.1
TABS = ("misses", "fixtures", "runs", "evals")
PATH_WIDTH = 24


class MainScreen(Screen[None]):
    """Holds the tabs, and shows the state of logs and server in the header.

    The frame is painted first; ``load`` adds the tabs, which take longer.

    Args:
        painted: called when the frame is on the screen.

    Attributes:
        tabs: by their ids, in order; none before they are loaded.
    """

    # Visible beside a zoomed pane, too.
    ALLOW_IN_MAXIMIZED_VIEW = "StatusBar, KeyBar"
    # The tabs handle Escape themselves.
    ESCAPE_TO_MINIMIZE = False

    session: Session
    misses: MissesTab
    fixtures: FixturesTab
    runs: RunsTab
    evals: EvalsTab

    def __init__(self, painted: Callable[[], object]) -> None:
        super().__init__()
        self._painted = painted
        self.tabs: dict[str, Tab] = {}
        self.status = StatusBar()
        self._bar = TopBar()
        self._had_focus: Widget | None = None
        self._logs: Sequence[LogStatus] = ()
        self._server: tuple[str, bool | None] | None = None

    def compose(self) -> ComposeResult:
        with Container(id="main"):
            yield self._bar
            yield ContentSwitcher()
        yield self.status
        yield KeyBar()
        yield Label(id="too-small")

    def on_mount(self) -> None:
        self._bar.show_tabs([(name, name.title(), None) for name in TABS], TABS[0])
        self.call_after_refresh(self._painted)

    async def load(self, session: Session) -> None:
        """Add the tabs."""
        from workbench.tui.evals.tab import EvalsTab
        from workbench.tui.fixtures.tab import FixturesTab
        from workbench.tui.misses.tab import MissesTab
        from workbench.tui.runs.tab import RunsTab

        self.session = session
        self.misses, self.fixtures = MissesTab(session), FixturesTab(session)
        self.runs, self.evals = RunsTab(session), EvalsTab(session)
        tabs = (self.misses, self.fixtures, self.runs, self.evals)
        self.tabs = dict(zip(TABS, tabs, strict=True))
        switcher = self.query_one(ContentSwitcher)
        for tab in self.tabs.values():
            tab.display = False
        await switcher.mount_all(self.tabs.values())
        await self._bring(TABS[0])

    async def _bring(self, name: str) -> None:
        """Mount the panes of a tab, and show it."""
        await self.tabs[name].open()
        self.query_one(ContentSwitcher).current = name

    @property
    def shown(self) -> str:
        """The id of the tab that is shown."""
        return self.query_one(ContentSwitcher).current or TABS[0]

    def watch_focused(self, focused: Widget | None) -> None:
        """Keep the focus on something visible: leave the zoom when another pane gets it, and give
        it to the tab when the focused widget is hidden.
        """
        if focused is not None:
            if self.maximized is not None and not self._is_beside_zoom(focused):
                self.minimize()
        elif self.tabs:
            self.call_after_refresh(self._give_focus)

    def _is_beside_zoom(self, widget: Widget) -> bool:
        """Whether a widget is visible while a pane is zoomed."""
        return bool({self.maximized, self.status}.intersection(widget.ancestors_with_self))

    def _give_focus(self) -> None:
        # Without the focus of the terminal nothing has it, and it is given back later.
        is_seen = self.app.app_focus and not self.has_class("-too-small")
        if self.focused is None and self.is_current and is_seen:
            self.tabs[self.shown].take_focus()

    async def show_tab(self, name: str) -> None:
        if name not in self.tabs:
            return
        if name != self.shown:
            self.status.say("")
        await self._bring(name)
        tab = self.tabs[name]
        # At once, for the next key.
        self.set_focus(tab.rows)
        self.status.show_target(tab.subject)
        self.update_bar()

    def show_state(self, logs: Sequence[LogStatus], server: tuple[str, bool | None] | None) -> None:
        """Show the state of the logs and the server.

        Args:
            server: its URL and whether it is up, None for not known yet.
        """
        self._logs, self._server = logs, server
        self.update_bar()
        self.update_empty_lists()

    def update_bar(self) -> None:
        """Update the counts of the tabs, and the facts on the right."""
        tabs: list[tuple[str, str, int | None]] = [
            (name, name.title(), tab.open_items()) for name, tab in self.tabs.items()
        ]
        self._bar.show_tabs(tabs, self.shown)
        # Held requests matter more than the full name of a log.
        can_hold = self.session.held.hold is not None
        self._bar.show_facts(list(self._facts()), is_last_cut=can_hold and bool(self._logs))

    def _facts(self) -> Iterable[Content]:
        if self._server is not None:
            url, up = self._server
            word = {None: "", True: " up", False: " down"}[up]
            style = SUCCESS if up else WARNING
            where = Content(urlsplit(url).netloc)
            yield Content.styled("server ", MUTED) + where + Content.styled(word, style)
        # The fixtures folder stays when there is no room for the server.
        yield Content.styled("fixtures ", MUTED) + one_line(_brief(self.session.store.folder))
        hold = self.session.held.hold
        if hold is not None:
            yield self._hold_fact(hold)
        for log in self._logs[:1]:
            more = f" +{len(self._logs) - 1}" if len(self._logs) > 1 else ""
            live = log.state == "live"
            dot = Content.styled("●" if live else "○", SUCCESS if live else WARNING)
            yield dot + Content(f" {log.state} ") + one_line(log.name + more)

    def _hold_fact(self, hold: HoldState) -> Content:
        held = len(self.session.held)
        if not (hold.enabled or held):
            return Content.styled("hold off", MUTED)
        word = f"hold on {brief_time(hold.timeout_s)}" if hold.enabled else "hold off"
        return Content.styled(f"{word} · {held} held", HELD if held else SUCCESS)

    def update_empty_lists(self) -> None:
        """Update the text of empty lists, which depends on logs, server and fixtures."""
        if not self.misses.misses.keys:
            url = self._server[0] if self._server else None
            self.misses.misses.waiting_text = no_misses(
                self.session, self._logs, url, self.fixtures.open_items()
            )
            self.misses.misses.refresh()
        if not self.fixtures.fixtures.keys:
            self.fixtures.fixtures.waiting_text = no_fixtures(self.session.store.folder)
            self.fixtures.fixtures.refresh()

    def on_tab_counts_changed(self) -> None:
        self.update_bar()
        self.update_empty_lists()

    def on_resize(self) -> None:
        width, height = self.app.size
        too_small = width < SMALLEST[0] or height < SMALLEST[1]
        if too_small and not self.has_class("-too-small"):
            self._had_focus = self.focused
            self.minimize()
        self.set_class(too_small, "-too-small")
        if not too_small and self._had_focus is not None:
            # Hiding took the focus away.
            self.call_after_refresh(self.set_focus, self._had_focus)
            self._had_focus = None
        wanted = "x".join(map(str, SMALLEST))
        text = f"Needs {wanted} or more; this is {width}x{height}."
        self.query_one("#too-small", Label).update(Content(text))
        if self.app.screen is not self:
            # Textual may have drawn the question above before this screen was laid out.
            self.set_timer(REDRAW_AFTER, self.app.screen.refresh)


def _brief(path: Path) -> str:
    """The name of a folder, its beginning cut where it is long."""
    name = str(shown(path))
    return name if len(name) <= PATH_WIDTH else "…" + name[-PATH_WIDTH + 1 :]
