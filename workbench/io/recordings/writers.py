"""Writes recordings, one journal each."""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from workbench.core.recordings.exchanges import End, Exchange, Header, Parent
from workbench.io.recordings.journal import SUFFIX, JournalWriter
from workbench.io.recordings.recording_file import Recording
from workbench.io.state_folder import make_folder


def new_header(name: str) -> Header:
    """The header of a recording that starts now."""
    started = datetime.now().astimezone().isoformat("T", "seconds")
    return Header(secrets.token_hex(6), name, started)


def write_fork(parent: Recording, first: Exchange, name: str) -> Path:
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
class _OpenRecording:
    """A recording that is being made."""

    path: Path
    started: float
    last: int = 0
    calls: Counter[str] = field(default_factory=Counter)


class RecordingWriters:
    """Appends exchanges to their recordings in a folder, which is created when needed; a recording
    starts with its first exchange. Clients may name any number of recordings, so no journal is kept
    open. Thread-safe.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._recordings: dict[str, _OpenRecording] = {}
        self._lock = threading.Lock()

    def append(self, name: str, exchange: Exchange, started: float) -> Path:
        """Write ``exchange``, whose request arrived at ``started`` of ``time.monotonic``, as the
        next one of the recording ``name``; returns the journal.

        Raises:
            FormatError: it has a value that is not JSON.
            OSError: it cannot be written.
        """
        with self._lock:
            recording = self._recordings.get(name) or self._new(name, started)
            placed = replace(
                exchange,
                position=recording.last + 1,
                call=recording.calls[exchange.node] + 1,
                at_ms=round(max(started - recording.started, 0) * 1000, 3),
                ms=round((time.monotonic() - started) * 1000, 3),
            )
            with contextlib.closing(JournalWriter(recording.path)) as writer:
                writer.append(placed)
            recording.last += 1
            recording.calls[exchange.node] += 1
            return recording.path

    def close(self) -> None:
        """End all recordings: one without an end looks as if its process was killed."""
        with self._lock:
            for recording in self._recordings.values():
                with (
                    contextlib.suppress(OSError),
                    contextlib.closing(JournalWriter(recording.path)) as writer,
                ):
                    writer.append(End())
            self._recordings.clear()

    def _new(self, name: str, started: float) -> _OpenRecording:
        """Create the journal of a recording. Raises OSError."""
        make_folder(self.folder, 0o700)
        header = new_header(name)
        path = self.folder / f"{header.id}{SUFFIX}"
        JournalWriter(path, header).close()
        recording = self._recordings[name] = _OpenRecording(path, started)
        return recording
