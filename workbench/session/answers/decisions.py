"""A person's decisions about a miss (save, re-key, skip, ignore), each with its undo."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from workbench.core.fixture.changed_answer import fixture_marks
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.text.digests import is_digest, short
from workbench.core.text.wording import counted
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.ignore_list import IgnoreList
from workbench.io.fixture.store import FixtureChangedError, FixtureStore
from workbench.session.drafts.store import Draft, DraftStore
from workbench.session.undo import UndoEntry, UndoHistory

if TYPE_CHECKING:
    from workbench.core.fixture.findings import Finding


class SaveRefusedError(Exception):
    """A draft with errors is not saved."""

    def __init__(self, errors: list[Finding]) -> None:
        faults = sum(error.is_fault for error in errors)
        left = sum(error.to_fill for error in errors)
        why = counted(faults, "error") if faults else f"{left:,} to fill"
        super().__init__(f"{why}: not saved.")
        self.errors = errors


class SecretFoundError(Exception):
    """A draft that seems to contain a secret is saved only after a warning. If all of it is in the
    stored request, that may be left out.
    """

    def __init__(self, findings: Sequence[Finding]) -> None:
        first, *more = (finding.message.removeprefix("request.") for finding in findings)
        others = f" {len(more)} more like it." if more else ""
        super().__init__(f"{first}.{others} It would be stored.")
        self.in_request = all(finding.path[:1] == ("request",) for finding in findings)


class FileMove(NamedTuple):
    """A fixture that gets another name.

    Attributes:
        old, new: the names.
        base: the state of the old file; None for no file.
        data: the bytes of the new one.
    """

    old: str
    new: str
    base: FileStamp | None
    data: bytes


class Decisions:
    """The decisions of this session. Each is noted in the undo history.

    Methods that take a ``decision`` can be part of a larger one, which is undone as a whole: they
    append their entry to it. None is a decision of its own.

    Attributes:
        saved, rekeyed, ignored: digests promoted, re-keyed, and put on the ignore list or taken
            off it in this session, in order, each with how often.
        taken_back: by digest, the marks of the answers whose save was undone.
    """

    def __init__(
        self, store: FixtureStore, drafts: DraftStore, ignore: IgnoreList, history: UndoHistory
    ) -> None:
        self.saved, self.rekeyed = history.made["save"], history.made["re-key"]
        self.ignored = history.made["ignore"]
        self.taken_back: dict[str, frozenset[int]] = {}
        self.skipped: set[str] = set()
        self.marked: set[str] = set()
        self._store = store
        self._drafts = drafts
        self._ignore = ignore
        self._history = history
        # The states of files that an undo restored, by the states they had before.
        self._restored: dict[FileStamp, FileStamp] = {}

    # Save

    def save(
        self,
        draft: Draft,
        findings: Sequence[Finding],
        *,
        text: str | None = None,
        overwrite: bool = False,
        secrets: bool = False,
        decision: list[UndoEntry] | None = None,
    ) -> FileStamp:
        """Write the draft's text as the fixture of its digest and forget the draft. Returns the
        state of the file.

        Args:
            text: of the file, if it is another one than the draft's.

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
        secret_findings = [finding for finding in findings if finding.rule == "secret"]
        if secret_findings and not secrets:
            raise SecretFoundError(secret_findings)
        name, digest = draft.name, digest_of(draft.name)
        if overwrite:
            draft.base = self._store.stamp(name)
        before, base = self._store.read(name), draft.base
        reason = self._ignore.reasons.get(digest)
        data = (draft.text if text is None else text).encode("utf-8")
        after = self._store.save(name, data, expected=base)
        undo = partial(self._unsave, draft, before, base, after, reason)
        sentence = f"Undid the save of {short(digest)}. Its draft is back."
        self._history.add(
            UndoEntry("save", digest, sentence, undo, (name,), {name: after}), decision
        )
        self._put_away(digest)
        # The fixture is saved, even if the rest fails.
        with contextlib.suppress(OSError):
            self._drafts.remove(name)
        if reason is not None:
            with contextlib.suppress(OSError):
                self._ignore.remove(digest)
        return after

    def _unsave(
        self,
        draft: Draft,
        before: bytes | None,
        base: FileStamp | None,
        after: FileStamp,
        reason: str | None,
    ) -> None:
        """Undo a save.

        Args:
            before, base: the file's bytes and state before; None where there was none.
            reason: why the digest was on the ignore list, if it was.
        """
        name, digest = draft.name, digest_of(draft.name)
        marks = fixture_marks(self._store.current(name) or {})
        restored = self._restore(name, before, base, after)
        self.taken_back[digest] = self.taken_back.get(digest, frozenset()) | marks
        newer = self._drafts.get(name)
        if newer is not None and newer.touched:
            draft = newer
        draft.base = restored
        draft.kept_revision = -1  # the draft file on disk has another base
        draft.history.changed(draft.state())
        self._drafts.add(draft)
        # Both are restored in memory, even if they cannot be written to disk.
        with contextlib.suppress(OSError):
            self._drafts.store(name)
        if reason is not None:
            with contextlib.suppress(OSError):
                self._ignore.add(digest, reason)

    def _put_away(self, digest: str) -> None:
        """Remove a digest from the skipped and the marked ones: it was decided."""
        self.skipped.discard(digest)
        self.marked.discard(digest)

    # Files

    def _restore(
        self,
        name: str,
        before: bytes | None,
        base: FileStamp | None,
        after: FileStamp | None,
        mode: int | None = None,
    ) -> FileStamp | None:
        """Make a file what it was before a decision; returns its state, None for no file.

        Args:
            before, base: the bytes and the state it had.
            after: the state the decision left it in, or an undo of a later one.
        """
        if after is not None:
            after = self._restored.get(after, after)
        if before is None:
            self._store.delete(name, expected=after)
            return None
        restored = self._store.save(name, before, expected=after, mode=mode)
        if base is not None:
            self._restored[base] = restored
        return restored

    def rekey(
        self,
        digest: str,
        moves: Sequence[FileMove],
        *,
        copy: bool,
        decision: list[UndoEntry] | None = None,
    ) -> None:
        """Write the fixtures of ``digest``, and delete the files they were made from, unless they
        are copies.

        Raises:
            FixtureChangedError: a fixture has a file already, or an old one changed.
            OSError: a file cannot be written or deleted. Nothing is changed in either case.
        """
        back = [
            FileMove(move.new, move.old, None, self._store.read(move.old) or b"") for move in moves
        ]
        written = self._move(moves, copy=copy)
        back = [move._replace(base=written[move.old]) for move in back]
        undo: Callable[[], object] = (
            partial(self._delete, written) if copy else partial(self._move, back, copy=False)
        )
        sentence = f"Undid the move of {short(digest)}. Each file is as it was."
        files = tuple(name for move in moves for name in move[:2])
        self._history.add(UndoEntry("re-key", digest, sentence, undo, files, written), decision)
        self._put_away(digest)

    def _move(self, moves: Sequence[FileMove], *, copy: bool) -> dict[str, FileStamp]:
        """Write new files, and delete the old ones unless ``copy``; returns the states of the new
        ones by their names. If one fails, nothing is changed.
        """
        written: dict[str, FileStamp] = {}
        deleted: list[tuple[str, bytes, int | None]] = []
        try:
            for move in moves:
                mode = self._store.mode(move.old)
                written[move.new] = self._store.save(move.new, move.data, expected=None, mode=mode)
            for move in [] if copy else moves:
                before = self._store.read(move.old) or b"", self._store.mode(move.old)
                self._store.delete(move.old, expected=move.base)
                deleted.append((move.old, *before))
        except (FixtureChangedError, OSError):
            for name, data, mode in deleted:
                self._store.save(name, data, expected=None, mode=mode)
            self._delete(written)
            raise
        return written

    def _delete(self, states: Mapping[str, FileStamp]) -> None:
        """Delete files that are in these states; none if one is in another."""
        for name, stamp in states.items():
            if (now := self._store.stamp(name)) != stamp:
                raise FixtureChangedError(name, now)
        for name, stamp in states.items():
            self._store.delete(name, expected=stamp)

    def rewrite(
        self,
        name: str,
        data: bytes | None,
        *,
        base: FileStamp,
        decision: list[UndoEntry] | None = None,
    ) -> None:
        """Change the file of a fixture that the caller saw in the state ``base``, or delete it with
        None.

        Raises:
            FixtureChangedError: the file changed since; nothing is done.
            OSError: it cannot be written.
        """
        before, mode = self._store.read(name), self._store.mode(name)
        if before is None:
            raise FixtureChangedError(name, None)
        after = None
        if data is None:
            self._store.delete(name, expected=base)
        else:
            after = self._store.save(name, data, expected=base)
        undo = partial(self._restore, name, before, base, after, mode)
        sentence = f"Restored {short_name(name)}."
        self._history.add(UndoEntry("file", name, sentence, undo, (name,), {name: after}), decision)

    # Skip and ignore

    def skip(self, key: str) -> bool:
        """Skip or unskip a row. Return True if it is now skipped."""
        was_skipped = key in self.skipped

        def set_skipped(is_skipped: bool) -> None:
            self.skipped = self.skipped | {key} if is_skipped else self.skipped - {key}

        name = short(key) if is_digest(key) else key
        sentence = f"{name} is {'skipped' if was_skipped else 'open'} again."
        self._history.add(UndoEntry("skip", key, sentence, partial(set_skipped, was_skipped)))
        set_skipped(not was_skipped)
        return not was_skipped

    def ignore(self, digest: str, reason: str | None) -> None:
        """Put on the ignore list with ``reason``, or take off it with None. Raises OSError."""
        before = self._ignore.reasons.get(digest)
        if before == reason:
            return
        self._set_ignored(digest, reason)
        undo = partial(self._set_ignored, digest, before)
        sentence = (
            f"{short(digest)} is {'no longer ignored' if before is None else 'ignored again'}."
        )
        self._history.add(UndoEntry("ignore", digest, sentence, undo, (digest,)))

    def _set_ignored(self, digest: str, reason: str | None) -> None:
        if reason is None:
            self._ignore.remove(digest)
        else:
            self._ignore.add(digest, reason)
