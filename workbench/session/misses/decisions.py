"""What a person decides about a miss (save, re-key, skip, ignore), and undoing it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.core.fixtures.findings import Finding
from workbench.io.ignore_list import IgnoreList
from workbench.io.store import FileStamp, FixtureChangedError, FixtureStore
from workbench.session.drafts import Draft, DraftStore
from workbench.session.undo import (
    FileEntry,
    IgnoreEntry,
    RekeyEntry,
    SaveEntry,
    SkipEntry,
    UndoEntry,
)


class SaveRefusedError(Exception):
    """A draft with errors is not saved."""

    def __init__(self, errors: list[Finding]) -> None:
        super().__init__(f"{len(errors)} error{'s' * (len(errors) != 1)}: not saved.")
        self.errors = errors


class SecretFoundError(Exception):
    """A draft that seems to hold a secret is saved only after a warning.

    Attributes:
        in_request: whether all of it is in the stored request, which may be left out.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        first, *more = (finding.message.removeprefix("request.") for finding in findings)
        others = f" {len(more)} more like it." if more else ""
        super().__init__(f"{first}.{others} It would be stored.")
        self.in_request = all(finding.path[:1] == ("request",) for finding in findings)


class NothingToUndoError(Exception):
    """No decision of this session is left to take back."""


