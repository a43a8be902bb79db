"""Runs the suite, and shows its state."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from workbench.core.fixture.names import name_of
from workbench.core.text.wording import counted, duration
from workbench.io.network.control_client import ControlError
from workbench.session.misses.states import open_misses, open_unsupported
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.tui.screen import MainScreen
from workbench.tui.tabs import MISSES, SUITE

TICK_SECONDS = 1.0
# Between two looks at the tests: each of their requests changes one.
LOOK_SECONDS = 0.2


class SuiteFeed:
    """Runs one suite, and shows its state in the header and in its tab.

    Attributes:
        tests_changed: set when the server may have new data on tests.
    """

    def __init__(self, session: Session, suite: Suite, main: MainScreen) -> None:
        self._session = session
        self._suite = suite
        self._main = main
        self.tests_changed = asyncio.Event()
        self._was_running = False
        self._shown = ""

    async def follow(self) -> None:
        """Run the suite, and again on demand, until cancelled."""
        self._main.set_interval(TICK_SECONDS, self._show_state)
        await self._suite.follow(self._changed)

    async def follow_tests(self) -> None:
        """Fetch the server's data on the tests, until cancelled."""
        tests, server = self._suite.tests, self._session.server
        while True:
            await self.tests_changed.wait()
            self.tests_changed.clear()
            with suppress(ControlError):  # the server is gone; the next request reports this
                report = await asyncio.to_thread(lambda: server.client.tests(tests.last))
                tests.take(report)
                self._main.show_news(SUITE.id)
            await asyncio.sleep(LOOK_SECONDS)

    def files_changed(self, names: Iterable[str]) -> None:
        """Handle changed files of the fixtures folder."""
        if any(map(name_of, names)):
            self._suite.fixture_saved()
            self.watch()

    def watch(self) -> None:
        """Run the suite again if watch is on and no request is held."""
        self._suite.watch(is_held=bool(self._session.held))

    def _changed(self) -> None:
        if SUITE.id in self._main.tabs:
            self._main.tabs[SUITE.id].show_news()
        self._show_state()
        if self._was_running and not self._suite.is_running:
            self._main.status.say(ended_sentence(self._session, self._suite))
            self.watch()
        self._was_running = self._suite.is_running

    def _show_state(self) -> None:
        shown = f"{self._suite.state}{self._suite.failing}"
        if shown != self._shown:
            self._shown = shown
            self._main.show_news(SUITE.id)


def ended_sentence(session: Session, suite: Suite) -> str:
    """The message at the end of a run, with the key for more."""
    if suite.failed_to_start:
        return f"The suite could not be started. {SUITE.key} shows why."
    if suite.sent_nothing:
        shows = f"Tab {MISSES.key} shows what to do"
        if session.miss_index.rows:
            shows = f"{SUITE.key} shows its output"
        return f"Suite: {suite.state}. It sent no requests. {shows}."
    if not suite.has_passed:
        return f"Suite: {suite.state}. {SUITE.key} shows its output."
    passed = f"Suite passed in {duration(suite.seconds)}."
    run = session.miss_index.last_run
    missing = sum(row.run == run for row in (*open_misses(session), *open_unsupported(session)))
    if missing:
        return f"{passed} {counted(missing, 'request')} had no fixture."
    saved = len(session.decisions.saved)
    written = f" {counted(saved, 'fixture')} written." if saved else ""
    return f"{passed}{written}"
