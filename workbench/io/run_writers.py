"""The runs that are being recorded, one journal each."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from workbench.core.runs.exchanges import End, Exchange, Header, Parent
from workbench.io.journal import SUFFIX, JournalWriter
from workbench.io.recorded_run import RecordedRun
from workbench.io.state_folder import make_folder

# Journals, of as many names as clients like to give in ``X-Workbench-Run``.
MOST_OPEN: Final = 64


def new_header(name: str) -> Header:
    """The header of a run that starts now."""
    started = datetime.now().astimezone().isoformat("T", "seconds")
    return Header(secrets.token_hex(6), name, started)


def write_fork(parent: RecordedRun, first: Exchange, name: str) -> Path:
    """Begin a child of ``parent`` that leaves it at ``first``, its own first exchange; returns its
    journal. Raises OSError.
    """
    header = replace(new_header(name), parent=Parent(parent.header.id, first.position))
    path = parent.path.with_name(f"{header.id}{SUFFIX}")
    writer = JournalWriter(path, header)
    try:
        writer.append(first)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        writer.close()
    return path


@dataclass(slots=True)
class _Run:
    """A run that goes on, whether or not its journal is open now."""

    path: Path
    started: float
    last: int = 0
    calls: Counter[str] = field(default_factory=Counter)


class RunWriters:
    """Appends exchanges to the runs they belong to; a run begins with its first one. Of many runs
    only the journals written last are open. Safe to use from several threads.

    Args:
        folder: for the journals; created when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: dict[str, _Run] = {}
        # The least recently used first.
        self._open: dict[str, JournalWriter] = {}
        self._lock = threading.Lock()

    def append(self, name: str, exchange: Exchange, started: float) -> Path:
        """Give ``exchange`` its place in the run called ``name`` and write it.

        Args:
            started: when its request came, of ``time.monotonic``.

        Returns:
            the journal.

        Raises:
            RunFormatError: it holds what is no JSON value.
            OSError: it cannot be written.
        """
        with self._lock:
            writer = self._writer(name, started)
            run = self._runs[name]
            placed = replace(
                exchange,
                position=run.last + 1,
                call=run.calls[exchange.node] + 1,
                at_ms=round(max(started - run.started, 0) * 1000, 3),
                ms=round((time.monotonic() - started) * 1000, 3),
            )
            writer.append(placed)
            run.last += 1
            run.calls[exchange.node] += 1
            return run.path

    def close(self) -> None:
        """End all runs. One whose end cannot be written is as that of a process that was killed."""
        with self._lock:
            for name, run in self._runs.items():
                with contextlib.suppress(OSError):
                    self._writer(name, run.started).append(End())
            for writer in self._open.values():
                writer.close()
            self._runs.clear()
            self._open.clear()

    def _writer(self, name: str, started: float) -> JournalWriter:
        """The open journal of a run, which begins where there is none. Raises OSError."""
        writer = self._open.pop(name, None)
        if writer is None:
            writer = self._opened(name, started)
        self._open[name] = writer
        return writer

    def _opened(self, name: str, started: float) -> JournalWriter:
        while len(self._open) >= MOST_OPEN:
            self._open.pop(next(iter(self._open))).close()
        if (run := self._runs.get(name)) is not None:
            return JournalWriter(run.path)
        make_folder(self.folder, 0o700)
        header = new_header(name)
        path = self.folder / f"{header.id}{SUFFIX}"
        writer = JournalWriter(path, header)
        self._runs[name] = _Run(path, started)
        return writer
