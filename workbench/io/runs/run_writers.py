"""Records runs, one journal each."""

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
from workbench.io.runs.journal import SUFFIX, JournalWriter
from workbench.io.runs.recorded_run import RecordedRun
from workbench.io.state_folder import make_folder

# Maximum number of open journals: clients may name any number of runs in ``X-Workbench-Run``.
MOST_OPEN: Final = 64


def new_header(name: str) -> Header:
    """The header of a run that starts now."""
    started = datetime.now().astimezone().isoformat("T", "seconds")
    return Header(secrets.token_hex(6), name, started)


def write_fork(parent: RecordedRun, first: Exchange, name: str) -> Path:
    """Write a fork of ``parent``, with ``first`` as its own first exchange; returns its journal.
    Raises OSError.
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
    """A run being recorded; its journal may be closed in between."""

    path: Path
    started: float
    last: int = 0
    calls: Counter[str] = field(default_factory=Counter)


class RunWriters:
    """Appends exchanges to their runs in a folder, which is created when needed; a run starts with
    its first exchange. Only the journals written last are kept open. Thread-safe.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: dict[str, _Run] = {}
        # The least recently used first.
        self._open: dict[str, JournalWriter] = {}
        self._lock = threading.Lock()

    def append(self, name: str, exchange: Exchange, started: float) -> Path:
        """Write ``exchange``, whose request arrived at ``started`` of ``time.monotonic``, as the
        next one of the run ``name``; returns the journal.

        Raises:
            RunFormatError: it has a value that is not JSON.
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
        """End all runs. Without its end record, a run looks as if its process was killed."""
        with self._lock:
            for name, run in self._runs.items():
                with contextlib.suppress(OSError):
                    self._writer(name, run.started).append(End())
            for writer in self._open.values():
                writer.close()
            self._runs.clear()
            self._open.clear()

    def _writer(self, name: str, started: float) -> JournalWriter:
        """The open journal of a run, created if there is none. Raises OSError."""
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
