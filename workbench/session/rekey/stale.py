"""The fixtures of stale misses: the same requests but for dates, ids and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.apis.table import view
from workbench.session.misses.nearest_result import nearest_of
from workbench.session.misses.states import state_of
from workbench.session.rekey.certainty import answers_of, uncertainty
from workbench.session.rekey.later_turns import with_later_turns
from workbench.session.rekey.pairing import planned_for
from workbench.session.rekey.plan import LeftOut, Rekey, RekeyPlan

if TYPE_CHECKING:
    from workbench.session.session import Session


def plan_all(session: Session) -> RekeyPlan:
    """How all stale misses would be re-keyed. A miss is left out where it is not certain which
    fixture is meant for it.
    """
    rekeys: list[Rekey] = []
    left_out: list[LeftOut] = []
    answers = answers_of(session.store)
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
            rekeys.append(planned_for(session, nearest.name, digest, nearest.differences))
        elif reason is not None:
            left_out.append(LeftOut(digest, reason))
    return with_later_turns(session, RekeyPlan(tuple(rekeys), tuple(left_out)))
