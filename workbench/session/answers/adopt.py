"""Adopt: store requests of a log in the fixtures that answer them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.core.fixture.document import set_key, stored_request, whole_request
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError
from workbench.io.fixture.store import FixtureChangedError

if TYPE_CHECKING:
    from workbench.session.session import Session


_PARTIAL: Final = "The fixture leaves out the messages of its request, which is not in the log."


@dataclass
class Adoption:
    """What became of the fixtures that hold no request, by their digests.

    Attributes:
        adopted: those whose request was stored.
        unknown: those whose request is not in the log.
        left_out: those whose request cannot be stored, each with the reason.
        partial: those that hold their requests without the messages, now or before, each with a
            sentence.
    """

    adopted: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    partial: list[tuple[str, str]] = field(default_factory=list)


def adopt(session: Session, *, dry_run: bool = False) -> Adoption:
    """Store the requests of a log in the fixtures of the folder that hold none, every other byte of
    their files as it was. Raises OSError where the folder cannot be read.

    Args:
        dry_run: write nothing.
    """
    found = Adoption()
    for digest in sorted(session.store.digests()):
        value = session.store.current(digest)
        if value is None:
            found.left_out.append((digest, "the file cannot be read."))
        elif whole_request(value) is None:
            has_part = stored_request(value) is not None
            remark = session.drafting.not_stored(digest)
            miss = session.miss_index.misses.get(digest)
            if has_part and (remark or miss is None or not miss.dumps):
                found.partial.append((digest, remark or _PARTIAL))
                continue
            if miss is None or not miss.dumps:
                found.unknown.append(digest)
            elif problem := _problem_of(session, digest, dry_run=dry_run):
                found.left_out.append((digest, problem))
            else:
                found.adopted.append(digest)
                if remark:
                    found.partial.append((digest, remark))
    return found


def _problem_of(session: Session, digest: str, *, dry_run: bool) -> str:
    """Store the request of one fixture; returns why that is not possible, "" where it is."""
    request = session.drafting.request_to_store(digest)
    if request is None:
        return session.drafting.not_stored(digest) or "store_request is false."
    try:
        stamp, document = session.store.stamp(digest), session.store.document(digest)
        text = document.with_value(set_key(document.value, "request", request, FIXTURE_FORM)).text
        if not dry_run:
            session.store.save(digest, text.encode("utf-8"), expected=stamp)
    except (FixtureError, FixtureChangedError) as error:
        return f"{error}."
    except OSError as error:
        return f"cannot be written: {error.strerror}."
    return ""
