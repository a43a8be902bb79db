"""A command that is run with its clients pointed at our server, as a session of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from typing import Final

from workbench.io.processes.family import MARK_VARIABLE, Family
from workbench.io.processes.keeper import Keeper

# How long a process has to end after it was asked to.
STOP_SECONDS: Final = 5.0
# The exit codes that shells use for a command that cannot be started.
EXIT_NOT_FOUND: Final = 127
EXIT_NOT_EXECUTABLE: Final = 126


def code_without_start(error: Exception) -> int:
    """The exit code for a command that could not be started, as a shell has it."""
    return EXIT_NOT_FOUND if isinstance(error, FileNotFoundError) else EXIT_NOT_EXECUTABLE


class SuiteCommand:
    """A process that leads a session of its own. Everything it starts can be ended with it, and is
    also if this process is killed.

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
        self._keeper = Keeper(mark)
        try:
            self._process = subprocess.Popen(
                words,
                env={**environment, MARK_VARIABLE: mark},
                start_new_session=True,
                stdin=None if output is None else subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        except (OSError, ValueError):
            self._keeper.stop()
            raise
        self._keeper.name(self._process.pid)
        self._family = Family(self._process.pid, mark)

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
        self._family.send_all(number)

    def end_all(self) -> None:
        """End it and everything it started: terminate, and kill after ``STOP_SECONDS``."""
        self._family.end_all(STOP_SECONDS)
        self._process.poll()  # it may be the last to know
        self._keeper.stop()
