"""Making every certain fix in many fixtures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.core.fixtures.document import FixtureError, decode
from workbench.core.fixtures.mending import Mended, mend
from workbench.core.fixtures.rules import Context
from workbench.io.store import SUFFIX, FileStamp, FixtureChangedError
from workbench.session.session import Session
from workbench.session.steps import Step


@dataclass(frozen=True, slots=True)
class FileMending:
    """What mending would do to one file.

    Attributes:
        base: the state of the file it was worked out for.
    """

    digest: str
    base: FileStamp
    before: str
    mended: Mended


def work_out(session: Session, digest: str) -> FileMending | None:
    """What can be mended in the file of a digest; None where nothing can. Files with a draft that
    somebody wrote into are left alone.
    """
    draft = session.drafts.get(digest)
    base = session.store.stamp(digest)
    if base is None or (draft is not None and draft.touched):
        return None
    try:
        data = session.store.read(digest)
        before = decode(data or b"")
    except FixtureError as error:
        if error.fix is None:
            return None
        before = error.text
    except OSError:
        return None
    context = Context(filename=f"{digest}{SUFFIX}", requests=tuple(session.book.payloads(digest)))
    mended = mend(before, context)
    return FileMending(digest, base, before, mended) if mended.made else None


def make(session: Session, mendings: Iterable[FileMending]) -> Iterator[tuple[str, bool]]:
    """Write mended files as one decision, one each time the next is asked for. Gives the digest of
    each, and whether it was written: a file that changed meanwhile is left, and so is one that
    cannot be written.
    """
    steps: list[Step] = []
    for mending in mendings:
        data = mending.mended.text.encode("utf-8")
        try:
            with session.decisions.together(steps):
                session.decisions.rewrite(mending.digest, data, base=mending.base)
        except (FixtureChangedError, OSError):
            yield mending.digest, False
        else:
            yield mending.digest, True


def titles(mendings: Iterable[FileMending]) -> list[tuple[str, int]]:
    """What would be done, each with how often."""
    made = (finding for mending in mendings for finding in mending.mended.made)
    return Counter(finding.fix.title for finding in made if finding.fix).most_common()
