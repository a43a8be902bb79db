"""The recorded runs: which there are, what each holds, and what can be made of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from workbench.core import branches
from workbench.core.branches import Parting
from workbench.core.recorded import fixture_of
from workbench.core.runs import Exchange, Mark, Raised, RunFormatError, Sent
from workbench.io.recorded_run import RecordedRun, journals
from workbench.io.run_writers import write_fork
from workbench.io.store import FixtureChangedError
from workbench.session.drafts import Draft
from workbench.session.session import Session

MOST_PARTINGS = 200


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A journal that cannot be opened, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list of runs.

    Attributes:
        depth: 0 for a run, 1 for a fork of one, and so on.
    """

    id: str
    depth: int


@dataclass(frozen=True, slots=True)
class ExchangeRow:
    """One line of a run: an exchange, or what stands behind it: a checkpoint, a fork.

    Attributes:
        position: of the exchange.
    """

    position: int
    mark: Mark | None = None
    fork: str | None = None

    @property
    def is_exchange(self) -> bool:
        return self.mark is None and self.fork is None


class RunBook:
    """The runs of a folder by their ids. ``read`` is slow and for a thread; the rest is cheap."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: dict[str, RecordedRun] = {}
        self.unreadable: list[Unreadable] = []

    def read(self) -> tuple[dict[str, RecordedRun], list[Unreadable]]:
        """The runs as they are now, the one written to last first; those known are read on."""
        found: dict[str, RecordedRun] = {}
        unreadable: list[Unreadable] = []
        known = {run.path: run for run in list(self.runs.values())}
        for path in journals(self.folder):
            try:
                run = known.get(path)
                if run is None:
                    run = RecordedRun(path)
                else:
                    run.journal.refresh()
                found[run.header.id] = run
            except (RunFormatError, OSError) as error:
                unreadable.append(Unreadable(path, str(error)))
        return found, unreadable

    def apply(self, read: tuple[dict[str, RecordedRun], list[Unreadable]]) -> None:
        """Take in what ``read`` found."""
        self.runs, self.unreadable = read

    def rows(self) -> list[RunRow]:
        """All runs, each with its forks below it."""
        forks: dict[str | None, list[str]] = {}
        for run in self.runs.values():
            parent = run.header.parent
            above = parent.run if parent and parent.run in self.runs else None
            forks.setdefault(above, []).append(run.header.id)
        return list(_tree(forks, None, 0))

    def forks_at(self, run: RecordedRun) -> dict[int, list[str]]:
        """The forks of a run by the exchange whose reply they replace."""
        found: dict[int, list[str]] = {}
        for other in self.runs.values():
            parent = other.header.parent
            if parent is not None and parent.run == run.header.id:
                found.setdefault(parent.at, []).append(other.header.id)
        return found

    def exchange_rows(self, run: RecordedRun) -> list[ExchangeRow]:
        """The lines of a run, in order."""
        marks: dict[int, list[Mark]] = {}
        for mark in run.marks:
            marks.setdefault(mark.after, []).append(mark)
        forks = self.forks_at(run)
        rows = [ExchangeRow(0, mark) for mark in marks.get(0, [])]
        for position in range(1, len(run) + 1):
            rows.append(ExchangeRow(position))
            rows += [ExchangeRow(position, fork=fork) for fork in forks.get(position, [])]
            rows += [ExchangeRow(position, mark) for mark in marks.get(position, [])]
        return rows

    def partings(self, before: RecordedRun, after: RecordedRun) -> list[Parting]:
        """Where two runs differ, what diverged first first; of very many the first ones."""
        found = branches.partings(before.exchanges(), after.exchanges())
        return list(islice(found, MOST_PARTINGS))

    def fork(self, run: RecordedRun, at: int, reply: Any, name: str) -> str:
        """A child run in which the exchange at ``at`` has another reply; returns its id.

        Args:
            reply: of an LLM call the ``response`` of a fixture; of another call what it returns.

        Raises:
            FixtureError: the server could not send ``reply``.
            OSError: the journal cannot be written.
        """
        exchange = run.exchange(at)
        is_response = exchange.is_chat and isinstance(reply, Mapping)
        forked = branches.replaced(exchange, reply if is_response else None, reply)
        child = RecordedRun(write_fork(run, forked, name))
        self.runs = {child.header.id: child, **self.runs}
        return child.header.id


def _tree(forks: Mapping[str | None, list[str]], above: str | None, depth: int) -> Iterator[RunRow]:
    for run in forks.get(above, []):
        yield RunRow(run, depth)
        yield from _tree(forks, run, depth + 1)


def ended(run: RecordedRun) -> str:
    """How a run ended: ``complete``, what it died of and where, or that it goes on."""
    if run.end is None:
        return "no end"
    if not run.end.problem:
        return "complete"
    last = run.exchange(len(run)) if len(run) else None
    where = f" at {last.node or 'a call'}, call {last.call}" if last else ""
    return f"died{where}: {run.end.problem}"


def promote(session: Session, exchange: Exchange) -> str:
    """Save the reply of an LLM call as the fixture of its request; returns what is to be said of
    it. ``session.undo`` takes it back.

    Raises:
        NotAReplyError: it is no whole reply.
        SecretError: it holds what looks like a key.
        ValueError: there is no reply, or the request has a draft.
        FixtureChangedError: the request has a fixture already.
        OSError: the fixture cannot be written.
    """
    sent = exchange.outcome
    if exchange.digest is None or not isinstance(sent, Sent):
        failed = isinstance(sent, Raised)
        raise ValueError("The call failed: there is no reply." if failed else "No LLM call.")
    document, said = fixture_of(
        exchange.request,
        exchange.digest,
        sent.content_type,
        sent.body,
        source="recorded",
        store_request=session.store_request,
    )
    draft = session.drafts.get(exchange.digest)
    if draft is not None and draft.touched:
        raise ValueError("Its request has a draft, which is not written over.")
    stamp = session.store.stamp(exchange.digest)
    if stamp is not None:
        raise FixtureChangedError(exchange.digest, stamp)
    draft = session.drafts.add(Draft(exchange.digest, document.text, base=None, touched=True))
    session.decisions.save(draft, [])
    return said
