"""The recorded runs of a folder, and forks of them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from workbench.core.formats import FormatError
from workbench.core.recordings import branches
from workbench.core.recordings.branches import RunDifference
from workbench.io.recordings.journal import SUFFIX
from workbench.io.recordings.recording_file import RecordedRun
from workbench.io.recordings.writers import write_fork
from workbench.session.recordings import fork_replies
from workbench.session.recordings.query import RunFacts, RunRow, facts_of
from workbench.session.wording import why_unreadable

MOST_DIFFERENCES: Final = 200


RunNews = dict[str, tuple[RecordedRun, RunFacts] | str | None]
"""What was read of some runs, by their ids: why one cannot be opened, None for one that is gone."""


class RunIndex:
    """The runs of a folder. ``read`` is slow, to be called in a thread; the rest is fast, unless
    it says otherwise.

    Attributes:
        unreadable: why other runs cannot be opened, by their ids.
        marked: the runs marked for comparison.
        forks_begun: the text typed for forks that are not written yet, by run and exchange.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: dict[str, RecordedRun] = {}
        self.facts: dict[str, RunFacts] = {}
        self.unreadable: dict[str, str] = {}
        self.marked: list[str] = []
        self.forks_begun: dict[tuple[str, int], str] = {}

    def __len__(self) -> int:
        return len(self.runs) + len(self.unreadable)

    # Updates

    def read(self, names: Iterable[str]) -> RunNews:
        """Read the journals among ``names``; known ones from where reading stopped. Where a run is
        new, those that could not be read are tried again: they may be forks of it.
        """
        news: RunNews = {}
        known = dict(self.runs)
        waiting = {name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)}
        while waiting:
            found = {run: self._read(run, known) for run in sorted(waiting)}
            news |= found
            has_new = any(isinstance(found[run], tuple) for run in found.keys() - self.runs.keys())
            problems = {**self.unreadable, **news} if has_new else {}
            waiting = {run for run, problem in problems.items() if isinstance(problem, str)}
        return news

    def _read(
        self, run: str, known: dict[str, RecordedRun]
    ) -> tuple[RecordedRun, RunFacts] | str | None:
        try:
            recorded = _recorded(self.folder / f"{run}{SUFFIX}", known)
            return recorded, facts_of(recorded)
        except FileNotFoundError:
            return None
        except (FormatError, OSError) as error:
            return why_unreadable(error)

    def apply(self, news: RunNews) -> None:
        """Store the results of ``read``."""
        for run, found in news.items():
            for known in (self.runs, self.facts, self.unreadable):
                known.pop(run, None)
            if isinstance(found, str):
                self.unreadable[run] = found
            elif found is not None:
                self.runs[run], self.facts[run] = found
        self.marked[:] = [run for run in self.marked if run in self.runs]

    # Queries

    def rows(self) -> dict[str, RunRow]:
        """All runs by their ids, with those that cannot be read."""
        readable = {run: RunRow(run, tuple(self._lineage(run))) for run in self.facts}
        return readable | {run: RunRow(run, problem=why) for run, why in self.unreadable.items()}

    def _lineage(self, run: str) -> list[tuple[str, RunFacts]]:
        found: dict[str, RunFacts] = {}
        above: str | None = run
        while above is not None and above not in found:  # files may name each other
            found[above] = self.facts[above]
            above = self.parent_of(above)
        return list(reversed(found.items()))

    def parent_of(self, run: str) -> str | None:
        """The run that ``run`` is a fork of, if it is one of these."""
        parent = self.facts[run].parent
        return parent.run if parent is not None and parent.run in self.facts else None

    def forks_of(self, run: str) -> dict[int, list[str]]:
        """The forks of a run by the exchange whose reply they replace."""
        found: dict[int, list[str]] = {}
        for other, facts in self.facts.items():
            if facts.parent is not None and facts.parent.run == run:
                found.setdefault(facts.parent.at, []).append(other)
        return found

    # Stepping and comparing

    def stepped(self, run: str, position: int) -> str:
        """The position in a run: what is next, and for a fork whether the exchange is as in its
        parent.
        """
        recorded, facts = self.runs[run], self.facts[run]
        if position < len(recorded):
            node = recorded.exchange(position + 1).node
            ahead = f", next is {position + 1} ({node or 'no node'})."
        else:
            ahead = f": {facts.ended}."
        said = f"At {position} of {len(recorded)}{ahead}"
        return f"{said} {self._against_parent(run, position)}".rstrip()

    def _against_parent(self, run: str, position: int) -> str:
        above, parent = self.parent_of(run), self.facts[run].parent
        if above is None or parent is None:
            return ""
        name = f'"{self.facts[above].name}"'
        if position < parent.at:
            return f"Shared with {name}."
        before = self.runs[above]
        if position > len(before):
            return f"{name} has no such exchange."
        pair = [before.exchange(position)], [self.runs[run].exchange(position)]
        difference = next(branches.differences(*pair, position), None)
        return f"Not as in {name}: {difference}." if difference else f"As in {name}."

    def differences(self, before: str, after: str) -> list[RunDifference]:
        """The differences of two runs, up to ``MOST_DIFFERENCES``. Slow: it reads both."""
        one, other = self.runs[before], self.runs[after]
        shared = other.shared if self.parent_of(after) == before else 0
        found = branches.differences(one.exchanges(shared), other.exchanges(shared), shared + 1)
        return list(islice(found, MOST_DIFFERENCES))

    # Forking

    def fork_text(self, run: str, at: int) -> str:
        """The text the editor of a fork starts with: the reply as the ``response`` of a fixture, or
        the value that another call returned.
        """
        begun = self.forks_begun.get((run, at))
        if begun is not None:
            return begun
        return fork_replies.text_of(self.runs[run].exchange(at))

    def fork(self, run: str, at: int, text: str, name: str) -> str:
        """Write a fork in which the exchange at ``at`` has another reply, whose text is JSON like
        that of ``fork_text``; returns its id.

        Raises:
            ForkError: ``text`` is not JSON, or not a reply.
            FixtureError: the server could not send it.
            OSError: the journal cannot be written.
        """
        recorded = self.runs[run]
        path = write_fork(recorded, fork_replies.replaced(recorded.exchange(at), text), name)
        self.forks_begun.pop((run, at), None)
        self.apply(self.read([path.name]))
        return path.stem


def _recorded(path: Path, known: dict[str, RecordedRun]) -> RecordedRun:
    """The run of a file. It and its parents are added to ``known``, so that none is read twice."""
    run = known.get(path.stem)
    if run is None or path.stat().st_size < run.size:
        run = RecordedRun(path, known)
        above: RecordedRun | None = run
        while above is not None:
            known[above.path.stem] = above
            above = above.parent
    else:
        run.refresh()
    return run
