"""Adopt: store requests of a log in the fixtures that answer them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.fixtures.document import TOP_KEYS, set_key
from workbench.core.replies.response import FixtureError
from workbench.io.fixtures.store import FixtureChangedError

if TYPE_CHECKING:
    from workbench.session.session import Session


@dataclass
class Lacking:
    """The fixtures that hold no request, by their digests.

    Attributes:
        known: those whose request is in the log.
        unknown: those whose request is not.
        refused: those whose request cannot be stored, each with the reason.
    """

    known: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def lacking(session: Session) -> Lacking:
    """The fixtures of the folder that hold no request. Raises OSError."""
    found = Lacking()
    for digest in sorted(session.store.digests()):
        value = session.store.current(digest)
        if value is None:
            found.refused.append((digest, "the file cannot be read."))
        elif not isinstance(value.get("request"), dict):
            miss = session.miss_index.misses.get(digest)
            if miss is None or not miss.dumps:
                found.unknown.append(digest)
            elif session.drafting.request_to_store(digest) is None:
                reason = "its request is over 256 KiB, holds NaN, or store_request is false."
                found.refused.append((digest, reason))
            else:
                found.known.append(digest)
    return found


def adopt(session: Session, digests: Iterable[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Store the requests of ``digests``, every other byte of their files as it was. Returns those
    that were stored, and those that could not be with the reason.
    """
    adopted, failed = [], []
    for digest in digests:
        try:
            stamp, document = session.store.stamp(digest), session.store.document(digest)
            request = session.drafting.request_to_store(digest)
            value = set_key(document.value, "request", request, TOP_KEYS)
            text = document.with_value(value).text
            session.store.save(digest, text.encode("utf-8"), expected=stamp)
        except (FixtureError, FixtureChangedError) as error:
            failed.append((digest, f"{error}."))
        except OSError as error:
            failed.append((digest, f"cannot be written: {error.strerror}."))
        else:
            adopted.append(digest)
    return adopted, failed
