"""Promote: write the answer to a miss into its draft and its fixture, or a recorded reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.fixture import skeleton
from workbench.core.fixture.document import FixtureDocument, new_document
from workbench.core.fixture.recorded import NoFixtureError, fixture_of
from workbench.core.fixture.variants import has_answer, with_answer
from workbench.core.recordings.exchanges import Exchange, Raised, Sent
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.fixture.new_fixture import with_variant
from workbench.io.fixture.reply_saver import HasFixtureError
from workbench.io.fixture.store import FixtureChangedError
from workbench.io.path_text import cannot_write
from workbench.session.drafts import editing, text_fields
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment

if TYPE_CHECKING:
    from workbench.session.session import Session


class PromotionRefusedError(UserError):
    """The answer cannot be written."""


class Promotion:
    """The answer to one miss.

    Args:
        variant: the number of the request to answer, from 1, where several share the digest; the
            fixture keeps its other answers. None answers all of them.

    Raises:
        PromotionRefusedError: there is no such request, or it cannot be stored.
    """

    def __init__(self, session: Session, digest: str, variant: int | None = None) -> None:
        self._session = session
        self._digest = digest
        self._number = 0 if variant is None else variant - 1
        self._request = None if variant is None else self._stored_request(variant)

    def _stored_request(self, variant: int) -> Mapping[str, Any]:
        count = len(self._session.miss_index.payloads(self._digest))
        if not 1 <= variant <= count:
            known = counted(count, "request")
            raise PromotionRefusedError(f"variant {variant}: the log has {known} of this digest")
        request = self._session.drafting.request_to_store(self._digest, variant - 1)
        if request is None:
            raise PromotionRefusedError(
                "a variant needs the request in the fixture, where it cannot be stored"
            )
        return request

    @property
    def path(self) -> Path:
        """The file of the fixture."""
        return self._session.store.path(self._digest)

    @property
    def text(self) -> str:
        """The text of the fixture as it is, or would be, written."""
        return self._session.drafting.open(self._digest).text

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """The request that is answered; None if it is not in the log."""
        return self._session.miss_index.payload(self._digest, self._number)

    @property
    def offering(self) -> Payload:
        """The request whose tools an answer may call: that of the log, else the stored one."""
        return self.payload or self._document().request or {}

    @property
    def not_stored(self) -> str:
        """What the fixture leaves out of the request, as ``Drafting.not_stored``."""
        return self._session.drafting.not_stored(self._digest, self._number)

    @property
    def is_answered(self) -> bool:
        """Whether there is a fixture already, made for this variant where one is given."""
        if self._session.store.stamp(self._digest) is None:
            return False
        return self._request is None or has_answer(self._document().value, self._request)

    def write(
        self, response: Mapping[str, Any], *, description: str = "", is_recorded: bool = False
    ) -> Assessment:
        """Write a response into the draft, and check it. No file changes.

        Args:
            is_recorded: a real model answered it.

        Raises:
            PromotionRefusedError: the response is nested too deeply.
        """
        try:
            document = self._document()
            if self._request is not None:
                document = with_answer(document, self._request, response)
            elif is_recorded:
                document = editing.with_recorded(document, response)
            else:
                document = document.with_response(response)
            if description:
                document = text_fields.with_values(document, {"note": description})
            self._session.drafting.open(self._digest).set_text(document.text)
        except RecursionError:
            raise PromotionRefusedError("the response is nested too deeply") from None
        return self._session.drafting.assess(
            self._digest, variant=self._number, answered_only=self._request is not None
        )

    def save(self, *, allow_secret: bool = False) -> None:
        """Save the draft, which must be without errors.

        Raises:
            SecretFoundError: what looks like a secret would be saved, and is not allowed.
            PromotionRefusedError: it cannot be saved.
        """
        try:
            self._session.save(self._digest, secrets=allow_secret)
        except FixtureChangedError as error:
            raise PromotionRefusedError(str(error)) from None
        except OSError as error:
            folder = self._session.store.folder
            raise PromotionRefusedError(cannot_write(folder, error)) from None

    def _document(self) -> FixtureDocument:
        """The fixture, or a new one if there is none for a variant, or if it cannot be read."""
        session, digest = self._session, self._digest
        if self._request is not None and session.store.stamp(digest) is None:
            return new_document(digest, {}, request=self._request)
        document = session.drafting.open(digest).document
        try:
            document.value  # noqa: B018 - it raises where there is nothing to keep
        except FixtureError:
            return new_document(digest, {}, request=session.drafting.request_to_store(digest))
        return document


def promote_recorded(session: Session, exchange: Exchange, *, overwrite: bool = False) -> str:
    """Save the reply of an LLM call as the fixture of its request; returns a note for the person.
    Where another request of its digest has the fixture, it becomes a variant in that.
    ``session.undo`` undoes it.

    Raises:
        HasFixtureError: the request has a fixture already.
        NoFixtureError: the exchange has no reply, or one that becomes no fixture, its request has a
            draft, or the file cannot be written.
    """
    sent = exchange.outcome
    if exchange.digest is None or not isinstance(sent, Sent):
        failed = exchange.is_chat and isinstance(sent, Raised)
        why = "the call failed without a reply" if failed else "it is not an LLM call"
        raise NoFixtureError(why)
    document, remark = fixture_of(
        exchange.request,
        exchange.digest,
        sent.content_type,
        sent.body,
        source="recorded",
        store_request=session.drafting.store_request,
        request_limit=session.drafting.request_limit,
        status=sent.status,
    )
    draft = session.drafts.get(exchange.digest)
    if draft is not None and draft.touched and draft.text != document.text:
        raise NoFixtureError("its request has a draft, which would be overwritten")
    stamp = session.store.stamp(exchange.digest)
    try:
        if stamp is not None:
            both = with_variant(session.store, exchange.digest, document, overwrite=overwrite)
            if both is None and not overwrite:
                raise HasFixtureError
            document = both or document
        draft = session.drafts.add(Draft(exchange.digest, document.text, base=stamp, touched=True))
        session.decisions.save(draft, [], overwrite=overwrite)
    except FixtureChangedError:
        raise HasFixtureError from None
    except OSError as error:
        raise NoFixtureError(cannot_write(session.store.folder, error)) from None
    return remark


def text_response(text: str) -> dict[str, Any]:
    """The ``response`` of a fixture that answers with a text."""
    return {"content": text, "finish_reason": "stop"}


def calls_response(
    digest: str, calls: Sequence[tuple[str, str]], request: Payload
) -> dict[str, Any]:
    """The ``response`` of a fixture that calls tools, given their names and arguments as JSON, or
    the text that a custom tool of the request takes.
    """
    custom = {tool.name for tool in view(request).tools if tool.is_custom}
    written = [
        skeleton.written_call(digest, number, name, said, is_custom=name in custom)
        for number, (name, said) in enumerate(calls)
    ]
    return {"content": "", "tool_calls": written, "finish_reason": "tool_calls"}
