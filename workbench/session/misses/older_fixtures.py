"""The fixtures of older forms of requests, from a log, for a process without a session."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from workbench.core.fixture.names import digest_of
from workbench.core.request_body import RequestError
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.kept_logs import KeptLogs
from workbench.io.state_folder import StateFolder
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.session import Session


def older_fixtures(log: Path, folder: Path, digests: Iterable[str]) -> dict[str, str]:
    """For the misses of a log whose nearest fixture is that of an older form of the request
    (``Nearest.is_older``) and was not used in the same run: its digest.

    Args:
        folder: of the fixtures.
        digests: of the misses.
    """
    older = {}
    with closing(KeptLogs()) as kept:
        try:
            session = Session(FixtureStore(folder), StateFolder.locate(folder), spool=kept.spool)
            session.take_log(kept.events(log))
            session.nearest.refresh()
            session.equivalents.refresh()
            for digest in digests:
                nearest = nearest_of(session, digest)
                if nearest is not None and nearest.is_older:
                    old = digest_of(nearest.name)
                    if not session.miss_index.in_one_run(old, digest):
                        older[digest] = old
        except (OSError, RequestError):
            return older
    return older
