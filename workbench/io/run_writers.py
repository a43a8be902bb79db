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

from workbench.core.runs import End, Exchange, Header, Parent
from workbench.io.journal import SUFFIX, JournalWriter
from workbench.io.recorded_run import RecordedRun
from workbench.io.state_folder import make_folder


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
class _Open:
    writer: JournalWriter
    started: float
    last: int = 0
    calls: Counter[str] = field(default_factory=Counter)


class RunWriters:
    """Appends exchanges to the runs they belong to; a run begins with its first one. Safe to use
    from several threads.

    Args:
        folder: for the journals; created when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, _Open] = {}
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
            run = self._open.get(name)
            if run is None:
                run = self._open[name] = self._begin(name, started)
            placed = replace(
                exchange,
                position=run.last + 1,
                call=run.calls[exchange.node] + 1,
                at_ms=round(max(started - run.started, 0) * 1000, 3),
                ms=round((time.monotonic() - started) * 1000, 3),
            )
            run.writer.append(placed)
            run.last += 1
            run.calls[exchange.node] += 1
            return run.writer.path

    def close(self) -> None:
        """End all runs. One whose end cannot be written is as that of a process that was killed."""
        with self._lock:
            for run in self._open.values():
                with contextlib.suppress(OSError):
                    run.writer.append(End())
                run.writer.close()
            self._open.clear()

    def _begin(self, name: str, started: float) -> _Open:
        make_folder(self.folder, 0o700)
        header = new_header(name)
        return _Open(JournalWriter(self.folder / f"{header.id}{SUFFIX}", header), started)
