"""Variants: requests of one digest that differ outside it, answered by one fixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.digest import short
from workbench.core.fixture.rules.phrases import listed
from workbench.core.fixture.variants import index_for, is_own, requests, with_answer
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.session.drafts.store import Draft

if TYPE_CHECKING:
    from workbench.session.session import Session


def variants_warning(session: Session, digest: str) -> str:
    """A warning about a miss whose requests differ, with the keys they differ in; "" where there
    is only one, or its fixture has an answer for each.
    """
    index = session.miss_index
    miss = index.misses.get(digest)
    if miss is None or len(miss.dumps) < 2:
        return ""
    first, *others = payloads = index.payloads(digest)
    if _has_answer_for_each(session, digest, payloads):
        return ""
    differing = {
        key
        for other in others
        for key in first.keys() | other.keys()
        if (key in first) != (key in other) or first.get(key) != other.get(key)
    }
    what = listed(sorted(differing)) if differing else "how they are written"
    shared = f"{len(miss.dumps)} requests share the digest {short(digest)}"
    is_partly = digest in session.partly_answered
    answers = (
        "its fixture does not answer all of them"
        if is_partly
        else "one fixture answers all of them"
    )
    return f"{shared} and differ in {what}; {answers}"


def _has_answer_for_each(session: Session, digest: str, payloads: list[dict[str, Any]]) -> bool:
    try:
        fixture = session.store.load(digest)
    except FixtureError:
        return False
    answers = {index_for(fixture, view(payload)) for payload in payloads} if fixture else ()
    return len(answers) == len(payloads)


def stored_requests(session: Session, digest: str, seen: Sequence[Payload]) -> list[Payload]:
    """The requests that the draft of a digest has answers to, without those ``seen``."""
    try:
        stored = requests(session.drafting.open(digest).document)
    except FixtureError:
        return []
    if seen and len(stored) < 2:
        return []
    known = {view(payload).variant for payload in seen}
    return [request for request in stored if view(request).variant not in known]


def first_shown(session: Session, digest: str, payloads: Sequence[Payload]) -> int:
    """The number of the request to show first, of those of a digest: the first that its file has no
    answer to; if there is no file, the one that its draft was begun for.
    """
    if len(payloads) < 2:
        return 0
    draft = session.drafting.open(digest)
    if draft.base is not None:
        return session.partly_answered.first_open(digest) or 0
    try:
        own = (n for n, one in enumerate(payloads) if is_own(draft.document.value, one))
        return next(own, 0)
    except FixtureError:
        return 0


def replaces_another(session: Session, digest: str, payload: Payload | None) -> bool:
    """Whether the draft of a miss was written for ``payload``, one of its requests, and to save it
    would replace the answer that its file has for another one.
    """
    draft = session.drafting.open(digest)
    if draft.base is None or draft.base != session.store.stamp(digest):
        return False
    if payload is None or session.drafting.stored(payload) is None:
        return False
    try:
        file = session.store.document(digest)
        is_changed = draft.document.response != file.response
        is_answered = index_for(draft.document.value, view(payload)) is not None
    except (FixtureError, OSError):
        return False
    return is_changed and not is_answered and not is_own(file.value, payload)


def keep_both(session: Session, digest: str, payload: Payload, draft: Draft) -> None:
    """Make the response of a draft that ``replaces_another`` a variant, beside that of its file.

    Raises:
        FixtureError: the draft or the file is not a fixture.
        OSError: the file cannot be read.
    """
    document = draft.document.with_response(session.store.document(digest).response)
    draft.set_text(with_answer(document, payload, draft.document.response).text)
