"""A pseudo-terminal for the output of a command."""

from __future__ import annotations

import contextlib
import os
import termios
from typing import Final

_AT_ONCE: Final = 65536


class PseudoTerminal:
    """Gives a command a terminal to write to, ``command_end``, of a size that can change. It is
    nobody's controlling terminal: a command that would ask there for a password gets an error, and
    does not wait for an answer that never comes.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self._ours, self.command_end = os.openpty()
        os.set_blocking(self._ours, False)
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Set the size; a running command needs SIGWINCH to notice."""
        termios.tcsetwinsize(self._ours, (max(rows, 1), max(columns, 1)))

    def read(self, most: int) -> bytes:
        """The output since the last call, up to about ``most`` bytes; b"" if there is none."""
        data = b""
        with contextlib.suppress(OSError):  # there is nothing; on Linux also: nobody has it open
            while len(data) < most and (more := os.read(self._ours, _AT_ONCE)):
                data += more
        return data

    def close(self) -> None:
        os.close(self._ours)
        os.close(self.command_end)
