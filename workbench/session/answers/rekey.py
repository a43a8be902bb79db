"""Re-key: move a fixture to the digest of the request that replaced its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.core.apis.table import view
from workbench.core.digest import RequestError, short
from workbench.core.fixture.document import FixtureDocument, set_key, whole_request
from workbench.core.fixture.names import SUFFIX
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError
from workbench.core.requests.differences import Difference
from workbench.core.user_error import UserError
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import SecretFoundError
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import state_of
from workbench.session.undo import UndoEntry

if TYPE_CHECKING:
    from workbench.session.session import Session


class Rekey(NamedTuple):
    """Fixture ``old`` is to answer the miss ``new``. As a copy the old file is kept, too: its own
    request may come again, or it answers several.

    Attributes:
        secret: a warning of what looks like a secret in the new file; "" for none.
        remark: a sentence about what the new file leaves out of the request; "" for nothing.
        is_edited: the new request is the one that the file stores: somebody edited it there.
    """

    old: str
    new: str
    is_copy: bool
    differences: tuple[Difference, ...] = ()
    secret: str = ""
    is_edited: bool = False
    remark: str = ""


class LeftOut(NamedTuple):
    """A request that gets no fixture with the others, and why."""

    new: str
    reason: str


class RekeyPlan(NamedTuple):
    """The planned re-keys, of all stale misses or of all edited fixtures."""

    rekeys: tuple[Rekey, ...]
    left_out: tuple[LeftOut, ...]


class RekeyRefusedError(UserError):
    """A re-key that is not possible."""


def plan_one(session: Session, old: str, new: str) -> Rekey:
    """How the fixture ``old`` would answer the miss ``new``.

    Raises:
        RekeyRefusedError: there is no such fixture, or the miss has one, or its request is not
            known.
    """
    payload = session.miss_index.payload(new)
    if payload is None:
        raise RekeyRefusedError(f"The request of {short(new)} is not in the log.")
    if session.store.stamp(old) is None:
        raise RekeyRefusedError(f"There is no fixture {short(old)}.")
    if session.store.stamp(new) is not None:
        raise RekeyRefusedError(f"{short(new)} has a fixture already.")
    differences = session.nearest.differences(old, view(payload))
    return _planned(session, old, new, differences)


def _planned(session: Session, old: str, new: str, differences: tuple[Difference, ...]) -> Rekey:
    rekey = Rekey(old, new, _is_wanted_twice(session, old, new), differences)
    remark = session.drafting.not_stored(new)
    return rekey._replace(secret=_secret_in(session, rekey), remark=remark)


def _secret_in(session: Session, rekey: Rekey) -> str:
    from workbench.core.fixture import rules
    from workbench.core.secrets import scan as secrets

    try:
        text = _new_text(session, rekey)
    except RekeyRefusedError:
        return ""  # said when it is carried out
    if not secrets.may_stand_in(text):
        return ""
    findings = rules.check(text, rules.Context(f"{rekey.new}{SUFFIX}"))
    found = [finding for finding in findings if finding.rule == "secret"]
    return str(SecretFoundError(found)) if found else ""


def plan_all(session: Session) -> RekeyPlan:
    """How all stale misses would be re-keyed. A miss is left out where it is not certain which
    fixture is meant for it.
    """
    rekeys: list[Rekey] = []
    left_out: list[LeftOut] = []

    @cache  # hundreds of misses may be the same but for an id
    def answer(fixture: str) -> Any:
        return (session.store.current(fixture) or {}).get("response")

    for digest in session.stale.matching:
        if state_of(session, digest).kind != "stale":
            continue
        reason = _uncertainty(session, digest, answer)
        nearest = nearest_of(session, digest) if reason is None else None
        if nearest is not None:
            rekeys.append(_planned(session, nearest.digest, digest, nearest.differences))
        elif reason is not None:
            left_out.append(LeftOut(digest, reason))
    return RekeyPlan(tuple(rekeys), tuple(left_out))


def plan_edited(session: Session) -> RekeyPlan:
    """How each fixture whose stored request was edited would be named after that request."""
    rekeys: list[Rekey] = []
    left_out: list[LeftOut] = []
    taken: set[str] = set()
    for old in sorted(session.store.digests()):
        value = session.store.current(old) or {}
        try:
            request = whole_request(value)
            new = old if request is None else request.digest
        except RequestError:
            continue  # it has no digest, as validate says
        if new == old:
            continue
        if value.get("request_digest") == new:
            reason = f"the file {short(old)} was renamed, its request is the old one."
            left_out.append(LeftOut(new, reason))
        elif new in taken or session.store.stamp(new) is not None:
            left_out.append(LeftOut(new, f"it has a fixture already, {short(old)} is another."))
        else:
            taken.add(new)
            rekeys.append(Rekey(old, new, is_copy=False, is_edited=True))
    return RekeyPlan(tuple(rekeys), tuple(left_out))


def without_secrets(plan: RekeyPlan, remedy: str = "") -> RekeyPlan:
    """A plan that leaves out what would store a secret.

    Args:
        remedy: a sentence on how it can be re-keyed all the same.
    """
    safe = tuple(rekey for rekey in plan.rekeys if not rekey.secret)
    left_out = (
        LeftOut(one.new, f"{one.secret} {remedy}".rstrip()) for one in plan.rekeys if one.secret
    )
    return RekeyPlan(safe, (*plan.left_out, *left_out))


def _uncertainty(session: Session, digest: str, answer: Callable[[str], Any]) -> str | None:
    """Why it is not certain which fixture is meant for a miss; None where it is.

    Args:
        answer: gives the response of a fixture.
    """
    for rival in session.stale.rivals(digest):
        in_same_run = session.miss_index.in_one_run(digest, rival)
        if in_same_run and state_of(session, rival).kind == "stale":
            return (
                f"{short(rival)} was requested in the same run and is the same but for dates and "
                "the like: the fixture could be meant for either."
            )
    fixtures = session.stale.fixtures(digest)
    answers = list(map(answer, fixtures))
    if any(other != answers[0] for other in answers):
        return f"{len(fixtures)} fixtures could be meant: {', '.join(map(short, fixtures))}."
    return None


def _is_wanted_twice(session: Session, old: str, new: str) -> bool:
    """Whether the fixture is needed under its old digest, too: its request came in the same run,
    or another miss could take it.
    """
    return session.miss_index.in_one_run(old, new) or any(
        state_of(session, rival).kind == "stale" and old in session.stale.fixtures(rival)
        for rival in session.stale.rivals(new)
    )


def carried_out(session: Session, plan: RekeyPlan) -> RekeyPlan:
    """Re-key as planned: what was done, and what was left out, also because it failed."""
    outcomes = list(carry_out(session, plan.rekeys))
    failed = [LeftOut(rekey.new, problem) for rekey, problem in outcomes if problem]
    done = tuple(rekey for rekey, problem in outcomes if not problem)
    return RekeyPlan(done, (*plan.left_out, *failed))


def record(session: Session, plan: RekeyPlan) -> dict[str, Any]:
    """A plan, or what was done of it, as a JSON object."""
    return {
        "rekeyed": [
            {
                "old": rekey.old,
                "new": rekey.new,
                "path": str(session.store.path(rekey.new)),
                "copied": rekey.is_copy,
                **({"remark": rekey.remark} if rekey.remark else {}),
            }
            for rekey in plan.rekeys
        ],
        "left_out": [{"new": one.new, "reason": one.reason} for one in plan.left_out],
    }


def carry_out(session: Session, rekeys: Iterable[Rekey]) -> Iterator[tuple[Rekey, str]]:
    """Re-key as one decision, one fixture per step. Yields each with the reason why it failed; ""
    where it did not.
    """
    decision: list[UndoEntry] = []
    for rekey in rekeys:
        problem = _problem_of(session, rekey, decision)
        session.take_files(f"{digest}{SUFFIX}" for digest in (rekey.old, rekey.new))
        yield rekey, problem


def _problem_of(session: Session, rekey: Rekey, decision: list[UndoEntry]) -> str:
    """Re-key one fixture; returns why it failed, "" where it did not."""
    old, new = rekey.old, rekey.new
    base = session.store.stamp(old)
    try:
        data = _new_text(session, rekey).encode("utf-8")
        session.decisions.rekey(old, new, data, base=base, copy=rekey.is_copy, decision=decision)
    except RekeyRefusedError as error:
        return str(error)
    except FixtureChangedError as error:
        return f"{error}."
    except OSError as error:
        return f"Cannot write to {session.store.folder}: {error.strerror}."
    return ""


def _new_text(session: Session, rekey: Rekey) -> str:
    """The text of the new file. Raises RekeyRefusedError where the old one is not a fixture."""
    try:
        document = session.store.document(rekey.old)
        if rekey.is_edited:
            return rekeyed(document, rekey.new, document.value["request"]).text
        return rekeyed(document, rekey.new, session.drafting.request_to_store(rekey.new)).text
    except FileNotFoundError:
        raise RekeyRefusedError(f"There is no fixture {short(rekey.old)} any more.") from None
    except OSError as error:
        raise RekeyRefusedError(f"{short(rekey.old)} cannot be read: {error.strerror}.") from None
    except FixtureError as error:
        raise RekeyRefusedError(f"{short(rekey.old)} cannot be read: {error}.") from None


def rekeyed(
    document: FixtureDocument, digest: str, request: Mapping[str, Any] | None
) -> FixtureDocument:
    """``document`` with another request and digest, every other byte as it was.

    Args:
        request: the new stored request; None removes the old one.
    """
    value = dict(document.value)
    if "request_digest" in value:
        value["request_digest"] = digest
    if request is not None:
        value = set_key(value, "request", request, FIXTURE_FORM)
    else:
        value.pop("request", None)
    return document.with_value(value)
