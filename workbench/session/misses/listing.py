"""The list of misses and unsupported requests, for the command line, CI and coding agents."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.fixture.name_prefix import read_prefix
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.misses.miss import Miss
from workbench.core.misses.record import MissRecord, RecordState
from workbench.core.text.digests import short
from workbench.core.text.wording import shortlist
from workbench.core.user_error import NotFoundError
from workbench.session.misses.states import ignore_key, state_of

if TYPE_CHECKING:
    from workbench.session.session import Session


def records(session: Session, *, last_run: bool = False, test: str = "") -> list[MissRecord]:
    """Each miss and each unsupported request of the logs, as far as they have been read.

    Args:
        last_run: only requests of the last suite run.
        test: only requests from tests with this in their names; "" for all.
    """
    with suppress(OSError):  # a folder that cannot be read has no fixture
        session.equivalents.refresh()
    last, name = session.miss_index.last_run, test.casefold()
    return [
        _record(session, miss)
        for miss in session.miss_index.rows.values()
        if (not last_run or miss.run == last)
        and (not name or any(name in each.casefold() for each in miss.tests))
    ]


def json_record(row: MissRecord) -> dict[str, Any]:
    """A row as a JSON object, with times in RFC 3339."""
    record = row.record()
    return record | {key: _with_offset(record[key]) for key in ("first_seen", "last_seen")}


def _with_offset(time: str | None) -> str | None:
    """``2026-11-20T10:09:22+01:00`` for a local time in ISO 8601, as logs have it."""
    return None if time is None else datetime.fromisoformat(time).astimezone().isoformat()


def _record(session: Session, miss: Miss) -> MissRecord:
    is_ignored = ignore_key(session, miss.key) in session.ignore.reasons
    if miss.unsupported is not None:
        return MissRecord.of(miss, ignored=is_ignored)
    unanswered: RecordState = "broken" if _is_broken_elsewhere(session, miss) else "missing"
    # It depends on the files alone, not on what a person decided.
    kind = state_of(session, miss.digest).kind
    return MissRecord.of(
        miss,
        session.miss_index.payload(miss.digest),
        state=kind if kind in ("broken", "answered") else unanswered,
        ignored=is_ignored,
        held=miss.digest in session.held,
    )


def _is_broken_elsewhere(session: Session, miss: Miss) -> bool:
    """True if the server has a broken fixture, in a folder that is not accessible here."""
    folder = session.store.folder
    if miss.broken_in is None or not folder.is_dir():
        return miss.broken_in is not None
    named = PurePath(miss.broken_in).parts
    return folder.resolve().parts[-len(named) :] != named


def find_miss(session: Session, prefix: str) -> str:
    """The digest of the miss that begins with ``prefix`` (``read_prefix``).

    Raises:
        NotFoundError: none or several do, or it is not the beginning of a digest.
    """
    matches = _misses_of(session, prefix)
    if len(matches) == 1:
        return matches[0]
    if matches:
        candidates = shortlist(map(short, matches))
        raise NotFoundError(
            f"{len(matches)} misses begin with {prefix}; give more digits: {candidates}"
        )
    answered = next(filter(read_prefix(prefix).begins, session.store.fixtures()), None)
    if answered is not None:
        raise NotFoundError(
            f"no miss in the log begins with {prefix}, but a fixture does: {short_name(answered)}"
        )
    raise NotFoundError(f"no miss in the log begins with {prefix}")


def _misses_of(session: Session, prefix: str) -> list[str]:
    begin = read_prefix(prefix).digest
    return [digest for digest in session.miss_index.misses if digest.startswith(begin)]


def find_answerable(session: Session, prefix: str) -> str:
    """The digest of a miss as in ``find_miss``, else of a fixture, because the log of the last run
    does not contain misses that were answered before it. Raises as ``find_miss``.
    """
    session.store.refuse_elsewhere(prefix)
    if _misses_of(session, prefix):
        return find_miss(session, prefix)
    if not any(map(read_prefix(prefix).begins, session.store.fixtures())):
        raise NotFoundError(
            f"no miss in the log and no fixture in {session.store.folder} begins with {prefix}"
        )
    return digest_of(session.store.find_all(prefix)[0])


def find_variant(session: Session, digest: str, prefix: str) -> int | None:
    """The number of the request, from 1, whose variant is in ``prefix`` (``read_prefix``); None
    where it has none.

    Raises:
        NotFoundError: none or several requests of the miss have it.
    """
    variant = read_prefix(prefix).variant
    if not variant:
        return None
    requests = map(view, session.miss_index.payloads(digest))
    matches = [n for n, each in enumerate(requests, 1) if each.variant.startswith(variant)]
    if len(matches) != 1:
        which = "no request" if not matches else f"{len(matches)} requests"
        raise NotFoundError(f"{which} of {short(digest)} in the log: variant {variant}")
    return matches[0]


def shared_digest_warning(session: Session, digest: str) -> str:
    """A warning about a miss whose requests differ, with the keys they differ in; "" where there
    is only one, or each has a fixture of its own.
    """
    payloads = session.miss_index.payloads(digest)
    if len(payloads) < 2 or _has_one_for_each(session, digest, payloads):
        return ""
    first, *others = payloads
    differing = {
        key
        for other in others
        for key in first.keys() | other.keys()
        if (key in first) != (key in other) or first.get(key) != other.get(key)
    }
    what = shortlist(sorted(differing)) if differing else "how they are written"
    is_partly = session.miss_fixtures.first_open(digest) is not None
    answered = (
        "its fixture does not answer all of them"
        if is_partly
        else "one fixture answers all of them"
    )
    shared = f"{len(payloads)} requests share the digest {short(digest)} and differ in {what}"
    return f"{shared}; {answered}"


def _has_one_for_each(session: Session, digest: str, payloads: list[dict[str, Any]]) -> bool:
    names = {session.store.own_name(digest, view(payload)) for payload in payloads}
    return len(names) == len(payloads) and all(map(session.store.stamp, names))
