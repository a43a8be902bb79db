"""The server's log: where it is written, and the lines of each request.

Requests to the control API have no access lines, because the suite does not send them.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core.fixture.document import placed
from workbench.core.log.lines import MARK, load_failed_line
from workbench.core.replies.response import FixtureError
from workbench.core.text.inert import escaped, json_escaped
from workbench.io.files.path_text import reason_of
from workbench.io.fixture.store import FixtureStore
from workbench.io.github_workflow import in_workflow, without_commands
from workbench.server.wire.incoming import access_line
from workbench.server.wire.request_state import state_of
from workbench.server.wire.responses import CORS


class LogSink:
    """Writes records to standard error and optionally to a file. Control characters are written as
    JSON escapes on a terminal, and workflow commands are escaped on standard error in a GitHub
    workflow, because requests may contain either.

    A record consists of whole lines that belong together and is written at once, so that lines of
    concurrent requests never mix. The file is only appended to, since it may be truncated in
    between.
    """

    def __init__(
        self, file: Path | None = None, waits: Callable[[], object] = lambda: None
    ) -> None:
        """Open the log.

        Args:
            waits: called before waiting for a reader of ``file``, a named pipe.

        Raises:
            OSError: the file cannot be opened.
        """
        self.path = file
        self._destinations: list[_Destination] = []
        if file is not None:
            self._destinations.append(_Destination(_open(file, waits)))
        if sys.stderr is not None:
            stderr = _Destination(sys.stderr.fileno(), is_stderr=True)
            if not any(stderr.is_same_file(destination) for destination in self._destinations):
                self._destinations.append(stderr)

    def write(self, record: str) -> None:
        """Write whole lines. If nothing reads the log or the disk is full, they are lost, and
        standard error has a line about the file; requests are still answered.
        """
        if record:
            troubles = [destination.write(record) for destination in self._destinations]
            if self.path is not None and (trouble := troubles[0]) is not None:
                text = escaped(f"{self.path} lacks lines from here on: {reason_of(trouble)}")
                for destination in self._destinations[1:]:
                    destination.write(f"{MARK}{text}\n")


class _Destination:
    """A file that the log is written to."""

    def __init__(self, descriptor: int, *, is_stderr: bool = False) -> None:
        self._descriptor = descriptor
        self._is_terminal = os.isatty(descriptor)
        self._is_of_workflow = is_stderr and in_workflow()
        # True if the last line was cut because the disk became full.
        self._is_cut = False
        self._is_failing = False

    def is_same_file(self, other: _Destination) -> bool:
        return os.path.sameopenfile(self._descriptor, other._descriptor)

    def write(self, record: str) -> OSError | None:
        """Write whole lines. Returns the error if that fails but did not fail the time before."""
        if self._is_terminal:
            record = json_escaped(record)
        if self._is_of_workflow:
            record = without_commands(record)
        # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
        data = record.encode("utf-8", "backslashreplace")
        if self._is_cut:
            data = b"\n" + data
        written, trouble = 0, None
        try:
            while written < len(data):  # a pipe takes a long record in pieces
                written += os.write(self._descriptor, data[written:])
        except OSError as error:
            trouble = None if self._is_failing else error
        self._is_failing = written < len(data)
        if written:
            self._is_cut = data[written - 1 : written] != b"\n"
        return trouble


class ReplyHeads:
    """Gives each reply the CORS headers, and writes the lines of its request when it begins, the
    access line last, in one piece. Its other log lines are in its ``RequestState``.

    Starlette's own CORS middleware answers only requests that name an origin, and with other
    headers than the reference stub's.

    Args:
        is_control: the app is the control API: no CORS headers, no access lines.
    """

    def __init__(self, app: ASGIApp, log: LogSink, *, is_control: bool) -> None:
        self._app = app
        self._log = log
        self._is_control = is_control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = state_of(scope)

        async def send_logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                lines, state.log_lines = state.log_lines, ""
                if not self._is_control:
                    lines += access_line(scope, access_time(int(time.time())), message["status"])
                    message["headers"] = [*message["headers"], *CORS]
                self._log.write(lines)
            await send(message)

        try:
            await self._app(scope, receive, send_logged)
        finally:
            if state.log_lines:  # of a request without a reply
                self._log.write(state.log_lines)


def _open(file: Path, waits: Callable[[], object]) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    if file.is_fifo():
        try:
            descriptor = os.open(file, flags | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            waits()
        else:
            os.set_blocking(descriptor, True)
            return descriptor
    return os.open(file, flags, 0o600)  # it contains requests


def broken_line(store: FixtureStore, name: str, error: FixtureError) -> str:
    """The line for a fixture that cannot be used."""
    with contextlib.suppress(OSError):
        error = placed(error, store.read(name) or b"")
    return load_failed_line(str(store.path(name)), f"{error.place}: {error}")


@lru_cache(maxsize=1)
def access_time(second: int) -> str:
    """Local time as access lines have it: ``20/Nov/2026 10:09:22``."""
    return time.strftime("%d/%b/%Y %H:%M:%S", time.localtime(second))
