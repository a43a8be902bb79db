"""The main screen: header, tabs, status line and key bar."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from workbench.session.log_status import LogStatus
from workbench.session.session import Session
from workbench.tui.header import TabLabel, TopBar, facts_of, suite_state
from workbench.tui.key_bar import KeyBar
from workbench.tui.misses.empty_states import no_misses
from workbench.tui.misses.tab import MissesTab
from workbench.tui.tabs import FIXTURES, MISSES, TABS, TabEntry
from workbench.tui.terminal_window import TerminalWindow, title_of
from workbench.tui.widgets.copying import characters_of, copy
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.status import StatusBar
from workbench.tui.workspace.tab import Tab
from workbench.tui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from workbench.tui.fixture.tab import FixturesTab
    from workbench.tui.suite.tab import SuiteTab

SMALLEST = (60, 15)
# From this width on the header has room for longer facts.
WIDE = 160
REDRAW_AFTER = 0.1
# Columns and rows round the output of the suite.
AROUND = (5, 5)


class MainScreen(Screen[None]):
    """Contains the tabs, and shows the state of logs and server in the header.

    The Misses tab is painted first. The other tabs, and their modules, are loaded at their first
    use.

    Args:
        fill: awaited before the first paint: calls ``load``, and lists the first rows.
        painted: called when they are on the screen.

    Attributes:
        window: the terminal's window, whose title shows what waits.
        tabs: the opened tabs, by their ids.
        shown: the id of the shown tab.
    """

    # Visible beside a zoomed pane, too.
    ALLOW_IN_MAXIMIZED_VIEW = "StatusBar, KeyBar"
    # The tabs handle Escape themselves.
    ESCAPE_TO_MINIMIZE = False

    # A change of the focus draws the two widgets it is about, not everything.
    focused: Reactive[Widget | None] = Reactive(None, repaint=False)

    def __init__(
        self,
        session: Session,
        fill: Callable[[], Awaitable[None]],
        painted: Callable[[], object],
        window: TerminalWindow,
    ) -> None:
        super().__init__()
        self.session = session
        self._fill = fill
        self._painted = painted
        self.window = window
        self.tabs: dict[str, Tab] = {}
        self.shown = MISSES.id
        self._made: dict[str, Tab] = {}
        # The tabs that show what changed when they are shown next; the misses are shown when the
        # first of them are read.
        self._outdated = {entry.id for entry in TABS if entry is not MISSES}
        self.status = StatusBar()
        self.key_bar = KeyBar(lambda: self.tabs.get(self.shown))
        self._bar = TopBar()
        self._had_focus: Widget | None = None
        self._logs: Sequence[LogStatus] = ()
        self._is_header_due = False

    def compose(self) -> ComposeResult:
        yield self._bar
        yield self.status
        yield self.key_bar

    def render(self) -> RenderableType:
        """The content of a terminal that is too small for the rest."""
        if not self.has_class("-too-small"):
            return super().render()
        width, height = self.app.size
        return Text(f"Needs {'x'.join(map(str, SMALLEST))} or more; this is {width}x{height}.")

    async def on_mount(self) -> None:
        self._show_tabs()
        with self.app.batch_update():
            await self._fill()
            self.misses.panes.fit_list()

    def on_show(self) -> None:
        """It is drawn; ``call_after_refresh`` would wait for the next time."""
        self.call_later(self._painted)

    async def load(self) -> None:
        """Add the first tab."""
        self._resize_suite()
        await self._bring(MISSES)

    @property
    def misses(self) -> MissesTab:
        tab = self.tab(MISSES)
        assert isinstance(tab, MissesTab)
        return tab

    @property
    def entries(self) -> list[TabEntry]:
        """The tabs there are, in their order."""
        return [entry for entry in TABS if not entry.lacking(self.session)]

    def tab(self, entry: TabEntry) -> Tab:
        """A tab, opened if necessary."""
        if entry.id not in self._made:
            tab = self._made[entry.id] = entry.make(self.session)
            tab.id = entry.id
        return self._made[entry.id]

    async def _bring(self, entry: TabEntry) -> None:
        """Show a tab; one that was not shown before is mounted."""
        tab, name = self.tab(entry), entry.id
        async with tab.batch():
            if name not in self.tabs:
                # Before its styles are looked up.
                tab.panes.fit()
                tab.add_class("-shown")
                await self.mount(tab, before=self.status)
                await tab.open()
                self.tabs[name] = tab
            if name in self._outdated:
                self._outdated.discard(name)
                tab.show_news()
            tab.panes.fit_list()
            for each, other in self.tabs.items():
                other.set_class(each == name, "-shown")
        self.shown = name

    def watch_focused(self, focused: Widget | None) -> None:
        """Keep the focus on something visible: leave the zoom when another pane gets it, and give
        it to the tab when the focused widget is hidden.
        """
        if focused is not None:
            if self.maximized is not None and not self._is_beside_zoom(focused):
                self.minimize()
        elif self.tabs:
            self.call_after_refresh(self._give_focus)

    def watch_maximized(self) -> None:
        if self.tabs:
            self.tabs[self.shown].panes.fit_list()

    def _is_beside_zoom(self, widget: Widget) -> bool:
        """True if a widget is visible while a pane is zoomed."""
        return bool({self.maximized, self.status}.intersection(widget.ancestors_with_self))

    def _give_focus(self) -> None:
        # Without the focus of the terminal nothing has it, and it is given back later.
        is_seen = self.app.app_focus and not self.has_class("-too-small")
        if self.focused is None and self.is_current and is_seen:
            self.tabs[self.shown].take_focus()

    async def show_tab(self, name: str) -> None:
        if not self.tabs:
            return  # the start is not done
        entry = next(entry for entry in TABS if entry.id == name)
        if lacking := entry.lacking(self.session):
            self.status.say(lacking)
            return
        if name != self.shown:
            self.status.say("")
        await self._bring(entry)
        tab = self.tab(entry)
        # At once, for the next key.
        self.set_focus(tab.entry)
        self.status.show_target(tab.target)
        self._update_header_soon()

    def show_state(self, logs: Sequence[LogStatus]) -> None:
        """Show the state of the logs and the server."""
        self._logs = logs
        self._update_header_soon()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "command":
            return self.tabs[self.shown].acts(str(parameters[0]))
        return super().check_action(action, parameters)

    async def action_command(self, id: str) -> None:
        """Run a command of the shown tab."""
        await self.tabs[self.shown].run_command(id)

    def action_copy_text(self) -> None:
        """Copy what the mouse marked; without that the key is free for others."""
        text = self.get_selected_text()
        if not text:
            raise SkipAction
        around = chain.from_iterable(widget.ancestors for widget in self.selections)
        panes = [node.label for node in around if isinstance(node, Framed) and node.label]
        copy(self, text, characters_of(text, panes[0] if panes else "screen"))

    def action_choose_pane(self, number: int) -> None:
        """Go into a pane of the shown tab, by its place beside the list."""
        self.tabs[self.shown].panes.focus_number(number)

    def _update_header_soon(self) -> None:
        """Update the header once for all that changes now."""
        if not self._is_header_due:
            self._is_header_due = True
            self.call_later(self._update_header)

    def _update_header(self) -> None:
        """Update the counts of the tabs, the facts on the right, and the text of an empty list,
        which depends on them.
        """
        self._is_header_due = False
        session = self.session
        self._show_tabs()
        is_wide = self.app.size.width >= WIDE
        self._bar.show_facts(dict(facts_of(session, self._logs, is_wide=is_wide)))
        self.window.set_title(title_of(session))
        for tab in self.tabs.values():
            tab.update_keys()  # the key bar has hold where the server can
        self.misses.fit_panes()
        rows = self.misses.rows
        if not rows.keys:
            text = no_misses(session, self._logs, self.app.size)
            if text != rows.waiting_text:
                rows.waiting_text = text
                rows.refresh()
                self.misses.panes.rows_changed()

    def _show_tabs(self) -> None:
        """Show in the header the tabs with content, and the shown one."""
        session = self.session
        # Nothing else is counted before the first rows are on the screen.
        are_counted = bool(self.tabs) and self.misses.parts is not None
        labels = []
        for entry in self.entries:
            has_content = entry.has_content is None or (are_counted and entry.has_content(session))
            if has_content or entry.id == self.shown:
                count = entry.count(session) if are_counted else None
                labels.append(TabLabel(entry.key, entry.id, entry.title, count))
        if self.tabs:
            labels[0] = labels[0]._replace(items=self.misses.rows.list_query.open_count)
        self._bar.show_tabs(labels, self.shown, suite_state(session))

    def show_news(self, name: str) -> None:
        """Show what changed in the session, in the header and in the tab that shows it: at once, or
        when that is shown next, since a list of thousands is sorted for each change.
        """
        if name == self.shown and self.tabs:
            self.tabs[name].show_news()
        else:
            self._outdated.add(name)
        self._update_header_soon()

    def on_tab_counts_changed(self) -> None:
        self._update_header_soon()

    def on_fixtures_tab_decided(self, event: FixturesTab.Decided) -> None:
        self.misses.decided(event.digest)

    async def on_workspace_open_fixture(self, event: Workspace.OpenFixture) -> None:
        await self.show_tab(FIXTURES.id)
        tab = self.tabs[FIXTURES.id]
        assert isinstance(tab, Workspace)
        tab.select_digest(event.name)
        self.status.say(event.sentence)

    async def on_suite_tab_open_miss(self, event: SuiteTab.OpenMiss) -> None:
        await self.show_tab(MISSES.id)
        self.misses.rows.select(event.key)

    def on_resize(self) -> None:
        width, height = self.app.size
        if self.tabs:
            self._resize_suite()
            self._update_header_soon()  # the content of an empty list is made for the size
        too_small = width < SMALLEST[0] or height < SMALLEST[1]
        if too_small and not self.has_class("-too-small"):
            self._had_focus = self.focused
            self.minimize()
        self.set_class(too_small, "-too-small")
        if not too_small and self._had_focus is not None:
            # Hiding took the focus away.
            self.call_after_refresh(self.set_focus, self._had_focus)
            self._had_focus = None
        if self.app.screen is not self:
            # Textual may have drawn the question above before this screen was laid out.
            self.set_timer(REDRAW_AFTER, self.app.screen.refresh)

    def _resize_suite(self) -> None:
        """Make the terminal of the suite as large as the pane of its output."""
        if self.session.suite is not None:
            width, height = self.app.size
            self.session.suite.resize(width - AROUND[0], height - AROUND[1])
