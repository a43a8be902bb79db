"""One change, many files: find other fixtures whose requests were changed by the same words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from workbench.core.apis.table import view
from workbench.core.fixture.document import whole_request
from workbench.core.fixture.name_prefix import read_prefix
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.request_body import RequestError
from workbench.core.requests.differences import Difference, ReadRequest, differences
from workbench.core.requests.nearest import Nearest
from workbench.core.requests.request_change import RequestChange, is_volatile
from workbench.core.text.digests import short
from workbench.core.user_error import NotFoundError, UserError
from workbench.session.misses.listing import find_answerable
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import DONE, state_of
from workbench.session.rekey.certainty import answers_of, uncertainty
from workbench.session.rekey.later_turns import with_later_turns
from workbench.session.rekey.pairing import rekey_of
from workbench.session.rekey.plan import (
    LeftOut,
    Rekey,
    RekeyPlan,
    RekeyRefusedError,
    without_secrets,
)

if TYPE_CHECKING:
    from workbench.session.session import Session


class PlanWithOthers(NamedTuple):
    """The plan of re-keying one fixture.

    Attributes:
        plan: for the fixture and the fixtures of its later turns.
        others: the re-keys of other fixtures with the same change.
    """

    plan: RekeyPlan
    others: tuple[Rekey, ...]


class _Pair(NamedTuple):
    """A fixture whose request, after the change, equals an open miss."""

    name: str
    new: str
    differences: tuple[Difference, ...]

    @property
    def is_exact(self) -> bool:
        """True if nothing else differs, not even volatile text."""
        return not any(map(is_volatile, self.differences))


def find_change(session: Session, prefix: str) -> RequestChange:
    """The change of a fixture that was or will be re-keyed.

    Args:
        prefix: of its digest before or after; or of a miss, whose nearest fixture will be re-keyed
            (``read_prefix``).

    Raises:
        NotFoundError: none or several digests begin with it, or no fixture and miss are similar.
        UserError: only volatile text was changed.
    """
    begin = read_prefix(prefix).digest
    for each in session.rekeyed_changes.read():
        is_meant = each.old.startswith(begin) or each.new.startswith(begin)
        if is_meant and session.store.names_of(each.new):
            return each.change
    nearest = _nearest_to(session, prefix)
    change = RequestChange.of(nearest.differences)
    if not change.words:
        raise UserError(
            f"{short_name(nearest.name)} stores no request to compare with"
            if nearest.is_guess
            else "only dates and ids differ; move such fixtures with workbench rekey --all"
        )
    return change


def _nearest_to(session: Session, prefix: str) -> Nearest:
    """The fixture nearest to the open miss that begins with ``prefix``; or a fixture that begins
    so, as the nearest to an open miss. Raises NotFoundError.
    """
    digest = find_answerable(session, prefix)
    open_digests = _open(session)
    if digest in open_digests:
        nearest = nearest_of(session, digest)
        if nearest is None:
            raise NotFoundError(f"no fixture is similar to the request {short(digest)}")
        return nearest
    each_nearest = (nearest_of(session, new) for new in open_digests)
    of_fixture = [n for n in each_nearest if n is not None and digest_of(n.name) == digest]
    if not of_fixture:
        raise NotFoundError(
            f"no miss is similar to the request of {short(digest)}; give the digest of a miss"
        )
    return max(of_fixture, key=lambda nearest: nearest.score)


def _open(session: Session) -> list[str]:
    """The misses without a fixture, and later turns that quote another answer than the one that
    their fixture was made for.
    """
    misses = list(session.miss_index.misses)  # more may be added during the loop
    return [digest for digest in misses if state_of(session, digest).kind not in DONE]


def plan_same(session: Session, change: RequestChange) -> RekeyPlan:
    """The re-keys of open misses whose requests are requests of fixtures with ``change``. A miss is
    left out if it is ambiguous which fixture belongs to it. Slow, so call it in a thread.
    """
    fixtures: defaultdict[str, list[str]] = defaultdict(list)
    misses: defaultdict[str, list[str]] = defaultdict(list)
    for pair in _without_doubles(list(_pairs(session, change))):
        fixtures[pair.new].append(pair.name)
        misses[pair.name].append(pair.new)
    rekeys: list[Rekey] = []
    left_out: list[LeftOut] = []
    answers = answers_of(session.store)
    for new in sorted(fixtures, key=list(session.miss_index.misses).index):
        names = fixtures[new]
        rivals = [rival for name in names for rival in misses[name] if rival != new]
        in_same_run = (r for r in rivals if session.miss_index.in_one_run(new, r))
        try:
            rekey = rekey_of(session, names[0], new)
            reason = uncertainty(in_same_run, names, answers)
            if state_of(session, new).kind == "draft":
                reason = "an answer to it is being written."
        except RekeyRefusedError as error:
            reason = error.sentence
        if reason is not None:
            left_out.append(LeftOut(new, reason))
        else:
            rekeys.append(rekey._replace(is_copy=rekey.is_copy or bool(rivals)))
    return with_later_turns(session, RekeyPlan(tuple(rekeys), tuple(left_out)))


def plan_with_others(session: Session, rekey: Rekey) -> PlanWithOthers:
    """The re-keys that go with a fixture, and further fixtures changed by the same words. Slow, so
    call it in a thread.
    """
    plan = with_later_turns(session, RekeyPlan((rekey,), ()))
    change = RequestChange.of(rekey.differences)
    if not change.words:
        return PlanWithOthers(plan, ())
    olds = {old for each in plan.rekeys for old, _ in each.files}
    news = {each.new for each in plan.rekeys}
    others = (
        each
        for each in without_secrets(plan_same(session, change)).rekeys
        if each.new not in news and olds.isdisjoint(old for old, _ in each.files)
    )
    return PlanWithOthers(plan, tuple(others))


def plan_offered(session: Session) -> RekeyPlan:
    """How the fixtures would be re-keyed that have the change of the last one that was re-keyed
    by itself; empty where none is offered. Slow: for a thread.
    """
    offered = session.rekeyed_changes.offered
    if offered is None or offered.new not in session.decisions.rekeyed:
        return RekeyPlan((), ())
    return without_secrets(plan_same(session, offered.change))


def _pairs(session: Session, change: RequestChange) -> Iterator[_Pair]:
    """All pairs of a fixture and an open miss, once for each digest of a fixture."""
    misses: defaultdict[str, dict[str, ReadRequest]] = defaultdict(dict)
    for digest in _open(session):
        payload = session.miss_index.payload(digest)
        if payload is not None and state_of(session, digest).kind != "stale":
            request = ReadRequest(view(payload))
            misses[change.rest(request)][digest] = request
    seen: set[tuple[str, str]] = set()
    for name in sorted(session.store.fixtures()) if misses else ():
        stored = whole_request(session.store.current(name) or {})
        if stored is None:
            continue
        before = ReadRequest(stored)
        for new, after in misses.get(change.rest(before), {}).items():
            if (digest_of(name), new) in seen:
                continue
            try:
                differing = differences(before, after)
            except RequestError:  # nested too deeply
                continue
            if change.explains(differing, before):
                seen.add((digest_of(name), new))
                yield _Pair(name, new, differing)


def _without_doubles(pairs: list[_Pair]) -> list[_Pair]:
    """``pairs`` without pairs of a fixture or a miss that has an exact counterpart."""
    exact = [pair for pair in pairs if pair.is_exact]
    names, misses = {pair.name for pair in exact}, {pair.new for pair in exact}
    return exact + [p for p in pairs if p.name not in names and p.new not in misses]
