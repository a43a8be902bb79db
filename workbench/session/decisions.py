"""What a person decides about a miss: save, skip, ignore; and taking it back."""

from __future__ import annotations

from dataclasses import dataclass

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


class NothingToUndoError(Exception):
    """No decision of this session is left to take back."""


@dataclass(frozen=True, slots=True)
class SaveStep:
    """A save: what the file was, what it became, and the draft it came from."""

    digest: str
    before: bytes | None
    after: FileStamp | None
    draft: Draft
    ignored: str | None


@dataclass(frozen=True, slots=True)
class IgnoreStep:
    """A change of the ignore list: the reason before and after; None is "not on it"."""

    digest: str
    before: str | None
    after: str | None


class Decisions:
    """The decisions of this session and the way back.

    Attributes:
        saved: digests promoted in this session, in order.
        skipped: digests put aside in this session.
    """

    def __init__(self, store: FixtureStore, drafts: DraftBook, ignore: IgnoreList) -> None:
        self.saved: dict[str, None] = {}
        self.skipped: set[str] = set()
        self._store = store
        self._drafts = drafts
        self._ignore = ignore
        self._steps: list[SaveStep | IgnoreStep] = []

    def save(self, draft: Draft, errors: list[Finding], *, overwrite: bool = False) -> None:
        """Write the draft's text as the fixture of its digest and forget the draft.

        Raises:
            SaveRefusedError: there are errors.
            FixtureChangedError: another program wrote or deleted the file since the draft began;
                ``overwrite`` takes what is there now as seen.
            OSError: the file cannot be written. The draft is kept in every case.
        """
        if errors:
            raise SaveRefusedError(errors)
        digest = draft.digest
        if overwrite:
            draft.base = self._store.stamp(digest)
        before = self._store.read(digest)
        ignored = self._ignore.reasons.get(digest)
        after = self._store.save(digest, draft.text.encode("utf-8"), expected=draft.base)
        self._steps.append(SaveStep(digest, before, after, draft, ignored))
        self.saved[digest] = None
        self.skipped.discard(digest)
        self._drafts.remove(digest)
        if ignored is not None:
            self._ignore.remove(digest)

    def skip(self, digest: str) -> bool:
        """Put aside, or take that back; returns whether it is skipped now."""
        self.skipped ^= {digest}
        return digest in self.skipped

    def ignore(self, digest: str, reason: str | None) -> None:
        """Put on the ignore list with ``reason``, or take off it with None. Raises OSError."""
        before = self._ignore.reasons.get(digest)
        self._set_ignored(digest, reason)
        self._steps.append(IgnoreStep(digest, before, reason))

    def undo(self) -> SaveStep | IgnoreStep:
        """Take back the last save or ignore; files are as they were, the draft is here again.

        Raises:
            NothingToUndoError: nothing is left.
            FixtureChangedError: the file was changed since by another program. Nothing is done, and
                an undo after this one goes on with the step before it.
            OSError: the file cannot be written; the step can be tried again.
        """
        if not self._steps:
            raise NothingToUndoError
        step = self._steps[-1]
        try:
            if isinstance(step, SaveStep):
                self._take_back(step)
            else:
                self._set_ignored(step.digest, step.before)
        except FixtureChangedError:
            self._steps.pop()
            raise
        self._steps.pop()
        return step

    def _take_back(self, step: SaveStep) -> None:
        if step.before is None:
            self._store.delete(step.digest, expected=step.after)
            step.draft.base = None
        else:
            step.draft.base = self._store.save(step.digest, step.before, expected=step.after)
        if all(s.digest != step.digest for s in self._steps[:-1] if isinstance(s, SaveStep)):
            self.saved.pop(step.digest, None)
        self._drafts.add(step.draft)
        self._drafts.store(step.digest)
        if step.ignored is not None:
            self._ignore.add(step.digest, step.ignored)

    def _set_ignored(self, digest: str, reason: str | None) -> None:
        if reason is None:
            self._ignore.remove(digest)
        else:
            self._ignore.add(digest, reason)


def describe(step: SaveStep | IgnoreStep) -> str:
    """What taking ``step`` back did, in a sentence."""
    if isinstance(step, SaveStep):
        return f"Took back the save of {short(step.digest)}. Its draft is here again."
    if step.after is None:
        return f"{short(step.digest)} is ignored again."
    return f"{short(step.digest)} is no longer ignored."
