"""Running the stub server in a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import threading
from types import FrameType

import uvicorn

from workbench.core.log.lines import listening_line, note_line
from workbench.io.network.ports import address
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.wire.uvicorn_config import STOP_SECONDS, uvicorn_config


class _Server(uvicorn.Server):
    """A uvicorn server that logs its URL, and stops without waiting for delayed replies."""

    def __init__(self, app: StubApp, log: LogSink, announcement: str) -> None:
        super().__init__(uvicorn_config(app))
        self._stub = app
        self._log = log
        self._announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # The socket listens already, so the line is true, and it precedes the first request.
        self._log.write(self._announcement)
        await super().startup(sockets)
        threading.Thread(target=self._stub.warm_up, daemon=True).start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stub.stop()
        await super().shutdown(sockets)
        if tasks := set(self.server_state.tasks):
            # Requests that were cancelled still store what they have of their exchanges.
            await asyncio.wait(tasks, timeout=STOP_SECONDS)
        await self._stub.close()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Stop. Unlike its parent this does not raise the signal once more, since it is not a
        failure to stop on request.
        """
        self.should_exit = True


class _Notes(logging.Handler):
    """Writes log records of libraries to our log: one line each, without a traceback."""

    def __init__(self, log: LogSink, server: _Server) -> None:
        super().__init__(logging.WARNING)
        self._sink = log
        self._server = server

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage().strip()
        # Connections are closed on purpose at shutdown, and no WebSocket library is needed.
        if self._server.should_exit or message.startswith("No supported WebSocket library"):
            return
        error = record.exc_info[1] if record.exc_info else None
        about = f": {type(error).__name__}: {error}" if error else ""
        self._sink.write(note_line(message + about))


def run(
    app: StubApp,
    listener: socket.socket,
    log: LogSink,
    *,
    fixtures: str,
    exit_with_stdin: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        fixtures: the folder, as shown in the log's first line.
        exit_with_stdin: also stop at the end of standard input, which occurs when the program at
            its other end terminates in any way.
    """
    _raise_file_limit()
    url = f"http://{address(*listener.getsockname()[:2])}"
    server = _Server(app, log, listening_line(url, fixtures))
    logging.getLogger().addHandler(_Notes(log, server))
    if exit_with_stdin:
        threading.Thread(target=_stop_at_eof, args=(server,), daemon=True).start()
    server.run([listener])


def _stop_at_eof(server: _Server) -> None:
    # Not sys.stdin: its lock, held by a thread that waits, fails the end of the interpreter.
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    server.should_exit = True


def _raise_file_limit() -> None:
    """Raise the limit of open files to what the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with contextlib.suppress(ValueError, OSError):  # macOS reports "infinite" but has a limit
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
