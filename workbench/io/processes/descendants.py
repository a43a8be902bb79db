"""The processes that a command started, also those that left its session."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Final

# In the environment of a command and, unless a process clears it, of everything it starts.
MARK: Final = "WORKBENCH_RUN"

_PROC: Final = Path("/proc")
_ENDED: Final = "ZX"


def living(leader: int, mark: str) -> list[int]:
    """The ids of the processes that have not ended: those of the session that ``leader`` began, and
    on Linux all whose environment has ``mark``.
    """
    if (_PROC / "self" / "stat").exists():
        wanted = f"{MARK}={mark}".encode()
        pids = [int(name) for name in os.listdir(_PROC) if name.isdecimal()]
        return [pid for pid in pids if _is_of_session(pid, leader) or _has(pid, wanted)]
    listed = subprocess.run(["ps", "-A", "-o", "pid=,stat="], capture_output=True, text=True)
    states = [line.split(maxsplit=1) for line in listed.stdout.splitlines()]
    return [
        int(pid)
        for pid, state in states
        if state[0] not in _ENDED and _session_of(int(pid)) == leader
    ]


def send(leader: int, mark: str, number: int) -> None:
    """Send a signal to all of ``living``."""
    for pid in living(leader, mark):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def end(leader: int, mark: str, seconds: float) -> None:
    """End all of ``living``: terminate, and kill what is left after ``seconds``."""
    until = time.monotonic() + seconds
    number = signal.SIGTERM
    while living(leader, mark):
        send(leader, mark, number)
        while living(leader, mark) and time.monotonic() < until:
            time.sleep(0.05)
        if number == signal.SIGKILL:
            return  # what is stuck in the kernel cannot be waited for
        number, until = signal.SIGKILL, until + 1


def _is_of_session(pid: int, leader: int) -> bool:
    try:
        stat = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return False
    # "7 (a name) S 1 7 7 ...": state, parent, group, session.
    state, _, _, session = stat.rpartition(")")[2].split()[:4]
    return int(session) == leader and state not in _ENDED


def _has(pid: int, wanted: bytes) -> bool:
    # The file of a process that has ended is empty.
    try:
        return wanted in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None
