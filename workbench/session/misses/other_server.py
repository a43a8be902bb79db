"""Servers that do not work as this session does: they compute other digests, or read another
folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.misses.index import MissIndex
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.io.fixture.other_folder import is_other_folder

if TYPE_CHECKING:
    from workbench.session.session import Session


def other_digests(index: MissIndex) -> str:
    """A message about a log whose digests do not match its requests, as part of a sentence: the
    problem, the consequence, and what to do; "" for any other log.
    """
    pairs = index.mispaired
    if not pairs:
        return ""
    digest, logged = next(iter(pairs.items()))
    return (
        "the digests in the log are not those of its requests "
        f"({counted(len(pairs), 'request')}: for example {short(logged)}, not {short(digest)}); "
        "each miss is listed twice, and the server will not find what you save for the request; "
        "run the suite with workbench run, or save each answer under the digest in the log"
    )


def other_digest(index: MissIndex, digest: str) -> str:
    """The same about one miss, of a digest in such a log or of the request after it; "" for any
    other miss.
    """
    pairs = index.mispaired
    for request, logged in pairs.items():
        if logged == digest:
            return (
                f"workbench computes a different digest for its request, listed as "
                f"{short(request)}. Save the answer here, because the server looks for this digest."
            )
    if digest not in pairs:
        return ""
    logged = pairs[digest]
    return (
        f"The log has a different digest for this request, {short(logged)}, so the server will not "
        f"find what you save here. Answer {short(logged)}, or run the suite with workbench run."
    )


def other_folder(session: Session) -> str:
    """The fixtures folder of the log's server, if it is not this session's; else ""."""
    listening = session.miss_index.listening
    named = listening.fixtures if listening is not None else ""
    return named if is_other_folder(named, session.store.folder) else ""
