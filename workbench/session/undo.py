"""Entries of the undo history: what was done about a digest, and how to undo it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.digest import is_digest, short
from workbench.io.store import FileStamp
from workbench.session.drafts import Draft


@dataclass(frozen=True, slots=True)
class SaveEntry:
    """A save: what the file was, what it became, and the draft it came from.

    Attributes:
        before, base: the file's bytes and state before; None where there was none.
        ignored: the reason the digest was on the ignore list for, if it was.
    """

    digest: str
    before: bytes | None
    base: FileStamp | None
    after: FileStamp
    draft: Draft
    ignored: str | None


@dataclass(frozen=True, slots=True)
class IgnoreEntry:
    """A change of the ignore list: the reason before and after; None is "not on it"."""

    digest: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class SkipEntry:
    """A row that was put aside, or taken back.

    Attributes:
        digest: its key, which is that of an unsupported request where it has no digest.
    """

    digest: str
    was_skipped: bool


@dataclass(frozen=True, slots=True)
class RekeyEntry:
    """A fixture that took the digest of another request.

    Attributes:
        digest: the new one; ``old`` is the one it had.
        before: the bytes of the file it was; None where that file stays, and this is a copy.
        mode: its permissions.
        after: the state of the new file.
    """

    digest: str
    old: str
    before: bytes | None
    mode: int | None
    after: FileStamp


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A fixture that was deleted, or mended without a draft.

    Attributes:
        before: its bytes.
        mode: its permissions.
        after: the state of the file now; None where it is gone.
    """

    digest: str
    before: bytes
    mode: int | None
    after: FileStamp | None


UndoEntry = SaveEntry | IgnoreEntry | SkipEntry | RekeyEntry | FileEntry


def files_of(step: UndoEntry) -> tuple[str, ...]:
    """The digests whose files a step changes."""
    match step:
        case RekeyEntry():
            return step.old, step.digest
        case SkipEntry():
            return ()
    return (step.digest,)


def undone_sentence(steps: Sequence[UndoEntry]) -> str:
    """What undoing ``steps`` did, in a sentence."""
    step = steps[0]
    which = short(step.digest) if len(steps) == 1 else f"{len(steps):,} fixtures"
    if all(isinstance(one, RekeyEntry) for one in steps):
        return f"Took back the re-key of {which}. Each file is as it was."
    if all(isinstance(one, FileEntry) for one in steps):
        return f"Restored {which}: as before."
    if len(steps) > 1:
        return f"Took back {len(steps):,} decisions. Their drafts are here again."
    if isinstance(step, SaveEntry):
        return f"Took back the save of {short(step.digest)}. Its draft is here again."
    if isinstance(step, SkipEntry):
        name = short(step.digest) if is_digest(step.digest) else step.digest
        return f"{name} is {'skipped' if step.was_skipped else 'open'} again."
    if step.before is not None:  # the reason it was ignored for
        return f"{short(step.digest)} is ignored again."
    return f"{short(step.digest)} is no longer ignored."
