"""What to consider before you save a fixture for a miss: an older fixture, or a secret."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from workbench.core.answering.unanswered import secret_line
from workbench.core.apis.table import view
from workbench.core.fixture.names import digest_of
from workbench.core.request_body import RequestError
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.kept_logs import KeptLogs
from workbench.io.state_folder import StateFolder
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.session import Session


class SaveAdvice(NamedTuple):
    """What to consider before you save a fixture for a miss.

    Attributes:
        older: the digest of the nearest fixture if its request is an older form of this one
            (``Nearest.is_older``) and was not sent in the same run, else "".
        secret: why no command saves one, because the request contains a secret; else "".
    """

    older: str
    secret: str


def save_advice(log: Path, folder: Path, digests: Iterable[str]) -> dict[str, SaveAdvice]:
    """The advice for misses of a log, by digest, as far as the log can be read. For a process
    without a session.

    Args:
        folder: of the fixtures.
        digests: of the misses.
    """
    advice: dict[str, SaveAdvice] = {}
    with closing(KeptLogs()) as kept, suppress(OSError, RequestError):
        session = Session(FixtureStore(folder), StateFolder.locate(folder), spool=kept.spool)
        session.take_log(kept.events(log))
        session.nearest.refresh()
        session.equivalents.refresh()
        for digest in digests:
            advice[digest] = _advice(session, digest)
    return advice


def _advice(session: Session, digest: str) -> SaveAdvice:
    nearest = nearest_of(session, digest)
    old = digest_of(nearest.name) if nearest is not None and nearest.is_older else ""
    is_used = bool(old) and session.miss_index.in_one_run(old, digest)
    return SaveAdvice("" if is_used else old, why_not_saved(session, digest))


def why_not_saved(session: Session, digest: str) -> str:
    """Why no command saves a fixture for a miss whose request contains a secret; else ""."""
    payload = session.miss_index.payload(digest)
    return "" if payload is None else secret_line(view(payload))
