"""What a person decides about a miss: save, skip, ignore; and taking it back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.core.digest import short
from workbench.core.findings import Finding
from workbench.io.ignore_list import IgnoreList
from workbench.io.store import FileStamp, FixtureChangedError, FixtureStore
from workbench.session.drafts import Draft, DraftBook


class SaveRefusedError(Exception):
    """A draft with errors is not saved."""

    def __init__(self, errors: list[Finding]) -> None:
        super().__init__(f"{len(errors)} error{'s' * (len(errors) != 1)}: not saved.")
        self.errors = errors


class SecretFoundError(Exception):
    """A draft that holds what looks like a secret is not saved before somebody was told.

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


@dataclass(frozen=True, slots=True)
class SaveStep:
    """A save: what the file was, what it became, and the draft it came from.

    Attributes:
        group: steps made together have the same number, and are taken back together.
        before, base: the file's bytes and state before; None where there was none.
        ignored: the reason the digest was on the ignore list for, if it was.
    """

    digest: str
    group: int
    before: bytes | None
    base: FileStamp | None
    after: FileStamp
    draft: Draft
    ignored: str | None


@dataclass(frozen=True, slots=True)
class IgnoreStep:
    """A change of the ignore list: the reason before and after; None is "not on it"."""

    digest: str
    group: int
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class RekeyStep:
    """A fixture that took the digest of another request.

    Attributes:
        digest: the new one; ``old`` is the one it had.
        before: the bytes of the file it was; None where that file stays, and this is a copy.
        mode: its permissions.
        after: the state of the new file.
    """

    digest: str
    group: int
    old: str
    before: bytes | None
    mode: int | None
    after: FileStamp


@dataclass(frozen=True, slots=True)
class FileStep:
    """A fixture that was deleted, or mended without a draft.

    Attributes:
        before: its bytes.
        mode: its permissions.
        after: the state of the file now; None where it is gone.
    """

    digest: str
    group: int
    before: bytes
    mode: int | None
    after: FileStamp | None


Step = SaveStep | IgnoreStep | RekeyStep | FileStep


