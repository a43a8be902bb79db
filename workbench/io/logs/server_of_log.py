"""The server that wrote a log, from the first lines of the log."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from zlib import error as PackingError  # noqa: N812  (an exception)

from workbench.core.log.lines import LISTENING, MARK, Listening, read_listening

# The listening line is the first that a server writes.
HEAD: Final = 1 << 16


class ServerOfLog(NamedTuple):
    """The server that wrote a log, as a line of the log names it."""

    listening: Listening
    log: Path

    @property
    def folder(self) -> Path | None:
        """Its fixtures folder; None if the folder does not exist here."""
        if not self.listening.fixtures:
            return None
        # If the name is absolute, every base gives the same path.
        folders = (base / self.listening.fixtures for base in self.log.absolute().parents)
        return next((folder for folder in folders if os.path.isdir(folder)), None)


def named_server(logs: Iterable[Path]) -> ServerOfLog | None:
    """The server of the first listening line in the beginnings of ``logs``."""
    from workbench.io.logs.log_files import unpacked  # not needed for a help text

    # Files only: what is read from a pipe is lost to the next reader.
    for log in filter(os.path.isfile, logs):
        with suppress(OSError, EOFError, PackingError), open(log, "rb") as plain:
            with unpacked(plain) as file:
                head = file.read(HEAD)
            for line in head.split(b"\n")[:-1]:
                if LISTENING.encode() in line and (listening := _named_in(line)):
                    return ServerOfLog(listening, log)
    return None


def _named_in(line: bytes) -> Listening | None:
    if line.startswith(MARK.encode()) and b"\x1b" not in line:
        return read_listening(line[len(MARK) :].rstrip(b"\r"))
    # The line has colours or a prefix. The parser is loaded only then: this runs before the first
    # paint.
    from workbench.core.log.reader import LogParser

    events = LogParser().feed(line + b"\n")
    return next((event for event in events if isinstance(event, Listening)), None)
