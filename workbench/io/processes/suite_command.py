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

# How long a process has to end after a request to end.
STOP_SECONDS: Final = 5.0
# The exit codes that shells use for a command that cannot be started.
EXIT_NOT_FOUND: Final = 127
EXIT_NOT_EXECUTABLE: Final = 126
_READ_BYTES: Final = 65536


def code_without_start(error: Exception) -> int:
    """The exit code for a command that could not be started, as a shell has it."""
    return EXIT_NOT_FOUND if isinstance(error, FileNotFoundError) else EXIT_NOT_EXECUTABLE


class SuiteCommand:
    """A process that leads a session of its own. All its child processes can be ended with it, and
    are ended if this process is killed.

    Args:
        output: file descriptor for its standard output and errors; then its standard input is
            empty. Default: this process's.

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
        self._process.poll()  # its exit may not have been noticed yet
        self._keeper.stop()


class PseudoTerminal:
    """A terminal for a command's output, ``command_end``, of a size that can change. It is not the
    controlling terminal of a process, so a command that asks for a password there gets an error
    instead of waiting forever.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self._ours, self.command_end = os.openpty()
        os.set_blocking(self._ours, False)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Set the size; a running command needs SIGWINCH to notice."""
        import termios  # POSIX alone

        termios.tcsetwinsize(self._ours, (max(rows, 1), max(columns, 1)))

    def read(self, most: int) -> bytes:
        """The output since the last call, up to about ``most`` bytes; b"" if there is none."""
        data = b""
        # There is nothing to read or, on Linux, no process has it open.
        with contextlib.suppress(OSError):
            while len(data) < most and (more := os.read(self._ours, _READ_BYTES)):
                data += more
        return data

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.command_end)