class Decisions:
    """The decisions of this session, and their undo history.

    A decision about many digests is made and undone in entries; stopping between two leaves no
    file half done.

    Attributes:
        saved: digests promoted in this session, in order.
        rekeyed: the digests re-keyed in this session, each with the old digest.
        skipped: digests put aside in this session.
        ignored: digests put on the ignore list in this session, in order.
        marked: digests marked to be saved together.
    """

    def __init__(self, store: FixtureStore, drafts: DraftStore, ignore: IgnoreList) -> None:
        self.saved: dict[str, None] = {}
        self.rekeyed: dict[str, str] = {}
        self.skipped: set[str] = set()
        self.ignored: dict[str, None] = {}
        self.marked: set[str] = set()
        self._store = store
        self._drafts = drafts
        self._ignore = ignore
        # The undo history: the entries of each decision.
        self._made: list[list[UndoEntry]] = []
        self._making: list[UndoEntry] | None = None

    @contextlib.contextmanager
    def together(self, steps: list[UndoEntry] | None = None) -> Iterator[None]:
        """Decisions made inside are one decision for undo.

        Args:
            steps: earlier entries of the same decision; the new ones are appended.
        """
        self._making = [] if steps is None else steps
        try:
            yield
        finally:
            self._making = None

    def _note(self, step: UndoEntry) -> None:
        steps = [] if self._making is None else self._making
        if not steps:
            self._made.append(steps)
        steps.append(step)

    def save(
        self,
        draft: Draft,
        findings: Sequence[Finding],
        *,
        overwrite: bool = False,
        secrets: bool = False,
    ) -> FileStamp:
        """Write the draft's text as the fixture of its digest and forget the draft. Returns the
        state of the file.

        Args:
            findings: all that is wrong with it.
            secrets: save even what looks like a secret.

        Raises:
            SaveRefusedError: there are errors.
            SecretFoundError: what looks like a secret would be saved.
            FixtureChangedError: another program wrote or deleted the file since the draft began,
                unless ``overwrite``.
            OSError: the file cannot be written. The draft is kept in every case.
        """
        errors = [finding for finding in findings if finding.blocks]
        if errors:
            raise SaveRefusedError(errors)
        found = [finding for finding in findings if finding.rule == "secret"]
        if found and not secrets:
            raise SecretFoundError(found)
        digest = draft.digest
        if overwrite:
            draft.base = self._store.stamp(digest)
        before, base = self._store.read(digest), draft.base
        ignored = self._ignore.reasons.get(digest)
        after = self._store.save(digest, draft.text.encode("utf-8"), expected=base)
        self._note(SaveEntry(digest, before, base, after, draft, ignored))
        self.saved[digest] = None
        self.skipped.discard(digest)
        self.marked.discard(digest)
        # The fixture is saved, even if the rest fails.
        with contextlib.suppress(OSError):
            self._drafts.remove(digest)
        if ignored is not None:
            with contextlib.suppress(OSError):
                self._ignore.remove(digest)
        return after

    def rekey(self, old: str, digest: str, data: bytes, *, base: FileStamp, copy: bool) -> None:
        """Write ``data`` as the fixture of ``digest``, and delete that of ``old``, unless it is a
        copy.

        Args:
            base: the state of the old file that ``data`` was made from.

        Raises:
            FixtureChangedError: ``digest`` has a file already, or the old one changed.
            OSError: a file cannot be written or deleted. Nothing is changed in either case.
        """
        before, mode = self._store.read(old), self._store.mode(old)
        after = self._store.save(digest, data, expected=None, mode=mode)
        if not copy:
            try:
                self._store.delete(old, expected=base)
            except (FixtureChangedError, OSError):
                self._store.delete(digest, expected=after)
                raise
        self._note(RekeyEntry(digest, old, None if copy else before, mode, after))
        self.rekeyed[digest] = old
        self.skipped.discard(digest)
        self.marked.discard(digest)

    def rewrite(self, digest: str, data: bytes | None, *, base: FileStamp) -> None:
        """Change the file of a digest, or delete it with None.

        Args:
            base: the state the caller saw.

        Raises:
            FixtureChangedError: the file changed since; nothing is done.
            OSError: it cannot be written.
        """
        before, mode = self._store.read(digest), self._store.mode(digest)
        if before is None:
            raise FixtureChangedError(digest, None)
        after = None
        if data is None:
            self._store.delete(digest, expected=base)
        else:
            after = self._store.save(digest, data, expected=base)
        self._note(FileEntry(digest, before, mode, after))

    def skip(self, digest: str) -> bool:
        """Skip a digest, or no longer; returns whether it is skipped now."""
        self._note(SkipEntry(digest, was_skipped=digest in self.skipped))
        self.skipped ^= {digest}
        return digest in self.skipped

    def ignore(self, digest: str, reason: str | None) -> None:
        """Put on the ignore list with ``reason``, or take off it with None. Raises OSError."""
        before = self._ignore.reasons.get(digest)
        if before == reason:
            return
        self._set_ignored(digest, reason)
        self._note(IgnoreEntry(digest, before, reason))

    @property
    def entries_to_undo(self) -> int:
        """The number of entries that the next ``undo`` undoes."""
        return len(self._latest())

    def _latest(self) -> list[UndoEntry]:
        """The entries of the last decision that has any left."""
        while self._made and not self._made[-1]:
            self._made.pop()
        return self._made[-1] if self._made else []

    def undo(self) -> Iterator[UndoEntry]:
        """Undo the last decision, one entry per step, the last first: files and drafts are as
        before. After stopping early, the next undo goes on with the rest.

        Raises:
            NothingToUndoError: no decision is left.
            FixtureChangedError: another program changed a file since. It stays as it is, and its
                entry is dropped, so that the next undo goes on with the others.
            OSError: a file cannot be written; the entry can be tried again.
        """
        steps = self._latest()
        if not steps:
            raise NothingToUndoError
        self._refuse_changed(steps)
        while steps:
            step = steps.pop()
            try:
                self._take_back(step)
            except OSError:
                steps.append(step)
                raise
            yield step

    def _refuse_changed(self, steps: list[UndoEntry]) -> None:
        """Undo no re-key of a decision while the file of one has changed since: raise
        FixtureChangedError for the first such, and drop it.
        """
        for step in steps:
            if isinstance(step, RekeyEntry):
                now = self._store.stamp(step.digest)
                if now != step.after:
                    steps.remove(step)
                    raise FixtureChangedError(step.digest, now)

    def _take_back(self, step: UndoEntry) -> None:
        match step:
            case SaveEntry():
                self._take_back_save(step)
            case RekeyEntry():
                self._move_back(step)
            case FileEntry():
                self._store.save(step.digest, step.before, expected=step.after, mode=step.mode)
            case IgnoreEntry():
                self._set_ignored(step.digest, step.before)
            case SkipEntry(digest, was_skipped):
                self.skipped = self.skipped - {digest} | ({digest} if was_skipped else set())

    def _take_back_save(self, step: SaveEntry) -> None:
        restored = self._restore_file(step)
        self._forget_save(step, restored)
        self._bring_back_draft(step, restored)
        if step.ignored is not None:
            # The file is restored, even if this fails.
            with contextlib.suppress(OSError):
                self._ignore.add(step.digest, step.ignored)

    def _move_back(self, step: RekeyEntry) -> None:
        restored = None
        if step.before is not None:
            restored = self._store.save(step.old, step.before, expected=None, mode=step.mode)
        try:
            self._store.delete(step.digest, expected=step.after)
        except (FixtureChangedError, OSError):
            if restored is not None:
                self._store.delete(step.old, expected=restored)
            raise
        self.rekeyed.pop(step.digest, None)

    def _restore_file(self, step: SaveEntry) -> FileStamp | None:
        """Make the file what it was before ``step``; returns its state, None for no file."""
        if step.before is None:
            self._store.delete(step.digest, expected=step.after)
            return None
        return self._store.save(step.digest, step.before, expected=step.after)

    def _forget_save(self, undone: SaveEntry, restored: FileStamp | None) -> None:
        earlier = [
            (steps, place, step)
            for steps in self._made
            for place, step in enumerate(steps)
            if isinstance(step, SaveEntry) and step.digest == undone.digest
        ]
        if not earlier:
            self.saved.pop(undone.digest, None)
            return
        # The file of the save before is restored, with another stamp.
        steps, place, before = earlier[-1]
        if restored is not None and before.after == undone.base:
            steps[place] = replace(before, after=restored)

    def _bring_back_draft(self, step: SaveEntry, restored: FileStamp | None) -> None:
        """Restore the draft of an undone save, unless a newer one was edited."""
        newer = self._drafts.get(step.digest)
        draft = newer if newer is not None and newer.touched else step.draft
        draft.base = restored
        draft.kept_revision = -1  # the draft file on disk has another base
        self._drafts.add(draft)
        # It is restored in memory, even if it cannot be written to disk.
        with contextlib.suppress(OSError):
            self._drafts.store(step.digest)

    def _set_ignored(self, digest: str, reason: str | None) -> None:
        if reason is None:
            self._ignore.remove(digest)
            self.ignored.pop(digest, None)
        else:
            self._ignore.add(digest, reason)
            self.ignored[digest] = None
