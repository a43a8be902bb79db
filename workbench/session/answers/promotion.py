"""Promote: write the answer to a miss into its draft and its fixture, or a recorded reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.fixture import skeleton
from workbench.core.fixture.document import FixtureDocument, new_document, placed, set_key
from workbench.core.fixture.placeholder import PLACEHOLDER, has_placeholder
from workbench.core.fixture.recorded import NoFixtureError, fixture_of, read_reply
from workbench.core.recordings.exchanges import Exchange, Raised, Sent
from workbench.core.replies.fixture_form import FIXTURE_FORM
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.core.text.wording import counted
from workbench.core.user_error import UserError
from workbench.io.files.path_text import cannot_write
from workbench.io.fixture.reply_saver import HasFixtureError
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.session.preview.preview import Assessment

if TYPE_CHECKING:
    from workbench.session.session import Session


class PromotionRefusedError(UserError):
    """The answer cannot be written."""


class Promotion:
    """The answer to one miss.

    Args:
        variant: the number of the request to answer, from 1, if several share the digest. Its
            answer is stored in a separate file if the digest's own file has another answer. None
            answers all of them.

    Raises:
        PromotionRefusedError: there is no such request, or it cannot be stored.
    """

    def __init__(self, session: Session, digest: str, variant: int | None = None) -> None:
        self._session = session
        self._digest = digest
        self._number = 0 if variant is None else variant - 1
        self._request = None if variant is None else self._stored_request(variant)
        self._name = self._only_name()
        if self._request is not None:
            self._name = session.store.own_name(digest, view(self._request))

    def _only_name(self) -> str:
        """The name of the fixture that answers any request of the digest: the digest itself, unless
        the only request, or the only file, belongs to a variant.
        """
        payloads, store = self._session.miss_index.payloads(self._digest), self._session.store
        if len(payloads) == 1:
            return store.name_for(self._digest, view(payloads[0]))
        names = [] if payloads else store.names_of(self._digest)
        return names[0] if len(names) == 1 else self._digest

    def _stored_request(self, variant: int) -> Mapping[str, Any]:
        count = len(self._session.miss_index.payloads(self._digest))
        if not 1 <= variant <= count:
            requests = counted(count, "request")
            raise PromotionRefusedError(f"variant {variant}: the log has {requests} of this digest")
        request = self._session.drafting.request_to_store(self._digest, variant - 1)
        if request is None:
            raise PromotionRefusedError(
                "a variant needs the request in the fixture, but the request cannot be stored"
            )
        return request

    @property
    def path(self) -> Path:
        """The file of the fixture."""
        return self._session.store.path(self._name)

    @property
    def text(self) -> str:
        """The text of the fixture as it is, or would be, written."""
        return self._session.drafting.file_text(self._name)

    @property
    def payload(self) -> Mapping[str, Any] | None:
        """The request that is answered; None if it is not in the log."""
        return self._session.miss_index.payload(self._digest, self._number)

    @property
    def offering(self) -> Payload:
        """The request whose tools an answer may call: from the log, else the stored one."""
        return self.payload or self._document().request or {}

    @property
    def not_stored(self) -> str:
        """The parts of the request that the fixture leaves out, as ``Drafting.not_stored``."""
        return self._session.drafting.not_stored(self._digest, self._number)

    @property
    def is_answered(self) -> bool:
        """True if the fixture already exists."""
        return self._session.store.stamp(self._name) is not None

    def write(
        self,
        response: Mapping[str, Any],
        *,
        description: str | None = None,
        is_recorded: bool = False,
        is_first: bool = False,
    ) -> Assessment:
        """Write a response into the draft, and check it. No file changes.

        Args:
            description: description of the fixture; "" for none, None for the present or default
                one.
            is_recorded: a real model answered it.
            is_first: it is sent once, after other responses that are sent once. The main response
                of the fixture follows it.

        Raises:
            PromotionRefusedError: the response is nested too deeply, or is still the example of a
                printed command; or with ``is_first`` no response follows it, or the present fixture
                cannot be read.
        """
        if not is_recorded and has_placeholder(response):
            raise PromotionRefusedError(
                f"{PLACEHOLDER} stands for your text; replace {PLACEHOLDER} with your answer"
            )
        if is_first and not self.is_answered:
            raise PromotionRefusedError(
                f"{self.path} does not exist yet: write the answer that all later requests get "
                "first, without --first"
            )
        try:
            if is_first:
                document = self._with_first(response)
            elif is_recorded:
                document = editing.with_recorded(self._document(), response)
            else:
                document = self._document().with_response(response)
            if description is not None:
                edited = set_key(document.value, "description", description, FIXTURE_FORM)
                document = document.with_value(edited)
            self._session.drafting.open(self._name).set_document(document)
        except RecursionError:
            raise PromotionRefusedError("the response is nested too deeply") from None
        answered = None if self._request is None else [self._request]
        return self._session.drafting.assess(self._name, answered)

    def save(self, *, allow_secret: bool = False) -> None:
        """Save the draft, which must be without errors.

        Raises:
            SecretFoundError: what looks like a secret would be saved, and is not allowed.
            PromotionRefusedError: it cannot be saved.
        """
        try:
            self._session.save(self._name, secrets=allow_secret)
        except FixtureChangedError as error:
            raise PromotionRefusedError(str(error)) from None
        except OSError as error:
            folder = self._session.store.folder
            raise PromotionRefusedError(cannot_write(folder, error)) from None

    def _with_first(self, response: Mapping[str, Any]) -> FixtureDocument:
        """The fixture with one more response that is sent once."""
        document = self._session.drafting.open(self._name).document
        try:
            return document.with_first(response)
        except FixtureError as error:
            at = placed(error, document.text.encode())
            raise PromotionRefusedError(
                f"{self.path}:{at.line}:{at.column}: {at.rule} {at}"
            ) from None

    def _document(self) -> FixtureDocument:
        """The fixture, or a new one if there is none for a variant, or if it cannot be read."""
        drafting = self._session.drafting
        request = self._request or drafting.request_to_store(self._digest)
        if self._request is None or self.is_answered:
            document = drafting.open(self._name).document
            try:
                document.value  # noqa: B018 - it raises where there is nothing to keep
            except FixtureError:
                pass
            else:
                return document
        return new_document(self._digest, {}, request=request)


def promote_recorded(session: Session, exchange: Exchange, *, overwrite: bool = False) -> str:
    """Save the reply of an LLM call as the fixture of its request; returns a note for the person.
    Where another request of its digest has the fixture, it is saved as a variant. ``session.undo``
    undoes it.

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
        read_reply(exchange.request, sent.content_type, sent.body, status=sent.status),
        source="recorded",
        store_request=session.drafting.store_request,
        request_limit=session.drafting.request_limit,
        test=exchange.test or session.miss_index.test_of(exchange.digest),
    )
    name = session.store.own_name(exchange.digest, view(exchange.request))
    draft = session.drafts.get(name)
    if draft is not None and draft.touched and draft.text != document.text:
        raise NoFixtureError("its request has a draft, which would be overwritten")
    stamp = session.store.stamp(name)
    if stamp is not None and not overwrite:
        raise HasFixtureError
    try:
        draft = session.drafts.add(Draft(name, document.text, base=stamp, touched=True))
        session.decisions.save(draft, [], overwrite=overwrite)
    except FixtureChangedError:
        raise HasFixtureError from None
    except OSError as error:
        raise NoFixtureError(cannot_write(session.store.folder, error)) from None
    return remark


def text_response(text: str) -> dict[str, Any]:
    """The ``response`` of a fixture that answers with plain text."""
    return {"content": text, "finish_reason": "stop"}


def calls_response(
    digest: str, calls: Sequence[tuple[str, str]], request: Payload
) -> dict[str, Any]:
    """The ``response`` of a fixture that calls tools, given their names and arguments as JSON, or
    the text that a custom tool of the request takes.
    """
    custom = {tool.name for tool in view(request).tools if tool.is_custom}
    written = [
        skeleton.written_call(digest, number, name, arguments, is_custom=name in custom)
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"content": "", "tool_calls": written, "finish_reason": "tool_calls"}
