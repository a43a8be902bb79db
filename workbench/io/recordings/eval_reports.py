"""The reports of golden queries: ``<time>.json``, each with a journal of its exchanges."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

from workbench.core import evals
from workbench.core.evals import Report
from workbench.core.recordings.exchanges import Exchange, Header
from workbench.io.files.atomic import write_atomic
from workbench.io.files.regular import read_regular
from workbench.io.recordings.journal import SUFFIX as JOURNAL_SUFFIX
from workbench.io.recordings.journal import JournalWriter
from workbench.io.state_folder import StateFolder

SUFFIX: Final = ".json"
_MOST_REPORTS: Final = 50


class ReportWriter:
    """Writes the exchanges of a test session as they happen, and its report at the end, in files
    named by its start time. Not thread-safe.
    """

    def __init__(self, state: StateFolder, started: str) -> None:
        self._state = state
        self._started = started
        self._journal: JournalWriter | None = None
        self._length = 0

    def keep(self, exchanges: Iterable[Exchange]) -> list[int]:
        """Append exchanges; returns their positions in the journal.

        Raises:
            FormatError: one has a value that is not JSON.
            OSError: they cannot be written.
        """
        journal = self._begun()
        places = []
        for exchange in exchanges:
            journal.append(replace(exchange, position=self._length + 1))
            self._length += 1
            places.append(self._length)
        return places

    def save(self, report: Report) -> Path:
        """Write the report, and delete the oldest ones of other sessions. Raises OSError."""
        journal = self._begun()
        journal.close()
        file = journal.path.with_suffix(SUFFIX)
        write_atomic(file, evals.encode(report))
        _forget_old(file.parent)
        return file

    def _begun(self) -> JournalWriter:
        """The journal; creating it reserves the name of the report too."""
        if self._journal is None:
            self._state.ensure()
            self._state.evals.mkdir(exist_ok=True)
            stamp = self._started.replace(":", "").replace("+0000", "Z")
            for number in count(1):
                name = stamp if number == 1 else f"{stamp}-{number}"
                path = self._state.evals / f"{name}{JOURNAL_SUFFIX}"
                with contextlib.suppress(FileExistsError):
                    self._journal = JournalWriter(path, Header(name, "evals", self._started))
                    break
        assert self._journal is not None
        return self._journal


def reports(folder: Path) -> Iterator[Path]:
    """The reports of a folder, the newest first."""
    with contextlib.suppress(OSError):
        yield from sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stem, reverse=True)


def load(path: Path) -> Report:
    """Read a report.

    Raises:
        FormatError: it is not a report.
        OSError: the file cannot be read.
    """
    return evals.parse(read_regular(path))


def journal_of(report: Path) -> Path:
    """The path of a report's journal, which may be missing if the report was made elsewhere."""
    return report.with_suffix(JOURNAL_SUFFIX)


def _forget_old(folder: Path) -> None:
    """Delete the oldest reports. Newer journals without a report are of sessions still running."""
    newest_first = list(reports(folder))
    if len(newest_first) <= _MOST_REPORTS:
        return
    oldest = newest_first[_MOST_REPORTS - 1].stem
    for path in folder.iterdir():
        if path.suffix in (SUFFIX, JOURNAL_SUFFIX) and path.stem < oldest:
            path.unlink(missing_ok=True)
