"""A command that is run with its clients pointed at our server, as a session of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from workbench.core.apis.table import APIS
from workbench.core.credentials import PLACEHOLDER_KEY
from workbench.io.network.proxies import past_proxies
from workbench.io.network.upstream_url import KEY_VARIABLE

# How long a process has to end after it was asked to.
STOP_SECONDS: Final = 5.0
# In the environment of a command and, unless a process clears it, of everything it starts.
_MARK: Final = "WORKBENCH_RUN"
# The exit codes that shells use for a command that cannot be started.
EXIT_NOT_FOUND: Final = 127
EXIT_NOT_EXECUTABLE: Final = 126
_PROC: Final = Path("/proc")
_ENDED: Final = "ZX"


def client_environment(url: str, given: Mapping[str, str]) -> dict[str, str]:
    """``given`` with the clients of all APIs pointed at the server at ``url``, past any proxy."""
    ours = {"WORKBENCH_URL": url, **base_urls(url), **past_proxies(given)}
    keys = {api.CLIENT.key_variable: PLACEHOLDER_KEY for api in APIS}
    # Its key is for our server alone, which asks the upstream.
    given = {name: value for name, value in given.items() if name != KEY_VARIABLE}
    return {**keys, **given, **ours}


def base_urls(url: str) -> dict[str, str]:
    """The variables with the base URLs of all clients, for the server at ``url``."""
    urls = {api.CLIENT.base_variable: url + api.CLIENT.base_path for api in APIS}
    return {"OPENAI_API_BASE": f"{url}/v1", **urls}


def code_without_start(error: Exception) -> int:
    """The exit code for a command that could not be started, as a shell has it."""
    return EXIT_NOT_FOUND if isinstance(error, FileNotFoundError) else EXIT_NOT_EXECUTABLE


class Command:
    """A process that leads a session of its own. Everything it starts can be ended with it.

    Args:
        output: the file descriptor it writes to, for standard output and errors. Its standard
            input is empty then. Default: those of this process.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], output: int | None = None
    ) -> None:
        mark = uuid.uuid4().hex
        self._mark = f"{_MARK}={mark}".encode()
        self._process = subprocess.Popen(
            words,
            env={**environment, _MARK: mark},
            start_new_session=True,
            stdin=None if output is None else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )

    def send(self, number: int) -> None:
        """Send a signal to it and to everything in its process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    @property
    def exit_code(self) -> int | None:
        """None while it runs; else as a shell has it: 128 and the number of the signal that ended
        it.
        """
        code = self._process.poll()
        return 128 - code if code is not None and code < 0 else code

    def wait(self) -> int:
        """Wait for its end; returns its exit code."""
        self._process.wait()
        assert self.exit_code is not None
        return self.exit_code

    def send_all(self, number: int) -> None:
        """Send a signal to it and to everything it started."""
        for pid in self._living():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def end_all(self) -> None:
        """End it and everything it started: terminate, and kill after ``STOP_SECONDS``."""
        until = time.monotonic() + STOP_SECONDS
        number = signal.SIGTERM
        while self._living():
            self.send_all(number)
            while self._living() and time.monotonic() < until:
                time.sleep(0.05)
            if number == signal.SIGKILL:
                break  # what is stuck in the kernel cannot be waited for
            number, until = signal.SIGKILL, until + 1
        self._process.poll()  # it may be the last to know

    def _living(self) -> list[int]:
        """The ids of its processes that have not ended: those of its session, and on Linux all
        whose environment has its mark, also where they left the session.
        """
        if (_PROC / "self" / "stat").exists():
            pids = [int(name) for name in os.listdir(_PROC) if name.isdecimal()]
            return [pid for pid in pids if self._is_in_session(pid) or self._is_marked(pid)]
        listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True)
        states = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
        running = [int(pid) for pid, state in states if state[0] not in _ENDED]
        return [pid for pid in running if _session_of(pid) == self._process.pid]

    def _is_in_session(self, pid: int) -> bool:
        try:
            stat = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
        except OSError:
            return False
        # "7 (a name) S 1 7 7 ...": state, parent, group, session.
        state, _, _, session = stat.rpartition(")")[2].split()[:4]
        return int(session) == self._process.pid and state not in _ENDED

    def _is_marked(self, pid: int) -> bool:
        # The file of a process that has ended is empty.
        try:
            return self._mark in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
        except OSError:
            return False


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
