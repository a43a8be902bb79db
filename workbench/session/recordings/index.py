"""The recordings of a folder, and forks of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from workbench.core.formats import FormatError
from workbench.core.recordings import branches
from workbench.core.recordings.branches import ExchangeDifference
from workbench.io.files.path_text import why_unreadable
from workbench.io.recordings.journal import SUFFIX
from workbench.io.recordings.recording_file import Recording
from workbench.io.recordings.writers import write_fork
from workbench.session.drafts.store import Draft
from workbench.session.recordings import fork_replies
from workbench.session.recordings.recording_query import RecordingFacts, RecordingRow, facts_of

MOST_DIFFERENCES: Final = 200


RecordingNews = dict[str, tuple[Recording, RecordingFacts] | str | None]
"""What was read of some recordings, by their ids: why one cannot be opened, None if it is gone."""


class RecordingIndex:
    """The recordings of a folder. ``read`` is slow, so call it in a thread; the rest is fast,
    unless documented otherwise.

    Attributes:
        unreadable: why other recordings cannot be opened, by their ids.
        marked: the recordings marked for comparison.
        forks_begun: drafts of forks that are not written yet, by recording and exchange.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recordings: dict[str, Recording] = {}
        self.facts: dict[str, RecordingFacts] = {}
        self.unreadable: dict[str, str] = {}
        self.marked: list[str] = []
        self.forks_begun: dict[tuple[str, int], Draft] = {}

    def __len__(self) -> int:
        return len(self.recordings) + len(self.unreadable)

    # Updates

    def read(self, names: Iterable[str]) -> RecordingNews:
        """Read the journals among ``names``; known ones from where reading stopped. Where one is
        new, those that could not be read are tried again, since they may be forks of it.
        """
        news: RecordingNews = {}
        opened = dict(self.recordings)
        waiting = {name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)}
        while waiting:
            results = {recording: self._read(recording, opened) for recording in sorted(waiting)}
            news |= results
            has_new = any(
                isinstance(results[recording], tuple)
                for recording in results.keys() - self.recordings.keys()
            )
            problems = {**self.unreadable, **news} if has_new else {}
            waiting = {
                recording for recording, problem in problems.items() if isinstance(problem, str)
            }
        return news

    def _read(
        self, recording: str, opened: dict[str, Recording]
    ) -> tuple[Recording, RecordingFacts] | str | None:
        try:
            recorded = _recorded(self.folder / f"{recording}{SUFFIX}", opened)
            return recorded, facts_of(recorded)
        except FileNotFoundError:
            return None
        except (FormatError, OSError) as error:
            return why_unreadable(error)

    def apply(self, news: RecordingNews) -> None:
        """Store the results of ``read``."""
        for recording, result in news.items():
            for by_id in (self.recordings, self.facts, self.unreadable):
                by_id.pop(recording, None)
            if isinstance(result, str):
                self.unreadable[recording] = result
            elif result is not None:
                self.recordings[recording], self.facts[recording] = result
        self.marked[:] = [recording for recording in self.marked if recording in self.recordings]

    # Queries

    def rows(self) -> dict[str, RecordingRow]:
        """All recordings by their ids, with those that cannot be read."""
        readable = {
            recording: RecordingRow(recording, tuple(self._lineage(recording)))
            for recording in self.facts
        }
        return readable | {
            recording: RecordingRow(recording, problem=why)
            for recording, why in self.unreadable.items()
        }

    def _lineage(self, recording: str) -> list[tuple[str, RecordingFacts]]:
        lineage: dict[str, RecordingFacts] = {}
        above: str | None = recording
        while above is not None and above not in lineage:  # files may name each other
            lineage[above] = self.facts[above]
            above = self.parent_of(above)
        return list(reversed(lineage.items()))

    def parent_of(self, recording: str) -> str | None:
        """The recording that ``recording`` is a fork of, if it is one of these."""
        parent = self.facts[recording].parent
        return parent.run if parent is not None and parent.run in self.facts else None

    def forks_of(self, recording: str) -> dict[int, list[str]]:
        """The forks of a recording by the exchange whose reply they replace."""
        forks: dict[int, list[str]] = {}
        for other, facts in self.facts.items():
            if facts.parent is not None and facts.parent.run == recording:
                forks.setdefault(facts.parent.at, []).append(other)
        return forks

    # Stepping and comparing

    def stepped(self, recording: str, position: int) -> str:
        """The position in a recording: the next exchange, and in a fork a comparison with its
        parent.
        """
        recorded, facts = self.recordings[recording], self.facts[recording]
        if position < len(recorded):
            node = recorded.exchange(position + 1).node
            ahead = f", next is {position + 1} ({node or 'no node'})."
        else:
            ahead = f": {facts.ended}."
        place = f"At {position} of {len(recorded)}{ahead}"
        return f"{place} {self._against_parent(recording, position)}".rstrip()

    def _against_parent(self, recording: str, position: int) -> str:
        above, parent = self.parent_of(recording), self.facts[recording].parent
        if above is None or parent is None:
            return ""
        name = f'"{self.facts[above].name}"'
        if position < parent.at:
            return f"Shared with {name}."
        before = self.recordings[above]
        if position > len(before):
            return f"{name} has no such exchange."
        pair = [before.exchange(position)], [self.recordings[recording].exchange(position)]
        difference = next(branches.exchange_differences(*pair, position), None)
        return f"Not as in {name}: {difference}." if difference else f"As in {name}."

    def differences(self, before: str, after: str) -> list[ExchangeDifference]:
        """The differences of two recordings, up to ``MOST_DIFFERENCES``. Slow: it reads both."""
        first, second = self.recordings[before], self.recordings[after]
        shared = second.shared if self.parent_of(after) == before else 0
        differences = branches.exchange_differences(
            first.exchanges(shared), second.exchanges(shared), shared + 1
        )
        return list(islice(differences, MOST_DIFFERENCES))

    # Forking

    def fork(self, recording: str, at: int, draft: Draft, name: str) -> str:
        """Write a fork in which the exchange at ``at`` has the reply of a draft; returns its id.

        Raises:
            ForkError, FixtureError: as ``fork_replies.replaced``.
            OSError: the journal cannot be written.
        """
        recorded = self.recordings[recording]
        path = write_fork(recorded, fork_replies.replaced(recorded.exchange(at), draft), name)
        self.forks_begun.pop((recording, at), None)
        self.apply(self.read([path.name]))
        return path.stem


def _recorded(path: Path, opened: dict[str, Recording]) -> Recording:
    """The recording of a file; it and its parents are added to ``known``: none is read twice."""
    recording = opened.get(path.stem)
    if recording is None or path.stat().st_size < recording.size:
        recording = Recording(path, opened)
        above: Recording | None = recording
        while above is not None:
            opened[above.path.stem] = above
            above = above.parent
    else:
        recording.refresh()
    return recording
