"""A process and everything it started, which can be ended together."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

# In the environment of a process and, unless one clears it, of everything it starts.
MARK_VARIABLE: Final = "WORKBENCH_RUN"
_PROC: Final = Path("/proc")
_ENDED: Final = "ZX"


class Family:
    """The processes of a session and, on Linux, all whose environment has a mark, also where they
    left the session.

    Args:
        leader: the id of the session; None if it is not known.
        mark: the value of ``MARK_VARIABLE``.
    """

    def __init__(self, leader: int | None, mark: str) -> None:
        self._leader = leader
        self._mark = f"{MARK_VARIABLE}={mark}".encode()

    def send_all(self, number: int) -> None:
        """Send a signal to each process."""
        for pid in self._living():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def end_all(self, seconds: float) -> None:
        """Terminate all, and kill after some seconds what has not ended."""
        until = time.monotonic() + seconds
        number = signal.SIGTERM
        while self._living():
            self.send_all(number)
            while self._living() and time.monotonic() < until:
                time.sleep(0.05)
            if number == signal.SIGKILL:
                break  # what is stuck in the kernel cannot be waited for
            number, until = signal.SIGKILL, until + 1

    def _living(self) -> list[int]:
        """The ids of the processes that have not ended."""
        if (_PROC / "self" / "stat").exists():
            pids = [int(name) for name in os.listdir(_PROC) if name.isdecimal()]
            return [pid for pid in pids if self._is_in_session(pid) or self._is_marked(pid)]
        listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True)
        states = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
        running = [int(pid) for pid, state in states if state[0] not in _ENDED]
        return [pid for pid in running if self._leader and _session_of(pid) == self._leader]

    def _is_in_session(self, pid: int) -> bool:
        try:
            stat = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
        except OSError:
            return False
        # "7 (a name) S 1 7 7 ...": state, parent, group, session.
        state, _, _, session = stat.rpartition(")")[2].split()[:4]
        return int(session) == self._leader and state not in _ENDED

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
