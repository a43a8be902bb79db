"""The background services of the application: they follow logs, folders and the server, and notify
the tabs of changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from textual.app import App

from workbench.core.apis.ignored import ignored_text
from workbench.core.fixture.names import digest_of
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.files.watcher import FolderWatcher, watch_folder
from workbench.io.logs.log_files import open_tail
from workbench.io.logs.tail import Tail
from workbench.session.server import no_server
from workbench.tui.launch import Launch
from workbench.tui.screen import MainScreen
from workbench.tui.services.log_feed import LogFeed
from workbench.tui.tabs import EVALS, FIXTURES, RECORDINGS, SUITE, TabEntry

# Modules for work after the first rows are imported where they are used.
if TYPE_CHECKING:
    from workbench.io.network.control_client import ServerEvent
    from workbench.tui.services.fixture_feed import FixtureFeed
    from workbench.tui.services.server_feed import ServerFeed
    from workbench.tui.services.suite_feed import SuiteFeed

PROBE_SECONDS = 2.0
NEWS_SECONDS = 4.0
# Shown once, so for longer.
REPORTED_SECONDS = 8.0
OTHER_DIGESTS = "Digests in the log are not those of its requests: see above each request."
# Files of a folder that are read before they show.
FILES_AT_ONCE = 10


class Index(Protocol):
    """Data about the files of a folder. ``read`` is slow, ``apply`` stores its result."""

    folder: Path

    def read(self, names: Iterable[str]) -> Any: ...

    def apply(self, news: Any) -> None: ...


class Services:
    """Runs the background workers, and passes news to the tabs.

    Args:
        main: the screen, with its first tab loaded.
        launch: names the logs and the server; logs and a server added later are written into it.
    """

    def __init__(self, app: App[None], main: MainScreen, launch: Launch) -> None:
        self._app = app
        self._main = main
        self._session = main.session
        self._launch = launch
        self._reported: set[str] = set()
        self._watcher = FolderWatcher()
        self._log_feed = LogFeed(
            self._session,
            self._watcher,
            on_misses=self._misses_changed,
            on_note=self._tell,
            on_ignored=self._report_log,
        )
        for tail in launch.tails:
            self._log_feed.add(tail)
        # Set when misses are to be compared with fixtures.
        self._uncompared = asyncio.Event()
        self._fixture_feed: FixtureFeed | None = None
        self._suite: SuiteFeed | None = None
        if self._session.suite is not None:
            from workbench.tui.services.suite_feed import SuiteFeed

            self._suite = SuiteFeed(self._session, self._session.suite, main)

    def read_first_part(self) -> None:
        """Start reading the logs. The rest after their first rows is read after ``begin``, when
        everything about the first row is shown.
        """
        self._log_feed.goes_on.clear()
        self._follow_logs(self._launch.tails)

    async def wait_for_rows(self, most_seconds: float) -> None:
        """Wait until the first rows are listed; not longer for a log that is slow."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._log_feed.begun.wait(), most_seconds)

    def begin(self) -> None:
        """Start all other workers, and read the rest of the logs."""
        from workbench.tui.services.fixture_feed import FixtureFeed, compare_misses

        self._log_feed.goes_on.set()
        session, watcher = self._session, self._watcher
        fixture_feed = self._fixture_feed = FixtureFeed(
            session,
            watcher,
            on_files=self._files_changed,
            on_examined=partial(self._main.show_news, FIXTURES.id),
        )
        self._work("watcher", "Watching files", watcher.run())
        self._work("fixtures", "Listing the fixtures folder", fixture_feed.watch())
        self._work("examine", "Checking fixtures", fixture_feed.examine())
        self._work("recordings", "Listing recordings", self._follow(session.recordings, RECORDINGS))
        self._work("evals", "Listing reports", self._follow(session.evals, EVALS))
        self._work("drafts", "Following drafts", self._follow_drafts())
        on_stale = self._main.misses.stale_changed
        compared = compare_misses(session.stale, watcher, self._uncompared, on_stale)
        self._work("compare", "Comparing misses with fixtures", compared)
        if session.server.url:
            self._use_server(session.server.url)
        if self._suite is not None:
            self._work("suite", "Running the suite", self._suite.follow())
            self._work("tests", "Following the tests", self._suite.follow_tests())

    def end(self) -> None:
        """Stop all workers."""
        self._watcher.close()

    def open_log(self, name: str) -> str:
        """Read one more log from now on. Return a message."""
        name = name.strip()
        if not name:
            return ""
        try:
            # Absolute, so that "-" is a file: standard input is the keyboard.
            path = Path(name).expanduser().absolute()
            if any(
                os.path.realpath(path) == os.path.realpath(log.path) for log in self._log_feed.logs
            ):
                return f"{name} is already being read."
            tail = open_tail(path)
        except (OSError, RuntimeError, ValueError) as error:  # the last two: ~nobody, NUL
            return f"{name} cannot be read: {getattr(error, 'strerror', None) or error}."
        self._launch.tails = [*self._launch.tails, tail]
        self._log_feed.add(tail)
        self._follow_logs([tail])
        self.show_state()
        return (
            f"Reading {name}." if path.exists() else f"{name} does not exist yet; waiting for it."
        )

    def start_server(self) -> str:
        """Start a server that ends with this window, if there is none. Return a message."""
        launch = self._launch
        if launch.start_server is None or launch.is_own:
            return f"The server of this window is {self._session.server.url}."
        try:
            url, log = launch.start_server()
        except UserError as error:
            return error.sentence
        launch.is_own, self._session.server.url = True, url
        self.open_log(str(log))
        self._use_server(url)
        return f"Started on {url}. It ends with this window."

    def show_state(self) -> None:
        """Show the state of the logs and the server in the header."""
        self._main.show_state(list(self._log_feed.logs.values()))

    # Following

    def _work(self, group: str, what: str, following: Coroutine[Any, Any, None]) -> None:
        """Run a worker; ``what`` is a clause saying what it does, for the message of its
        failure.
        """
        self._app.run_worker(following, group=group, description=what, exit_on_error=False)

    def _follow_logs(self, tails: Sequence[Tail]) -> None:
        self._work("logs", "Reading logs", self._log_feed.follow_logs(tails))

    def _use_server(self, url: str) -> None:
        """Follow this server instead of an earlier one."""
        from workbench.tui.services.server_feed import ServerFeed

        for group in ("probe", "server"):
            self._app.workers.cancel_group(self._app, group)
        feed = ServerFeed(
            self._session,
            reads_log=lambda: bool(self._log_feed.logs),
            on_misses=self._misses_changed,
            on_held=self._held_changed,
            on_ignored=self._report_log,
            on_ended=self._wait_ended,
            on_profile=self._profile_changed,
            on_tests=self._tests_changed,
            on_unrecorded=self._unrecorded,
        )
        self._work("probe", "Looking for the server", self._probe(url, feed))

    async def _follow(self, index: Index, tab: TabEntry) -> None:
        """Read all files of an index, then those that change, and show them in a tab."""
        async for names in watch_folder(index.folder, self._watcher):
            # The newest first: their names begin with the time. They grow while tests run.
            waiting = sorted(names, reverse=True)
            for start in range(0, len(waiting), FILES_AT_ONCE):
                some = waiting[start : start + FILES_AT_ONCE]
                index.apply(await asyncio.to_thread(index.read, some))
                self._main.show_news(tab.id)

    async def _follow_drafts(self) -> None:
        """Bring the drafts that other programs write into the session, but none for the answer that
        has the focus.
        """
        drafts, misses = self._session.drafts, self._main.misses
        async for files in watch_folder(drafts.folder, self._watcher, drafts.own_writes):
            new = await asyncio.to_thread(drafts.read_new, files)
            edited = (
                misses.parts.view.fixture_name if misses.parts and misses.is_answering else None
            )
            names = drafts.take_new(draft for draft in new if draft.name != edited)
            taken = set(map(digest_of, names))
            if misses.subject in taken and misses.parts is not None:
                misses.parts.show_again()
            if taken:
                self._misses_changed(taken)
                self._tell(f"{counted(len(taken), 'draft')} came from another program.")

    async def _probe(self, url: str, feed: ServerFeed) -> None:
        """Check every few seconds if the server is up. Its events are followed from the first
        success on. Without a server, the HTTP client is not even loaded.
        """
        from workbench.io.network.ports import PORTS

        is_followed = False
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
        while not self._watcher.is_closed:
            try:
                connecting = asyncio.open_connection(parts.hostname, port)
                _, writer = await asyncio.wait_for(connecting, 1)
                writer.close()
                up = True
            except (OSError, TimeoutError):
                up = False
            if up != self._session.server.is_up:
                if self._session.server.is_up or (self._launch.expects_server and not up):
                    self._tell(no_server(parts.netloc))
                self._session.server.is_up = up
                self.show_state()
            if up and not is_followed:
                self._work("server", "Listening to the server", feed.follow())
                is_followed = True
            await asyncio.sleep(PROBE_SECONDS)

    # News

    def _misses_changed(self, digests: set[str]) -> None:
        self._main.misses.update_rows(frozenset(digests))
        self._show_tests()
        self.show_state()
        self._uncompared.set()

    def _files_changed(self, names: frozenset[str], digests: set[str]) -> None:
        self._main.show_news(FIXTURES.id)
        if digests:
            self._misses_changed(digests)
        self._uncompared.set()
        for tab in self._main.tabs.values():
            tab.files_changed(names)
        if self._suite is not None:
            self._suite.files_changed(names)

    def _held_changed(self, digests: set[str]) -> None:
        if self._main.misses.held_changed(digests):
            many = counted(len(self._session.held), "request")
            self._main.window.call(f"workbench: {many} waiting", self._launch.bell)
        if self._suite is not None:
            self._suite.watch()
        self._show_tests()
        self.show_state()

    def _show_tests(self) -> None:
        """Show which tests wait, and what they miss."""
        if self._suite is not None:
            self._main.show_news(SUITE.id)

    def _profile_changed(self) -> None:
        """Render previews and check fixtures as the server now reports that it replies."""
        if self._fixture_feed is not None:
            self._fixture_feed.examine_again()
        for tab in self._main.tabs.values():
            tab.profile_changed()

    def _wait_ended(self, event: ServerEvent) -> None:
        parts = self._main.misses.parts
        text, answers_a_key = parts.hold.wait_ended(event) if parts is not None else ("", False)
        if text and answers_a_key:
            self._main.status.say(text)
        elif text:
            self._tell(text)

    def _report_log(self) -> None:
        """Report, once each, the options that the server ignored, and that its digests are others:
        in the status line, where they stay unless that is in use.
        """
        index = self._session.miss_index
        texts = [f"The server {ignored_text(option)}." for option in index.ignored_options]
        if OTHER_DIGESTS not in self._reported and index.mispaired:
            texts.append(OTHER_DIGESTS)
        for text in texts:
            if text not in self._reported:
                self._reported.add(text)
                if not self._main.status.message.plain:
                    self._main.status.say(text, "warning")
                else:
                    self._tell(text, seconds=REPORTED_SECONDS)

    def _tests_changed(self) -> None:
        if self._suite is not None:
            self._suite.tests_changed.set()

    def _unrecorded(self, digest: str, reason: str) -> None:
        self._tell(f"{short(digest)} is not recorded: {excerpt(reason, 200)}.")

    def _tell(self, text: str, *, seconds: float = NEWS_SECONDS) -> None:
        """Show a message about an event that was not caused by a key."""
        self._main.status.tell(text, seconds=seconds)
