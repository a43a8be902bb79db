"""The fixture nearest to a miss, with what a person is shown of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.names import digest_of
from workbench.core.request_body import RequestError
from workbench.core.requests.nearest import Nearest

if TYPE_CHECKING:
    from workbench.io.fixture.nearest_search import NearestIndex
    from workbench.session.session import Session

_DIFFERENCE_KEYS: Final = (
    "where",
    "role",
    "before",
    "after",
    "before_start",
    "after_start",
    "kind",
)


@dataclass(frozen=True, slots=True)
class NearestResult:
    """The nearest fixture of ``digest``, read from its file.

    Attributes:
        nearest: None where no fixture is like the request.
        modified: when its file was written, in seconds of the epoch; None where it is gone.
        without_request: how many of them store no request to compare with.
    """

    digest: str
    nearest: Nearest | None
    response: dict[str, Any] = field(default_factory=dict)
    modified: float | None = None
    fixtures: int = 0
    without_request: int = 0


def nearest_of(session: Session, digest: str) -> Nearest | None:
    """The fixture nearest to a miss, if any is like it: of several requests that share its digest,
    to the first that no file answers. Slow, for a thread. Raises as ``NearestIndex.nearest``.
    """
    payload = session.miss_index.payload(digest, session.miss_fixtures.first_open(digest) or 0)
    if payload is None:
        return None
    equivalent = session.stale.equivalent(digest)
    if equivalent is not None:
        return session.nearest.equivalent(equivalent, view(payload))
    in_same_run = partial(session.miss_index.in_one_run, digest)
    return session.nearest.nearest(digest, view(payload), in_same_run=in_same_run)


def find_nearest(session: Session, index: NearestIndex, digest: str) -> NearestResult:
    """Find the fixture nearest to a miss. Slow: for a thread."""
    try:
        if not index.is_read:
            index.refresh()
        nearest = nearest_of(session, digest)
    except (OSError, RequestError):
        nearest = None
    counts = (len(index) + index.without_request, index.without_request)
    if nearest is None:
        return NearestResult(digest, None, {}, None, *counts)
    response = (session.store.current(nearest.name) or {}).get("response")
    stamp = session.store.stamp(nearest.name)
    return NearestResult(
        digest,
        nearest,
        response if isinstance(response, dict) else {},
        None if stamp is None else stamp.modified_ns / 1e9,
        *counts,
    )


def explanation(session: Session, digest: str, nearest: Nearest | None) -> dict[str, Any]:
    """The known facts about a miss and its nearest fixture, as a JSON object."""
    if nearest is None:
        return {"digest": digest, "nearest": None}
    record = {
        "digest": digest_of(nearest.name),
        "path": str(session.store.path(nearest.name)),
        "same_but_volatile": nearest.same_but_volatile,
        "score": round(nearest.score, 4),
        "differences": [
            {key: getattr(difference, key) for key in _DIFFERENCE_KEYS}
            for difference in nearest.differences
        ],
        "guess": nearest.is_guess,
        "equivalent": nearest.is_equivalent,
        "profile": nearest.echoed_profile or None,
        "shared_messages": nearest.shared,
        "messages": nearest.messages,
        "others": list(nearest.others),
        "normalise": list(nearest.kinds),
    }
    return {"digest": digest, "nearest": record}