class Decisions:
    """The decisions of this session and the way back.

    Long because each decision stands beside what takes it back.

    Attributes:
        saved: digests promoted in this session, in order.
        rekeyed: digests that took the fixture of another in this session, each with that one.
        skipped: digests put aside in this session.
        ignored: digests put on the ignore list in this session, in order.
        marked: digests marked for a decision about many.
    """

    def __init__(self, store: FixtureStore, drafts: DraftBook, ignore: IgnoreList) -> None:
        self.saved: dict[str, None] = {}
        self.rekeyed: dict[str, str] = {}
        self.skipped: set[str] = set()
        self.ignored: dict[str, None] = {}
        self.marked: set[str] = set()
        self._group = 0
        self._is_grouped = False
        self._store = store
        self._drafts = drafts
        self._ignore = ignore
        self._steps: list[Step] = []

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Decisions made inside are one, to be taken back at once."""
        self._group += 1
        self._is_grouped = True
        try:
            yield
        finally:
            self._is_grouped = False

    def _next_group(self) -> int:
        if not self._is_grouped:
            self._group += 1
        return self._group

    def save(
        self,
        draft: Draft,
        findings: Sequence[Finding],
        *,
        overwrite: bool = False,
        secrets: bool = False,
    ) -> None:
        """Write the draft's text as the fixture of its digest and forget the draft.

        Args:
            findings: all that is wrong with it.
            secrets: save what looks like a secret, too.

        Raises:
            SaveRefusedError: there are errors.
            SecretFoundError: what looks like a secret would be saved.
            FixtureChangedError: another program wrote or deleted the file since the draft began;
                ``overwrite`` takes what is there now as seen.
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
        self._steps.append(
            SaveStep(digest, self._next_group(), before, base, after, draft, ignored)
        )
        self.saved[digest] = None
        self.skipped.discard(digest)
        self.marked.discard(digest)
        # The fixture is there now, whatever else cannot be written.
        with contextlib.suppress(OSError):
            self._drafts.remove(digest)
        if ignored is not None:
            with contextlib.suppress(OSError):
                self._ignore.remove(digest)

    def rekey(self, old: str, digest: str, data: bytes, *, base: FileStamp, copy: bool) -> None:
        """Write ``data`` as the fixture of ``digest``, and unless it is a copy delete that of
        ``old``, in whose place it stands.

        Args:
            base: the state of the old file that ``data`` was made from.

        Raises:
            FixtureChangedError: there is a file of ``digest`` already, or the old one is another
                now.
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
        self._steps.append(
            RekeyStep(digest, self._next_group(), old, None if copy else before, mode, after)
        )
        self.rekeyed[digest] = old
        self.skipped.discard(digest)
        self.marked.discard(digest)

    def rewrite(self, digest: str, data: bytes | None, *, base: FileStamp) -> None:
        """Change the file of a digest, or delete it with None.

        Args:
            base: the state the caller saw.

        Raises:
            FixtureChangedError: it is in another state now; nothing is done.
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
        self._steps.append(FileStep(digest, self._next_group(), before, mode, after))

    def skip(self, digest: str) -> bool:
        """Put aside, or take that back; returns whether it is skipped now."""
        self.skipped ^= {digest}
        return digest in self.skipped

    def ignore(self, digest: str, reason: str | None) -> None:
        """Put on the ignore list with ``reason``, or take off it with None. Raises OSError."""
        before = self._ignore.reasons.get(digest)
        if before == reason:
            return
        self._set_ignored(digest, reason)
        self._steps.append(IgnoreStep(digest, self._next_group(), before, reason))

    @property
    def latest(self) -> list[str]:
        """The digests of the decision that ``undo`` takes back next, last first."""
        group = self._steps[-1].group if self._steps else None
        return [step.digest for step in reversed(self._steps) if step.group == group]

    def undo(self) -> list[Step]:
        """Take back the last decision, or those made together with it, last first.

        Raises:
            as ``undo_step``; what was taken back before the one that could not be stays so.
        """
        self._refuse_changed()
        steps = [self.undo_step()]
        while self._steps and self._steps[-1].group == steps[0].group:
            steps.append(self.undo_step())
        return steps

    def undo_step(self) -> Step:
        """Take back the last save, re-key or ignore; files are as they were, the draft is here
        again.

        Raises:
            NothingToUndoError: nothing is left.
            FixtureChangedError: the file was changed since by another program. Nothing is done, and
                an undo after this one goes on with the step before it.
            OSError: the file cannot be written; the step can be tried again.
        """
        if not self._steps:
            raise NothingToUndoError
        step = self._steps[-1]
        if isinstance(step, IgnoreStep):
            self._set_ignored(step.digest, step.before)
            self._steps.pop()
            return step
        try:
            if isinstance(step, RekeyStep):
                self._move_back(step)
                self._steps.pop()
                return step
            if isinstance(step, FileStep):
                self._store.save(step.digest, step.before, expected=step.after, mode=step.mode)
                self._steps.pop()
                return step
            restored = self._restore_file(step)
        except FixtureChangedError:
            self._steps.pop()
            raise
        self._steps.pop()
        self._forget_save(step, restored)
        self._bring_back_draft(step, restored)
        if step.ignored is not None:
            self._ignore.add(step.digest, step.ignored)
        return step

    def _refuse_changed(self) -> None:
        """Of re-keys made together all are taken back or none. Raises FixtureChangedError for one
        whose file was changed since; it is forgotten, so that an undo after this one goes on.
        """
        group = self._steps[-1].group if self._steps else None
        for step in self._steps:
            if isinstance(step, RekeyStep) and step.group == group:
                now = self._store.stamp(step.digest)
                if now != step.after:
                    self._steps.remove(step)
                    raise FixtureChangedError(step.digest, now)

    def _move_back(self, step: RekeyStep) -> None:
        if step.before is not None:
            self._store.save(step.old, step.before, expected=None, mode=step.mode)
        self._store.delete(step.digest, expected=step.after)
        self.rekeyed.pop(step.digest, None)

    def _restore_file(self, step: SaveStep) -> FileStamp | None:
        """Make the file what it was before ``step``; returns its state, None for no file."""
        if step.before is None:
            self._store.delete(step.digest, expected=step.after)
            return None
        return self._store.save(step.digest, step.before, expected=step.after)

    def _forget_save(self, undone: SaveStep, restored: FileStamp | None) -> None:
        earlier = [
            (place, step)
            for place, step in enumerate(self._steps)
            if isinstance(step, SaveStep) and step.digest == undone.digest
        ]
        if not earlier:
            self.saved.pop(undone.digest, None)
            return
        # The file that the save before had written is there again, under another stamp.
        place, before = earlier[-1]
        if restored is not None and before.after == undone.base:
            self._steps[place] = replace(before, after=restored)

    def _bring_back_draft(self, step: SaveStep, restored: FileStamp | None) -> None:
        """The draft of a save that was taken back, unless more was typed since it."""
        newer = self._drafts.get(step.digest)
        draft = newer if newer is not None and newer.touched else step.draft
        draft.base = restored
        draft.kept_revision = -1  # what is on disk knows the state before
        self._drafts.add(draft)
        # It is here, in memory, whether or not it can be kept on disk.
        with contextlib.suppress(OSError):
            self._drafts.store(step.digest)

    def _set_ignored(self, digest: str, reason: str | None) -> None:
        if reason is None:
            self._ignore.remove(digest)
            self.ignored.pop(digest, None)
        else:
            self._ignore.add(digest, reason)
            self.ignored[digest] = None


def describe(steps: Sequence[Step]) -> str:
    """What taking ``steps`` back did, in a sentence."""
    step = steps[0]
    if all(isinstance(one, RekeyStep) for one in steps):
        which = short(step.digest) if len(steps) == 1 else f"{len(steps)} fixtures"
        return f"Took back the re-key of {which}. Each file is as it was."
    if all(isinstance(one, FileStep) for one in steps):
        which = short(step.digest) if len(steps) == 1 else f"{len(steps)} fixtures"
        return f"Restored {which}: as before."
    if len(steps) > 1:
        return f"Took back {len(steps)} decisions. Their drafts are here again."
    if isinstance(step, SaveStep):
        return f"Took back the save of {short(step.digest)}. Its draft is here again."
    if step.before is not None:  # the reason it was ignored for
        return f"{short(step.digest)} is ignored again."
    return f"{short(step.digest)} is no longer ignored."
