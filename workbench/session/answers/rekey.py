"""Re-key: move a fixture to the digest of the request that replaced its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.core.apis.table import api_of, view
from workbench.core.fixture.description import redescribed
from workbench.core.fixture.document import (
    FixtureDocument,
    set_key,
    stored_request,
    whole_request,
)
from workbench.core.fixture.names import (
    digest_of,
    file_name,
    is_variant,
    short_name,
    variant_name,
    variant_of,
)
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError, responses
from workbench.core.request_body import RequestError
from workbench.core.requests.continuation import with_beginning
from workbench.core.requests.conversations import conversation_id
from workbench.core.requests.differences import Difference
from workbench.core.requests.request_change import RequestChange, is_volatile
from workbench.core.requests.view import Payload, RequestView
from workbench.core.text.digests import short
from workbench.core.user_error import UserError
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import FileMove, SecretFoundError
from workbench.session.answers.rekeyed_changes import RekeyedChange
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import state_of
from workbench.session.undo import UndoEntry

if TYPE_CHECKING:
    from workbench.core.fixture.findings import Finding
    from workbench.session.session import Session


class Rekey(NamedTuple):
    """The fixtures of the digest ``old`` are to answer the miss ``new``: its own, and its variants.
    As copies the old files are kept, too: their own request may come again, or they answer several.

    Attributes:
        files: the old and the new name of each.
        secret: a warning of what looks like a secret in the new files; "" for none.
        remark: a sentence about what the new file leaves out of the request; "" for nothing.
        is_edited: the new request is the one that a file stores: somebody edited it there.
        request: the new request where no log has it; None: it is in the log, or ``is_edited``.
    """

    old: str
    new: str
    is_copy: bool
    files: tuple[tuple[str, str], ...]
    differences: tuple[Difference, ...] = ()
    secret: str = ""
    is_edited: bool = False
    remark: str = ""
    request: Payload | None = None


class LeftOut(NamedTuple):
    """A request that gets no fixture with the others, and why."""

    new: str
    reason: str


class RekeyPlan(NamedTuple):
    """The planned re-keys, of all stale misses or of all edited fixtures."""

    rekeys: tuple[Rekey, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def changes(self) -> list[Difference]:
        """The differences of all but dates and the like, those by the same words once."""
        differing = (d for rekey in self.rekeys for d in rekey.differences if not is_volatile(d))
        by_words: dict[object, Difference] = {}
        for difference in differing:
            by_words.setdefault((difference.before, difference.after), difference)
        return list(by_words.values())


class RekeyRefusedError(UserError):
    """A re-key that is not possible."""


def plan_one(session: Session, old: str, new: str) -> Rekey:
    """How a fixture would answer the miss ``new``, with the others of its digest; one of the same
    digest alone, for the first request that has no answer.

    Args:
        old: the digest of the fixture, or its name.

    Raises:
        RekeyRefusedError: there is no such fixture, or the miss has one, or its request is not
            known.
    """
    payload = session.miss_index.payload(new)
    if payload is None:
        raise RekeyRefusedError(f"the request of {short(new)} is not in the log")
    names = session.store.names_of(digest_of(old))
    if not names:
        raise RekeyRefusedError(f"there is no fixture {short_name(old)}")
    name = old if old in names else names[0]
    return _planned(session, name, new, session.nearest.differences(name, view(payload)))


def _planned(session: Session, name: str, new: str, differences: tuple[Difference, ...]) -> Rekey:
    """Raises RekeyRefusedError where the miss has a fixture."""
    old = digest_of(name)
    if old != new:
        files = _new_names(session, old, new)
        is_copy = _is_wanted_twice(session, old, new)
    elif session.store.stamp(new) is not None:
        files, is_copy = [], False
    else:
        number = session.miss_fixtures.first_open(new) or 0
        asked = [view(payload) for payload in session.miss_index.payloads(new)]
        files = [(name, variant_name(new, asked[number]))]
        is_copy = any(request.variant == variant_of(name) for request in asked)
    free = tuple(pair for pair in files if session.store.stamp(pair[1]) is None)
    if not free:
        raise RekeyRefusedError(f"the request {short(new)} has a fixture already")
    rekey = Rekey(old, new, is_copy, free, differences)
    remark = session.drafting.not_stored(new)
    return rekey._replace(secret=_secret_in(session, rekey), remark=remark)


def _new_names(session: Session, old: str, new: str) -> list[tuple[str, str]]:
    """The old and the new name of each fixture of a digest. A variant whose tools changed gets the
    digits of the request in the log that offers tools of the same names.
    """
    requests = [view(payload) for payload in session.miss_index.payloads(new)]
    names = session.store.names_of(old)
    taken = {variant_of(name) for name in names}
    left = {request.variant: request for request in requests if request.variant not in taken}
    asked = {request.variant for request in requests}
    pairs = []
    for name in names:
        variant = variant_of(name)
        if variant and variant not in asked:
            stored = stored_request(session.store.current(name) or {})
            alike = (v for v, request in left.items() if stored and _are_alike(stored, request))
            variant = next(alike, variant)
            left.pop(variant, None)
        pairs.append((name, f"{new}.{variant}" if variant else new))
    return pairs


def _are_alike(before: RequestView, after: RequestView) -> bool:
    """Whether two requests offer tools of the same names, and ask for the same kind of output."""
    names = [{tool.name for tool in request.tools} for request in (before, after)]
    return names[0] == names[1] and before.output_format.kind == after.output_format.kind


def _secret_in(session: Session, rekey: Rekey) -> str:
    from workbench.core.fixture import rules
    from workbench.core.secrets import scan as secrets

    of_secrets: list[Finding] = []
    try:
        for old, new in rekey.files:
            text = _new_text(session, rekey, old, new)
            if secrets.may_stand_in(text):
                findings = rules.check(text, rules.Context(file_name(new)))
                of_secrets += [finding for finding in findings if finding.rule == "secret"]
    except RekeyRefusedError:
        return ""  # said when it is carried out
    return str(SecretFoundError(of_secrets)) if of_secrets else ""


def plan_all(session: Session) -> RekeyPlan:
    """How all stale misses would be re-keyed. A miss is left out where it is not certain which
    fixture is meant for it.
    """
    rekeys: list[Rekey] = []
    left_out: list[LeftOut] = []
    answers = answers_of(session)
    for digest in session.stale.matching:
        if state_of(session, digest).kind != "stale":
            continue
        rivals = (
            rival
            for rival in session.stale.rivals(digest)
            if session.miss_index.in_one_run(digest, rival)
            and state_of(session, rival).kind == "stale"
        )
        request = view(session.miss_index.payload(digest) or {})
        names = [session.store.name_for(old, request) for old in session.stale.fixtures(digest)]
        reason = uncertainty(rivals, names, answers)
        nearest = nearest_of(session, digest) if reason is None else None
        if nearest is not None:
            rekeys.append(_planned(session, nearest.name, digest, nearest.differences))
        elif reason is not None:
            left_out.append(LeftOut(digest, reason))
    return with_later_turns(session, RekeyPlan(tuple(rekeys), tuple(left_out)))


def with_later_turns(session: Session, plan: RekeyPlan) -> RekeyPlan:
    """``plan`` with the fixtures of later turns: a suite sends their requests, which begin with one
    that was changed, only after that one has its answer.
    """
    if not plan.rekeys:
        return plan
    taken = set(session.store.fixtures())
    conversations: defaultdict[str, dict[str, RequestView]] = defaultdict(dict)
    for name in sorted(taken - {old for rekey in plan.rekeys for old, _ in rekey.files}):
        if request := whole_request(session.store.current(name) or {}):
            conversations[conversation_id(request)][name] = request
    later: dict[str, Rekey] = {}
    for rekey in plan.rekeys:
        for turn in _later_turns(session, rekey, conversations):
            [(name, new)] = turn.files
            if name not in later and new not in taken:
                taken.add(new)
                later[name] = turn
    return RekeyPlan((*plan.rekeys, *later.values()), plan.left_out)


def _later_turns(
    session: Session, rekey: Rekey, conversations: Mapping[str, Mapping[str, RequestView]]
) -> Iterator[Rekey]:
    """How the fixtures would be re-keyed whose requests continue that of another, in order.

    Args:
        conversations: the requests of fixtures by their names, by ``conversation_id``.
    """
    for old, new in rekey.files:
        fixture = session.store.current(old) or {}
        before, after = whole_request(fixture), _new_request(session, rekey, fixture, new)
        if before is None or after is None:
            continue
        requests = conversations.get(conversation_id(before), {})
        for name in sorted(requests, key=lambda name: requests[name].turn):
            made = with_beginning(requests[name].payload, before.payload, after)
            turn = None if made is None else _later_turn(session, rekey, name, made)
            if turn is not None:
                yield turn


def _later_turn(session: Session, rekey: Rekey, name: str, request: Payload) -> Rekey | None:
    """The re-key of a fixture whose request continues that of another; None where it has no digest
    any more.
    """
    asked = view(request)
    try:
        new = variant_name(asked.digest, asked) if is_variant(name) else asked.digest
    except RequestError:
        return None
    is_copy = rekey.is_copy or session.miss_index.in_one_run(digest_of(name), rekey.new)
    turn = Rekey(digest_of(name), digest_of(new), is_copy, ((name, new),), request=request)
    return turn._replace(secret=_secret_in(session, turn), remark=session.drafting.remark(request))


def plan_edited(session: Session) -> RekeyPlan:
    """How each fixture whose stored request was edited would be named after that request. The
    variants of one go with it.
    """
    files: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    left_out: list[LeftOut] = []
    names = sorted(session.store.fixtures())
    taken = set(names)
    moved: dict[str, str] = {}
    for name in names:
        new = _name_of_edited(name, session.store.current(name) or {})
        if new == name and is_variant(name) and digest_of(name) in moved:
            new = f"{moved[digest_of(name)]}.{variant_of(name)}"
        if new == name:
            continue
        if new is None:
            digest = (session.store.current(name) or {})["request_digest"]
            reason = f"the file {short_name(name)} was renamed, its request is the old one."
            left_out.append(LeftOut(digest, reason))
        elif new in taken:
            reason = f"it has a fixture already, {short_name(name)} is another."
            left_out.append(LeftOut(new, reason))
        else:
            taken.add(new)
            files[digest_of(name), digest_of(new)].append((name, new))
            if not is_variant(name):
                moved[name] = new
    rekeys = (
        Rekey(old, new, is_copy=False, files=tuple(pairs), is_edited=True)
        for (old, new), pairs in files.items()
    )
    return RekeyPlan(tuple(rekeys), tuple(left_out))


def _name_of_edited(name: str, fixture: Mapping[str, Any]) -> str | None:
    """The name that a fixture gets by the request it stores; None where its file was renamed."""
    request = whole_request(fixture)
    try:
        digest = digest_of(name) if request is None else request.digest
    except RequestError:
        return name  # it has no digest, as validate says
    if request is None:
        return name
    if digest != digest_of(name) and fixture.get("request_digest") == digest:
        return None
    return variant_name(digest, request) if is_variant(name) else digest


def without_secrets(plan: RekeyPlan, remedy: str = "") -> RekeyPlan:
    """A plan that leaves out what would store a secret.

    Args:
        remedy: a sentence on how it can be re-keyed all the same.
    """
    safe = tuple(rekey for rekey in plan.rekeys if not rekey.secret)
    left_out = (
        LeftOut(rekey.new, f"{rekey.secret} {remedy}".rstrip())
        for rekey in plan.rekeys
        if rekey.secret
    )
    return RekeyPlan(safe, (*plan.left_out, *left_out))


def answers_of(session: Session) -> Callable[[str], Any]:
    """Gives all answers of a fixture, by its name; each file is read once."""

    @cache  # hundreds of misses may be the same but for an id
    def answers(name: str) -> Any:
        return list(responses(session.store.current(name) or {}))

    return answers


def uncertainty(
    rivals: Iterable[str], names: Sequence[str], answers: Callable[[str], Any]
) -> str | None:
    """Why it is not certain which fixture is meant for a miss; None where it is.

    Args:
        rivals: the misses of the same run for which the same fixture could be meant.
        names: of the fixtures that could be meant.
        answers: as ``answers_of``.
    """
    for rival in rivals:
        return (
            f"{short(rival)} was requested in the same run and is the same but for dates and "
            "the like: the fixture could be meant for either."
        )
    if any(answers(name) != answers(names[0]) for name in names):
        return f"{len(names)} fixtures could be meant: {', '.join(map(short, names))}."
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
                "old": old,
                "new": new,
                "path": str(session.store.path(new)),
                "copied": rekey.is_copy,
                **({"remark": rekey.remark} if rekey.remark else {}),
            }
            for rekey in plan.rekeys
            for old, new in rekey.files
        ],
        "left_out": [
            {"new": left_out.new, "reason": left_out.reason} for left_out in plan.left_out
        ],
    }


def carry_out(session: Session, rekeys: Iterable[Rekey]) -> Iterator[tuple[Rekey, str]]:
    """Re-key as one decision, the fixtures of one digest per step. Yields each with the reason why
    it failed; "" where it did not. The changes are kept, for others of the same kind.
    """
    decision: list[UndoEntry] = []
    changed: list[RekeyedChange] = []
    try:
        for rekey in rekeys:
            problem = _problem_of(session, rekey, decision)
            session.take_files(file_name(name) for pair in rekey.files for name in pair)
            change = RequestChange.of(rekey.differences)
            if change.words and not problem and _may_be_kept(rekey):
                changed.append(RekeyedChange(rekey.old, rekey.new, change))
            yield rekey, problem
    finally:
        session.rekeyed_changes.add(changed)


def _may_be_kept(rekey: Rekey) -> bool:
    """Whether the changed words hold no secret, of the old request or the new one."""
    from workbench.core.secrets import scan as secrets

    texts = [text for each in rekey.differences for text in _texts(each)]
    return not any(secrets.find(text) for text in texts)


def _texts(difference: Difference) -> Iterator[str]:
    before, after = difference.before_text, difference.after_text
    yield from filter(None, (before or difference.before, after or difference.after))


def _problem_of(session: Session, rekey: Rekey, decision: list[UndoEntry]) -> str:
    """Re-key the fixtures of one digest; returns why it failed, "" where it did not."""
    try:
        moves = [
            FileMove(
                old,
                new,
                base=session.store.stamp(old),
                data=_new_text(session, rekey, old, new).encode("utf-8"),
            )
            for old, new in rekey.files
        ]
        session.decisions.rekey(rekey.new, moves, copy=rekey.is_copy, decision=decision)
    except RekeyRefusedError as error:
        return error.sentence
    except FixtureChangedError as error:
        return f"{error}."
    except OSError as error:
        return f"Cannot write to {session.store.folder}: {error.strerror}."
    return ""


def _new_text(session: Session, rekey: Rekey, old: str, new: str) -> str:
    """The text of a new file. Raises RekeyRefusedError where the old one is not a fixture."""
    try:
        document = session.store.document(old)
        request = _new_request(session, rekey, document.value, new)
        document = _redescribed(session, document, rekey, request)
        return rekeyed(document, rekey.new, request).text
    except FileNotFoundError:
        raise RekeyRefusedError(f"there is no fixture {short_name(old)} any more") from None
    except OSError as error:
        raise RekeyRefusedError(
            f"the fixture {short_name(old)} cannot be read: {error.strerror}"
        ) from None
    except FixtureError as error:
        raise RekeyRefusedError(f"the fixture {short_name(old)} cannot be read: {error}") from None


def _redescribed(
    session: Session, document: FixtureDocument, rekey: Rekey, request: Payload | None
) -> FixtureDocument:
    """``document`` with a description of the new request, unless a person wrote another."""
    is_in_log = not rekey.is_edited and rekey.request is None
    payload = session.miss_index.payload(rekey.new) if is_in_log else request
    asked = None if payload is None else view(payload)
    return redescribed(document, asked, session.miss_index.test_of(rekey.new))


def _new_request(
    session: Session, rekey: Rekey, fixture: Mapping[str, Any], new: str
) -> Mapping[str, Any] | None:
    """The request that the new file stores; None for none."""
    if rekey.request is not None:
        return session.drafting.stored(rekey.request)
    stored = whole_request(fixture)
    if rekey.is_edited:
        if stored is not None and stored.digest == rekey.new:
            return stored.payload
        edited = whole_request(session.store.document(rekey.old).value)
        return None if edited is None else _for_other_tools(edited.payload, fixture, new)
    payloads = session.miss_index.payloads(rekey.new)
    number = _number_of(list(map(view, payloads)), rekey, fixture, new)
    if number is not None:
        return session.drafting.request_to_store(rekey.new, number)
    return session.drafting.stored(_for_other_tools(payloads[0], fixture, new))


def _number_of(
    asked: Sequence[RequestView], rekey: Rekey, fixture: Mapping[str, Any], new: str
) -> int | None:
    """Which of the requests that were asked a new file is for; None for a variant that was not."""
    variants = [request.variant for request in asked]
    if variant := variant_of(new):
        return variants.index(variant) if variant in variants else None
    stored = stored_request(fixture)
    if stored is not None and stored.variant in variants:
        return variants.index(stored.variant)
    taken = {variant_of(name) for _, name in rekey.files}
    return next((number for number, other in enumerate(variants) if other not in taken), 0)


def _for_other_tools(payload: Payload, fixture: Mapping[str, Any], name: str) -> Payload | None:
    """``payload`` with the tools and the output format of the request that a variant stores; None
    where that is not known, or said in the way of another API.
    """
    stored, api = stored_request(fixture), api_of(payload)
    if stored is None or api_of(stored.payload) is not api:
        return None
    kept = api.request.DEMANDS - {"model"}
    made = {
        **{key: value for key, value in payload.items() if key not in kept},
        **{key: value for key, value in stored.payload.items() if key in kept},
    }
    return made if variant_name(view(made).digest, view(made)) == name else None


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
