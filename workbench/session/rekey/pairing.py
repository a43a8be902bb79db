"""One fixture, and the miss that it is to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.apis.table import view
from workbench.core.fixture.document import stored_request
from workbench.core.fixture.names import digest_of, short_name, variant_name, variant_of
from workbench.core.requests.differences import Difference
from workbench.core.requests.view import RequestView
from workbench.core.text.digests import short
from workbench.session.misses.states import state_of
from workbench.session.rekey.later_turns import with_later_turns
from workbench.session.rekey.new_file import secret_in
from workbench.session.rekey.plan import Rekey, RekeyPlan, RekeyRefusedError

if TYPE_CHECKING:
    from workbench.session.session import Session


def plan_one(session: Session, old: str, new: str) -> RekeyPlan:
    """The re-key of a fixture to the miss ``new``, as ``rekey_of``, with the fixtures of later
    turns. Reads all fixtures, so call it in a thread.
    """
    return with_later_turns(session, RekeyPlan((rekey_of(session, old, new),), ()))


def rekey_of(session: Session, old: str, new: str) -> Rekey:
    """The re-key of a fixture to the miss ``new``, with the other fixtures of its digest. A fixture
    with the digest of the miss is renamed only for the first request without an answer.

    Args:
        old: the digest of the fixture, or its name.

    Raises:
        RekeyRefusedError: the fixture does not exist, the miss has one, or its request is unknown.
    """
    payload = session.miss_index.payload(new)
    if payload is None:
        raise RekeyRefusedError(f"the request of {short(new)} is not in the log")
    names = session.store.names_of(digest_of(old))
    if not names:
        raise RekeyRefusedError(f"there is no fixture {short_name(old)}")
    name = old if old in names else names[0]
    return planned_for(session, name, new, session.nearest.differences(name, view(payload)))


def planned_for(
    session: Session, name: str, new: str, differences: tuple[Difference, ...]
) -> Rekey:
    """The same for a fixture by its name. Raises RekeyRefusedError where the miss has one."""
    old = digest_of(name)
    if old != new:
        files = _new_names(session, old, new)
        is_copy = _is_wanted_twice(session, old, new)
    elif session.store.stamp(new) is not None:
        files, is_copy = [], False
    else:
        number = session.miss_fixtures.first_open(new) or 0
        requests = [view(payload) for payload in session.miss_index.payloads(new)]
        files = [(name, variant_name(new, requests[number]))]
        is_copy = any(request.variant == variant_of(name) for request in requests)
    free = tuple(pair for pair in files if session.store.stamp(pair[1]) is None)
    if not free:
        raise RekeyRefusedError(f"the request {short(new)} has a fixture already")
    rekey = Rekey(old, new, is_copy, free, differences)
    remark = session.drafting.not_stored(new)
    return rekey._replace(secret=secret_in(session, rekey), remark=remark)


def _new_names(session: Session, old: str, new: str) -> list[tuple[str, str]]:
    """The old and the new name of each fixture of a digest. A variant whose tools changed gets the
    digits of the request in the log that offers tools of the same names.
    """
    requests = [view(payload) for payload in session.miss_index.payloads(new)]
    names = session.store.names_of(old)
    taken = {variant_of(name) for name in names}
    left = {request.variant: request for request in requests if request.variant not in taken}
    variants = {request.variant for request in requests}
    pairs = []
    for name in names:
        variant = variant_of(name)
        if variant and variant not in variants:
            stored = stored_request(session.store.current(name) or {})
            alike = (v for v, request in left.items() if stored and _are_alike(stored, request))
            variant = next(alike, variant)
            left.pop(variant, None)
        pairs.append((name, f"{new}.{variant}" if variant else new))
    return pairs


def _are_alike(before: RequestView, after: RequestView) -> bool:
    """True if two requests offer tools of the same names, and require the same kind of output."""
    names = [{tool.name for tool in request.tools} for request in (before, after)]
    return names[0] == names[1] and before.output_format.kind == after.output_format.kind


def _is_wanted_twice(session: Session, old: str, new: str) -> bool:
    """True if the fixture is needed under its old digest as well, because its request was sent in
    the same run, or another miss could take it.
    """
    return session.miss_index.in_one_run(old, new) or any(
        state_of(session, rival).kind == "stale" and old in session.stale.fixtures(rival)
        for rival in session.stale.rivals(new)
    )
