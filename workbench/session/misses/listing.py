"""The list of misses and unsupported requests, for the command line, CI and coding agents."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING

from workbench.core.control_api import MissRow, MissState
from workbench.core.misses.miss import Miss

if TYPE_CHECKING:
    from workbench.session.session import Session


def rows_of(session: Session, *, last_run: bool = False, test: str = "") -> list[MissRow]:
    """Each miss and each unsupported request of the logs, as far as they have been read.

    Args:
        last_run: those of the last suite run alone.
        test: only those that a test with this in its name asked; "" for all.
    """
    with suppress(OSError):  # a folder that cannot be read has no fixture
        session.equivalents.refresh()
    last = session.miss_index.last_run
    listed = [row for row in session.miss_index.rows.values() if not last_run or row.run == last]
    wanted = test.casefold()
    return [
        _row(session, row)
        for row in listed
        if not wanted or any(wanted in name.casefold() for name in row.tests)
    ]


def _row(session: Session, row: Miss) -> MissRow:
    about = {
        "count": row.count,
        "first_seen": row.first_seen,
        "last_seen": row.last_seen,
        "ignored": session.ignore_key(row.key) in session.ignore.reasons,
        "run": row.run,
        "tests": list(row.tests),
    }
    if row.unsupported is not None:
        return MissRow.of_unsupported(row.unsupported, **about)
    miss = row
    unanswered: MissState = "broken" if _is_broken_elsewhere(session, miss) else "missing"
    # It depends on the files alone, not on what a person decided.
    kind = session.state(miss.digest).kind
    state: MissState = kind if kind in ("broken", "answered") else unanswered
    payload = session.miss_index.payload(miss.digest)
    return MissRow.of_miss(
        miss.digest,
        payload,
        state=state,
        held=miss.digest in session.held,
        variants=len(miss.dumps),
        **about,
    )


def _is_broken_elsewhere(session: Session, miss: Miss) -> bool:
    """Whether its server has a broken fixture, in a folder that is not here to look at."""
    folder = session.store.folder
    if miss.broken_in is None or not folder.is_dir():
        return miss.broken_in is not None
    named = PurePath(miss.broken_in).parts
    return folder.resolve().parts[-len(named) :] != named
