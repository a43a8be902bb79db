"""What flows in while the application runs, handed on to the tabs: logs, the fixtures folder, the
server.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from textual.app import App

from workbench.core.digest import short
from workbench.core.inert import excerpt
from workbench.core.log.lines import ignored_text
from workbench.io.control_client import ControlClient, ServerEvent
from workbench.io.http_client import PORTS
from workbench.io.tail import Tail, open_tail
from workbench.tui.launch import Launch
from workbench.tui.screen import MainScreen
from workbench.tui.services.log_feed import Feed
from workbench.tui.services.server_feed import ServerFeed

PROBE_SECONDS = 2.0
TOAST_SECONDS = 4.0
# What is said once must not be missed.
IGNORED_SECONDS = 15.0


class Services:
    """Follows logs, folders and the server in workers of the application, and tells the tabs.

    Args:
        main: the screen with the tabs, which are loaded.
        launch: which logs and which server; one that is started later, and a log that is opened
            later, are written into it.
    """

    def __init__(self, app: App[None], main: MainScreen, launch: Launch) -> None:
        self._app = app
        self._main = main
        self._session = main.session
        self._launch = launch
        self._told_ignored: set[str] = set()
        self._feed = Feed(
            self._session,
            launch.tails,
            on_misses=self._misses_changed,
            on_files=self._files_changed,
            on_note=self._toast,
            on_ignored=self._tell_ignored,
            on_days=self._days_changed,
        )

    def begin(self) -> None:
        """Follow what there is, until ``end``."""
        self._work("watcher", "Changes of files are seen at once", self._feed.watcher.run())
        self._follow_logs(self._launch.tails)
        self._work("fixtures", "Files of the fixtures folder are seen", self._feed.watch_fixtures())
        self._main.runs.follow(self._feed.watcher)
        self._main.evals.follow(self._feed.watcher)
        self._work("compare", "Misses are compared with fixtures", self._feed.compare())
        if self._launch.server_url:
            self._use_server(self._launch.server_url)

    def end(self) -> None:
        """Let the workers end."""
        self._feed.end()

    def open_log(self, name: str) -> str:
        """Read one more log from now on; returns what to say."""
        name = name.strip()
        if not name:
            return ""
        try:
            # Absolute: the file of the name -, not standard input, which the keys come from.
            path = Path(name).expanduser().absolute()
            if any(os.path.realpath(path) == os.path.realpath(log.path) for log in self._feed.logs):
                return f"{name} is being read already."
            tail = open_tail(path)
        except (OSError, RuntimeError, ValueError) as error:  # the last two: ~nobody, NUL
            return f"{name} cannot be read: {getattr(error, 'strerror', None) or error}."
        self._launch.tails = [*self._launch.tails, tail]
        self._feed.add(tail)
        self._follow_logs([tail])
        self.show_state()
        return f"Reading {name}."

    def start_server(self) -> str:
        """Start a server of this window's own, where it has none; returns what to say."""
        launch = self._launch
        if launch.start_server is None or launch.is_own:
            return f"The server of this window is {launch.server_url}."
        try:
            url, log = launch.start_server()
        except OSError as error:
            return f"The server cannot start: {error.strerror or error}."
        launch.server_url, launch.is_own = url, True
        self._session.server_url = url
        self.open_log(str(log))
        self._use_server(url)
        return f"Started on {url}. It ends with this window."

    def show_state(self) -> None:
        """Say in the header how the logs and the server stand."""
        url = self._launch.server_url
        server = (url, self._session.server_up) if url else None
        self._main.show_state(list(self._feed.logs.values()), server)

    # Following

    def _work(self, group: str, what: str, following: Coroutine[Any, Any, None]) -> None:
        """Follow something in a worker.

        Args:
            what: is done, as the beginning of the sentence that it is done no longer.
        """
        self._app.run_worker(following, group=group, description=what, exit_on_error=False)

    def _follow_logs(self, tails: Sequence[Tail]) -> None:
        self._work("logs", "Logs are read", self._feed.follow_logs(tails))

    def _use_server(self, url: str) -> None:
        """Follow this server, and none that was followed before."""
        for group in ("probe", "server"):
            self._app.workers.cancel_group(self._app, group)
        self._work("probe", "The server is looked for", self._probe(url))
        feed = ServerFeed(
            self._session,
            ControlClient(url),
            reads_log=lambda: bool(self._feed.logs),
            on_misses=self._misses_changed,
            on_held=self._held_changed,
            on_ignored=self._tell_ignored,
            on_ended=self._wait_ended,
            on_unrecorded=self._unrecorded,
        )
        self._work("server", "The server is listened to", feed.follow())

    async def _probe(self, url: str) -> None:
        """Ask now and then whether something listens there."""
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
        while not self._feed.stop.is_set():
            try:
                connecting = asyncio.open_connection(parts.hostname, port)
                _, writer = await asyncio.wait_for(connecting, 1)
                writer.close()
                up = True
            except (OSError, TimeoutError):
                up = False
            if up != self._session.server_up:
                self._session.server_up = up
                self.show_state()
            await asyncio.sleep(PROBE_SECONDS)

    # News

    def _misses_changed(self, digests: set[str]) -> None:
        self._main.misses.update_rows(frozenset(digests))
        self.show_state()
        self._feed.wake()

    def _days_changed(self, digests: set[str], fixtures_changed: bool) -> None:
        self._main.misses.stale_changed(digests, fixtures_changed=fixtures_changed)

    def _files_changed(self, names: frozenset[str], digests: set[str]) -> None:
        self._main.fixtures.update_names(names)
        self._misses_changed(digests)
        for tab in (self._main.misses, self._main.fixtures):
            tab.files_changed(names)

    def _held_changed(self, digests: set[str]) -> None:
        waiting = self._main.misses.held_changed(digests)
        if waiting and self._launch.bell:
            self._app.bell()
        self.show_state()

    def _wait_ended(self, event: ServerEvent) -> None:
        text, answers_a_key = self._main.misses.hold.wait_ended(event)
        if text and answers_a_key:
            self._main.status.say(text)
        elif text:
            self._toast(text)

    def _tell_ignored(self) -> None:
        """Tell of each option that the server ignored, once: in the status line, where it stays
        until the next key, or in a long toast where something else is said there.
        """
        for option in self._session.book.ignored_options:
            if option not in self._told_ignored:
                self._told_ignored.add(option)
                text = f"The server {ignored_text(option)}."
                if self._main.status.is_silent:
                    self._main.status.say(text, "warning")
                else:
                    self._toast(text, seconds=IGNORED_SECONDS)

    def _unrecorded(self, digest: str, reason: str) -> None:
        self._toast(f"{short(digest)} is not recorded: {excerpt(reason, 200)}.")

    def _toast(self, text: str, *, seconds: float = TOAST_SECONDS) -> None:
        """Tell what happened without a key."""
        self._app.notify(text, timeout=seconds, markup=False)
