"""A server in a child process, which always ends with this one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from workbench.io.network.ports import base_url
from workbench.io.state_folder import rotate

MAX_LOG_BYTES = 64 * 1024 * 1024


def _private(path: str, flags: int) -> int:
    """An opener for files with requests: only the owner may read a new one."""
    return os.open(path, flags, 0o600)


class ChildServer:
    """``workbench serve`` on a socket that already listens, so that clients can connect before it
    has started. Can be started once.

    The child stops when its standard input ends. That is a pipe from this process, which the system
    closes even if this process is killed.

    Args:
        listener: from ``ports.listen``; belongs to the child from ``start`` on.
        log: the server's log, and its standard error: a crash can be read there.
        folder: its working directory, which decides whose settings it reads; default: the current
            one.
        arguments: further arguments of ``serve``.
    """

    def __init__(
        self,
        listener: socket.socket,
        *,
        fixtures: Path,
        log: Path,
        folder: Path | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self.url = base_url(listener)
        self.log = log
        self._listener = listener
        self._fixtures = fixtures
        self._folder = folder
        self._arguments = list(arguments)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start it, after rotating a large log.

        Raises:
            OSError: the log cannot be written, or no process can be started.
        """
        with self._listener as listener:
            rotate(self.log, MAX_LOG_BYTES)
            with open(self.log, "ab", buffering=0, opener=_private) as log:
                self._process = subprocess.Popen(
                    self._command(listener.fileno()),
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    cwd=self._folder,
                    bufsize=0,
                    pass_fds=(listener.fileno(),),
                    # Ctrl+C in the terminal must not reach the child, which ends later.
                    start_new_session=True,
                )

    def _command(self, descriptor: int) -> list[str]:
        return [
            sys.executable,
            # Without it, a folder "workbench" in the working directory would be run.
            "-P",
            "-m",
            "workbench",
            "serve",
            "--fd",
            str(descriptor),
            "--log-file",
            os.fspath(self.log),
            "--fixtures",
            os.fspath(self._fixtures),
            "--exit-with-stdin",
            *self._arguments,
        ]

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def stop(self, timeout: float = 5.0) -> int | None:
        """End the child: at once while it starts, else after the replies it is sending.

        Args:
            timeout: seconds to wait before it is killed.

        Returns:
            the exit code, None if it was never started.
        """
        self._listener.close()
        process = self._process
        if process is None:
            return None
        if process.stdin is not None:
            process.stdin.close()
        process.terminate()
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
