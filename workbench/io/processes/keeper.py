"""A process that ends a family if the process that started it is killed by SIGKILL, and cannot do
it itself.

It notices by its standard input, a pipe that the system closes with the last process that has the
other end: also if that was killed before this one began to read. Linux could send a signal instead
(``PR_SET_PDEATHSIG``), but only to the leader and not to what it started; it counts the thread
that started a process as its parent; and it has to be set in the child, between fork and exec,
where Python cannot run safely beside other threads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Final

from workbench.io.processes.family import MARK_VARIABLE, Family

# How long a process has to end after a request to end.
_STOP_SECONDS: Final = 5.0


class Keeper:
    """Starts such a process for a family with a mark.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, mark: str) -> None:
        environment = {k: v for k, v in os.environ.items() if k != MARK_VARIABLE}
        self._process = subprocess.Popen(
            # Without -P, a folder "workbench" in the working directory would be run.
            [sys.executable, "-P", "-m", __name__, mark],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )

    def name(self, leader: int) -> None:
        """Name the leader of the family, once it is started."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it was killed
            self._process.stdin.write(f"{leader}\n".encode())

    def stop(self) -> None:
        """End it: there is nothing more to end."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()


def main(mark: str) -> None:
    """Wait until standard input ends, then end the family."""
    # Who ends a whole group does not end it before it has done its work.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    leader = sys.stdin.read().strip()
    Family(int(leader) if leader.isdecimal() else None, mark).end_all(_STOP_SECONDS)


if __name__ == "__main__":
    main(sys.argv[1])
