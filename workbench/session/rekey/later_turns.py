"""The fixtures of later turns, which move with the fixture of their beginning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.document import whole_request
from workbench.core.fixture.names import digest_of, is_variant, short_name, variant_name
from workbench.core.request_body import RequestError
from workbench.core.requests.conversations import conversation_id
from workbench.core.requests.view import Payload, RequestView
from workbench.session.rekey.new_file import new_request, secret_in
from workbench.session.rekey.plan import LeftOut, Rekey, RekeyPlan

if TYPE_CHECKING:
    from workbench.session.session import Session

_ABSENT: Final = object()


def with_later_turns(session: Session, plan: RekeyPlan) -> RekeyPlan:
    """``plan`` with the fixtures of later turns: a suite sends their requests, which begin with one
    that was changed, only after that one has its answer. One whose new name has a file already is
    left out.
    """
    if not plan.rekeys:
        return plan
    taken = set(session.store.fixtures())
    conversations: defaultdict[str, dict[str, RequestView]] = defaultdict(dict)
    for name in sorted(taken - {old for rekey in plan.rekeys for old, _ in rekey.files}):
        if request := whole_request(session.store.current(name) or {}):
            conversations[conversation_id(request)][name] = request
    taken.update(new for rekey in plan.rekeys for _, new in rekey.files)
    later: dict[str, Rekey | LeftOut] = {}
    for rekey in plan.rekeys:
        for turn in _later_turns(session, rekey, conversations):
            [(name, new)] = turn.files
            if name in later or new == name:
                continue
            if new in taken:
                reason = f"it has a fixture already, so the later turn {short_name(name)} stays."
                later[name] = LeftOut(turn.new, reason)
            else:
                taken.add(new)
                later[name] = turn
    turns = [turn for turn in later.values() if isinstance(turn, Rekey)]
    left_out = [turn for turn in later.values() if isinstance(turn, LeftOut)]
    return RekeyPlan((*plan.rekeys, *turns), (*plan.left_out, *left_out))


def _later_turns(
    session: Session, rekey: Rekey, conversations: Mapping[str, Mapping[str, RequestView]]
) -> Iterator[Rekey]:
    """The re-keys of the fixtures whose requests continue another fixture's request, in order.

    Args:
        conversations: the requests of fixtures by their names, by ``conversation_id``.
    """
    for old, new in rekey.files:
        fixture = session.store.current(old) or {}
        before, after = whole_request(fixture), new_request(session, rekey, fixture, new)
        if before is None or after is None:
            continue
        requests = conversations.get(conversation_id(before), {})
        for name in sorted(requests, key=lambda name: requests[name].turn):
            made = with_beginning(requests[name].payload, before.payload, after)
            turn = None if made is None else _later_turn(session, rekey, name, made)
            if turn is not None:
                yield turn


def _later_turn(session: Session, rekey: Rekey, name: str, request: Payload) -> Rekey | None:
    """The re-key of a fixture whose request continues another fixture's request; None if it no
    longer has a digest.
    """
    request_view = view(request)
    try:
        new = request_view.digest
        if is_variant(name):
            new = variant_name(new, request_view)
    except RequestError:
        return None
    is_copy = rekey.is_copy or session.miss_index.in_one_run(digest_of(name), rekey.new)
    turn = Rekey(
        digest_of(name),
        digest_of(new),
        is_copy,
        ((name, new),),
        request=request,
        follows=rekey.new,
    )
    return turn._replace(secret=secret_in(session, turn), remark=session.drafting.remark(request))


def with_beginning(later: Payload, before: Payload, after: Payload) -> dict[str, Any] | None:
    """A request that continues ``before``, rewritten for a conversation that begins with ``after``;
    None if it does not continue it. Common parts, such as a setting, may differ in the later
    request.
    """
    made = dict(later)
    is_later = False
    for key in before.keys() | after.keys():
        old, new = before.get(key, _ABSENT), after.get(key, _ABSENT)
        value = later.get(key, _ABSENT)
        if value == old:
            made[key] = new
        elif isinstance(old, list) and isinstance(value, list) and value[: len(old)] == old:
            if not isinstance(new, list):
                return None
            made[key] = [*new, *value[len(old) :]]
            is_later = True
        elif old != new:
            return None
    return {key: made[key] for key in made if made[key] is not _ABSENT} if is_later else None
