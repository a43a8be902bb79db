"""The command in a process of its own, forked from one that has imported it.

To start Python and import is most of what a short process costs, and tests have hundreds of them.
This one has streams, a session, an environment and a folder of its own like any other; signals,
exit codes and terminals are as ever. Tests of the start, of what is imported when, and of variables
that Python reads, start ``python -m workbench``.
"""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Final

import workbench
from workbench.__main__ import main

# The first word of a command that is to be forked; ``python -m workbench`` starts a new Python.
FORKED: Final = ["workbench"]

PRELOADED: Final = (
    *("workbench.cli", "workbench.core", "workbench.io", "workbench.server", "workbench.session"),
    "workbench.tui",
)
LIBRARIES: Final = ("httpx", "jsonschema", "pydantic", "regex", "watchfiles")

_STREAMS: Final = {"stdin": "r", "stdout": "w", "stderr": "w"}


class Forked:
    """``workbench`` with ``arguments``; what a test does with a ``Popen`` it does with this.

    Args:
        terminal: the device that is its standard streams and ends it.
        output: a file for standard output, without a terminal.
        log: one for standard error.
        listener: a socket for the server; the process inherits it and is told so by ``--fd``.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path | None,
        terminal: str | None = None,
        output: Path | None = None,
        log: Path | None = None,
        listener: socket.socket | None = None,
    ) -> None:
        forks = _forks()
        stdin, self.stdin = forks.Pipe(duplex=False)
        begun, says_begun = forks.Pipe(duplex=False)
        streams: list[str | Connection] = [terminal] * 3 if terminal else [stdin]
        if not terminal:
            streams += [str(output or os.devnull), str(log or os.devnull)]
        place = (dict(environment), str(folder or Path.cwd()), streams, bool(terminal))
        self._process = forks.Process(
            target=_run, args=(list(arguments), listener, *place, says_begun), daemon=True
        )
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        stdin.close()
        says_begun.close()
        with begun:
            begun.recv()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise subprocess.TimeoutExpired("workbench", timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_forked(
    *arguments: str | Path,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    data: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run ``workbench`` with ``arguments`` to its end, with ``data`` as standard input."""
    with tempfile.TemporaryDirectory() as place:
        output, log = Path(place, "output"), Path(place, "log")
        process = Forked(
            [str(argument) for argument in arguments],
            environment=environment or os.environ,
            folder=folder,
            output=output,
            log=log,
        )
        with process.stdin:
            os.write(process.stdin.fileno(), data)
        code = process.wait(60)
        return subprocess.CompletedProcess(arguments, code, output.read_bytes(), log.read_bytes())


@cache
def _forks() -> ForkServerContext:
    """Makes processes from one that has imported the server, the terminal application, and the
    libraries that both load when they need them.
    """
    modules = [module.name for module in pkgutil.walk_packages(workbench.__path__, "workbench.")]
    used = [name for name in modules if name.startswith(PRELOADED)]
    forks = multiprocessing.get_context("forkserver")
    forks.set_forkserver_preload([__name__, *used, *LIBRARIES])
    return forks


def _run(
    arguments: list[str],
    listener: socket.socket | None,
    environment: dict[str, str],
    folder: str,
    streams: list[str | Connection],
    is_terminal: bool,
    begun: Connection,
) -> None:
    if is_terminal:
        os.setsid()
    for number, (stream, (name, mode)) in enumerate(zip(streams, _STREAMS.items(), strict=True)):
        if isinstance(stream, str):
            opened = os.open(stream, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
        else:
            os.dup2(stream.fileno(), number)
            stream.close()
        file = open(number, mode, 1, "utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, file)
        setattr(sys, f"__{name}__", file)
    if is_terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    with begun:
        begun.send(None)
    descriptor = ["--fd", str(listener.fileno())] if listener else []
    sys.argv = ["workbench", *arguments, *descriptor]
    sys.exit(main())
