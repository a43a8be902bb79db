"""The server's log: its destination, and the line of each request."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request

from workbench.core.fixtures.variants import placed
from workbench.core.inert import json_escaped
from workbench.core.log.lines import load_failed_line
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import RequestView
from workbench.io.fixtures.store import FixtureStore
from workbench.io.workflow import in_workflow, without_commands


class LogSink:
    """Writes records to standard error and, where asked, to a file. Control characters are JSON
    escapes on a terminal, and workflow commands on standard error in a workflow of GitHub: requests
    may contain either.

    A record is as many whole lines as belong together, written at once, so that lines of requests
    at the same time never mix. The file is only ever appended to: it may be truncated meanwhile.
    """

    def __init__(
        self, file: Path | None = None, waits: Callable[[], object] = lambda: None
    ) -> None:
        """Open the log.

        Args:
            waits: called before this waits until somebody reads ``file``, a named pipe.

        Raises:
            OSError: the file cannot be opened.
        """
        self._descriptors: list[int] = []
        # Descriptors whose last line was cut because the disk became full.
        self._cut: set[int] = set()
        if file is not None:
            self._descriptors.append(_open(file, waits))
        self._stderr: int | None = None
        if sys.stderr is not None:
            self._stderr = stderr = sys.stderr.fileno()
            if not any(os.path.sameopenfile(stderr, known) for known in self._descriptors):
                self._descriptors.append(stderr)
        self._terminals = {known for known in self._descriptors if os.isatty(known)}
        self._is_in_workflow = in_workflow()

    def write(self, record: str) -> None:
        """Write whole lines. If nothing reads the log or the disk is full, they are lost; requests
        are still answered.
        """
        if not record:
            return
        for descriptor in self._descriptors:
            shown = json_escaped(record) if descriptor in self._terminals else record
            if self._is_in_workflow and descriptor == self._stderr:
                shown = without_commands(shown)
            # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
            data = shown.encode("utf-8", "backslashreplace")
            self._write(descriptor, b"\n" + data if descriptor in self._cut else data)

    def _write(self, descriptor: int, data: bytes) -> None:
        written = _written(descriptor, data)
        if written:
            is_cut = data[written - 1 : written] != b"\n"
            (self._cut.add if is_cut else self._cut.discard)(descriptor)


def _written(descriptor: int, data: bytes) -> int:
    """Write as much as can be; returns how many bytes that was."""
    written = 0
    try:
        while written < len(data):  # a pipe takes a long record in pieces
            written += os.write(descriptor, data[written:])
    except OSError:
        return written
    return written


def add_lines(request: Request, lines: str) -> None:
    """Add to the lines of a request, which are written when its reply begins."""
    request.scope["state"]["log_lines"] += lines


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
    return os.open(file, flags, 0o600)  # it holds requests


def broken_line(
    store: FixtureStore, digest: str, error: FixtureError, request: RequestView | None = None
) -> str:
    """The line for a fixture that cannot be used, where known by the request that it was for."""
    with contextlib.suppress(OSError):
        error = placed(error, store.read(digest) or b"", request)
    return load_failed_line(str(store.path(digest)), f"{error.place}: {error}")


class Clock:
    """The time in whole seconds, and its form in access lines, which is made once a second."""

    def __init__(self) -> None:
        self._second = -1
        self._stamp = ""

    def second(self) -> int:
        return int(time.time())

    def stamp(self) -> str:
        """Local time as the reference writes it: ``20/Nov/2026 10:09:22``."""
        second = self.second()
        if second != self._second:
            self._second = second
            self._stamp = time.strftime("%d/%b/%Y %H:%M:%S", time.localtime(second))
        return self._stamp


def access_line(client: str, stamp: str, request_line: str, status: int) -> str:
    """``127.0.0.1 - - [20/Nov/2026 10:09:22] "POST /v1/embeddings HTTP/1.1" 200 -``"""
    return f'{client} - - [{stamp}] "{request_line}" {status} -\n'
