"""Re-keying as planned: the files are written, as one decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.core.fixture.names import file_name
from workbench.core.requests.differences import Difference
from workbench.core.requests.request_change import RequestChange
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import FileMove
from workbench.session.rekey.changes import RekeyedChange
from workbench.session.rekey.new_file import new_text
from workbench.session.rekey.plan import (
    NO_BEGINNING,
    LeftOut,
    Rekey,
    RekeyPlan,
    RekeyRefusedError,
)
from workbench.session.undo import UndoEntry

if TYPE_CHECKING:
    from workbench.session.session import Session


def carried_out(session: Session, plan: RekeyPlan) -> RekeyPlan:
    """Re-key as planned: what was done, and what was left out, also because it failed."""
    outcomes = list(carry_out(session, plan.rekeys))
    failed = [LeftOut(rekey.new, problem) for rekey, problem in outcomes if problem]
    done = tuple(rekey for rekey, problem in outcomes if not problem)
    return RekeyPlan(done, (*plan.left_out, *failed))


def carry_out(session: Session, rekeys: Iterable[Rekey]) -> Iterator[tuple[Rekey, str]]:
    """Re-key as one decision, the fixtures of one digest per step. Yields each with the reason why
    it failed; "" where it did not. The later turns of one that failed stay. The changes are kept,
    for others of the same kind.
    """
    decision: list[UndoEntry] = []
    changed: list[RekeyedChange] = []
    failed: set[str] = set()
    try:
        for rekey in rekeys:
            if rekey.follows in failed:
                problem = NO_BEGINNING
            else:
                problem = _problem_of(session, rekey, decision)
            if problem:
                failed.add(rekey.new)
            session.take_files(file_name(name) for pair in rekey.files for name in pair)
            change = RequestChange.of(rekey.differences)
            if change.words and not problem and _may_be_kept(rekey):
                changed.append(RekeyedChange(rekey.old, rekey.new, change))
            yield rekey, problem
    finally:
        session.rekeyed_changes.add(changed)


def _may_be_kept(rekey: Rekey) -> bool:
    """True if the changed words contain no secret of the old request or the new one."""
    from workbench.core.secrets import scan as secrets

    texts = [text for each in rekey.differences for text in _texts(each)]
    return not any(secrets.find(text) for text in texts)


def _texts(difference: Difference) -> Iterator[str]:
    before, after = difference.before_text, difference.after_text
    yield from filter(None, (before or difference.before, after or difference.after))


def _problem_of(session: Session, rekey: Rekey, decision: list[UndoEntry]) -> str:
    """Re-key the fixtures of one digest; returns why it failed, "" where it did not."""
    try:
        moves = [
            FileMove(
                old,
                new,
                base=session.store.stamp(old),
                data=new_text(session, rekey, old, new).encode("utf-8"),
            )
            for old, new in rekey.files
        ]
        session.decisions.rekey(rekey.new, moves, copy=rekey.is_copy, decision=decision)
    except RekeyRefusedError as error:
        return error.sentence
    except FixtureChangedError as error:
        return f"{error}."
    except OSError as error:
        return f"Cannot write to {session.store.folder}: {error.strerror}."
    return ""
