"""Promote a recorded reply to the fixture of its request."""

from __future__ import annotations

from workbench.core.fixtures.recorded import fixture_of
from workbench.core.runs.exchanges import Exchange, Raised, Sent
from workbench.io.fixtures.new_fixture import with_variant
from workbench.io.fixtures.store import FixtureChangedError
from workbench.session.drafts import Draft
from workbench.session.session import Session


def promote_recorded(session: Session, exchange: Exchange, *, overwrite: bool = False) -> str:
    """Save the reply of an LLM call as the fixture of its request; returns a note for the person.
    Where another request of its digest has the fixture, it becomes a variant in that.
    ``session.undo`` undoes it.

    Raises:
        NotAReplyError: the reply is not complete.
        SecretError: it seems to hold a key.
        ValueError: the exchange has no reply, or its request has a draft.
        FixtureChangedError: the request has a fixture already.
        OSError: the fixture cannot be written.
    """
    sent = exchange.outcome
    if exchange.digest is None or not isinstance(sent, Sent):
        failed = exchange.is_chat and isinstance(sent, Raised)
        raise ValueError("the call failed without a reply" if failed else "it is not an LLM call")
    document, said = fixture_of(
        exchange.request,
        exchange.digest,
        sent.content_type,
        sent.body,
        source="recorded",
        store_request=session.drafting.store_request,
        status=sent.status,
    )
    draft = session.drafts.get(exchange.digest)
    if draft is not None and draft.touched and draft.text != document.text:
        raise ValueError("its request has a draft, which would be overwritten")
    stamp = session.store.stamp(exchange.digest)
    if stamp is not None:
        both = with_variant(session.store, exchange.digest, document, overwrite=overwrite)
        if both is None and not overwrite:
            raise FixtureChangedError(exchange.digest, stamp)
        document = both or document
    draft = session.drafts.add(Draft(exchange.digest, document.text, base=stamp, touched=True))
    session.decisions.save(draft, [], overwrite=overwrite)
    return said
