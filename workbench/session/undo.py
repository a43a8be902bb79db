"""The undo history: what was decided in this session, and how each decision is undone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.store import FixtureChangedError, FixtureStore

DecisionKind = Literal["save", "re-key", "file", "ignore", "skip"]


class UndoEntry(NamedTuple):
    """A decision about one digest, and how to undo it.

    Attributes:
        digest: of its row; the name of the fixture whose file changed; or the key of an unsupported
            request, which has no digest.
        sentence: what undoing it did.
        undo: makes everything what it was. Raises FixtureChangedError if another program changed
            a file since, or OSError; nothing is changed then.
        files: the names of the fixtures whose files it changed.
        after: the states it left files in, by the names of their fixtures; None for no file.
    """

    kind: DecisionKind
    digest: str
    sentence: str
    undo: Callable[[], object]
    files: tuple[str, ...] = ()
    after: Mapping[str, FileStamp | None] = {}


class NothingToUndoError(Exception):
    """There is nothing to undo in this session."""


class UndoHistory:
    """The decisions of this session. A decision about many digests has one entry for each digest,
    so that an undo can be stopped between two files.

    Attributes:
        made: by kind, the digests of the entries that were not undone, in order, each with their
            number.
    """

    def __init__(self, store: FixtureStore) -> None:
        self.made: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._store = store
        self._decisions: list[list[UndoEntry]] = []

    def add(self, entry: UndoEntry, decision: list[UndoEntry] | None = None) -> None:
        """Add an entry.

        Args:
            decision: the earlier entries of the decision it belongs to, which it is appended to;
                None for a decision of its own.
        """
        entries = [] if decision is None else decision
        if not entries:
            self._decisions.append(entries)
        entries.append(entry)
        self.made[entry.kind][entry.digest] += 1

    def written(self, kind: DecisionKind) -> list[str]:
        """The names of the fixtures whose files decisions of a kind wrote, in order."""
        entries = (entry for decision in self._decisions for entry in decision)
        return list(
            dict.fromkeys(n for entry in entries if entry.kind == kind for n in entry.after)
        )

    def changed(self) -> list[str]:
        """The names of the fixtures whose files decisions wrote or deleted, in order."""
        entries = (entry for decision in self._decisions for entry in decision)
        kinds: tuple[DecisionKind, ...] = ("save", "re-key", "file")
        return list(dict.fromkeys(n for each in entries if each.kind in kinds for n in each.files))

    def __len__(self) -> int:
        """The number of entries that the next ``undo`` undoes."""
        return len(self._latest())

    def _latest(self) -> list[UndoEntry]:
        """The entries of the last decision that has any left."""
        while self._decisions and not self._decisions[-1]:
            self._decisions.pop()
        return self._decisions[-1] if self._decisions else []

    def undo(self) -> Iterator[UndoEntry]:
        """Undo the last decision, one entry per step, the last first. Files and drafts are
        restored. After stopping early, the next undo continues with the rest.

        Raises:
            NothingToUndoError: no decision is left.
            FixtureChangedError: another program changed a file since. It stays as it is, and its
                entry is dropped, so that the next undo continues with the others.
            OSError: a file cannot be written; the entry can be tried again.
        """
        entries = self._latest()
        if not entries:
            raise NothingToUndoError
        self._refuse_changed(entries)
        while entries:
            entry = entries.pop()
            try:
                entry.undo()
            except OSError:
                entries.append(entry)
                raise
            self.made[entry.kind] -= Counter([entry.digest])
            yield entry

    def _refuse_changed(self, entries: list[UndoEntry]) -> None:
        """Check all re-keys of a decision before any is undone. Raises FixtureChangedError for the
        first whose file has changed since, and drops its entry.
        """
        for entry in entries:
            for name, after in entry.after.items() if entry.kind == "re-key" else ():
                if (now := self._store.stamp(name)) != after:
                    entries.remove(entry)
                    raise FixtureChangedError(name, now)


def undone_sentence(entries: Sequence[UndoEntry]) -> str:
    """A sentence about the effect of undoing ``entries``."""
    if len(entries) == 1:
        return entries[0].sentence
    kinds = {entry.kind for entry in entries}
    if kinds == {"re-key"}:
        return f"Undid the move of {len(entries):,} fixtures. Each file is as it was."
    if kinds == {"file"}:
        return f"Restored {len(entries):,} fixtures."
    return f"Undid {len(entries):,} decisions. Their drafts are back."
