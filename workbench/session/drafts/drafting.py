"""Makes drafts, each of the file of its digest or as a skeleton, and checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.fixture import skeleton
from workbench.core.fixture.document import FixtureDocument, decode, new_document
from workbench.core.fixture.request_storage import Storable, storable
from workbench.core.fixture.variants import answers, has_answer, with_answer
from workbench.core.misses.index import MissIndex
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.fixture.store import FixtureStore
from workbench.session.drafts.store import Draft, DraftStore

if TYPE_CHECKING:
    from workbench.core.fixture.rules import Context
    from workbench.session.preview.preview import Assessment


class Drafting:
    """The drafts of a session's misses and fixtures, and the last check of each."""

    def __init__(
        self,
        store: FixtureStore,
        drafts: DraftStore,
        index: MissIndex,
        *,
        store_request: bool,
        request_limit: int,
        context: Callable[[], Context],
    ) -> None:
        self.store_request = store_request
        self.request_limit = request_limit
        self.assessments: dict[str, Assessment] = {}
        self._store = store
        self._drafts = drafts
        self._index = index
        # The rules are loaded with the first check.
        self._context = context

    def open(self, digest: str) -> Draft:
        """The draft of ``digest``: the stored one, else one of its file, else a skeleton."""
        kept = self._drafts.get(digest)
        stamp = self._store.stamp(digest)
        if kept is not None and (kept.touched or kept.base == stamp):
            return kept
        text = self._file_text(digest) if stamp else None
        if text is None:
            text = self._new_text(digest)
        self.assessments.pop(digest, None)
        draft = Draft(digest, text, base=stamp)
        earlier = kept.history if kept is not None else self._drafts.histories.get(digest)
        if earlier is not None and earlier.has_steps:  # a save or another program's is one more
            earlier.changed(draft.state())
            draft.history = earlier
        return self._drafts.add(draft)

    def is_written(self, digest: str) -> bool:
        """Whether somebody edited the draft of ``digest``."""
        draft = self._drafts.get(digest)
        return draft is not None and draft.touched

    def _file_text(self, digest: str) -> str | None:
        """The text of the file, even if invalid; None where it is gone or cannot be read."""
        try:
            data = self._store.read(digest)
            return None if data is None else decode(data)
        except FixtureError as error:
            return error.text
        except OSError:
            return None

    def take_request(self, digest: str) -> None:
        """Take in a new request of a digest: check its draft again, and make an untouched skeleton
        again, since the request may come long after its hash.
        """
        draft = self._drafts.get(digest)
        if draft is not None and not draft.touched and draft.base is None:
            draft.set_text(self._new_text(digest), typed=False)
        self.assessments.pop(digest, None)

    def choose(self, digest: str, request: Payload | None) -> Draft:
        """Have the draft edit the answer to one of the requests of its digest. Until something is
        typed, one that has no answer gets a skeleton.
        """
        draft = self.open(digest)
        draft.request = request
        miss = self._index.misses.get(digest)
        has_others = miss is not None and len(miss.dumps) > 1
        if has_others and (stored := self.stored(request)) is not None:
            with suppress(FixtureError):
                self._begin(draft, stored)
        return draft

    def _begin(self, draft: Draft, request: Payload) -> None:
        """Make room for the answer to one of several requests: in a new file its own, in another
        one a variant. Raises FixtureError where the text is not a fixture.
        """
        asked = view(request)
        if draft.touched:
            if draft.base is None and not has_answer(draft.document.value, request):
                draft.set_text(draft.document.with_request(request).text)
        elif draft.base is None:
            draft.set_text(self._skeleton(draft.digest, request), typed=False)
        else:
            # Without the room that was made for another request.
            document = FixtureDocument(self._file_text(draft.digest) or draft.text)
            if not answers(document.value, asked):
                response = skeleton.draft_response(draft.digest, asked)
                document = with_answer(document, request, response)
            draft.set_text(document.text, typed=False)

    def _new_text(self, digest: str) -> str:
        return self._skeleton(digest, self._index.payload(digest))

    def _skeleton(self, digest: str, payload: Payload | None) -> str:
        response = skeleton.draft_response(digest, view(payload or {}))
        return new_document(digest, response, request=self.stored(payload)).text

    def request_to_store(self, digest: str, variant: int = 0) -> Mapping[str, Any] | None:
        """A request of a miss as its fixture stores it; None where it is not stored."""
        return self.stored(self._index.payload(digest, variant))

    def not_stored(self, digest: str, variant: int = 0) -> str:
        """What the fixture of a miss leaves out of its request: a sentence, such as ``The fixture
        leaves out the messages of its request, which has more than 1,024 KiB.``; "" for nothing,
        and where the settings say so.
        """
        remark = self._storable(self._index.payload(digest, variant)).remark
        return f"The fixture leaves out {remark}." if remark else ""

    def stored(self, payload: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """The request as a fixture stores it, maybe without its messages; None where the settings
        or its values forbid that.
        """
        return self._storable(payload).request

    def _storable(self, payload: Mapping[str, Any] | None) -> Storable:
        if payload is None or not self.store_request:
            return Storable(None)
        return storable(payload, self.request_limit)

    def assess(self, digest: str, *, variant: int = 0, answered_only: bool = False) -> Assessment:
        """Check the draft of ``digest`` as it is now, and keep the result. Arguments as
        ``preview.assess``.
        """
        from workbench.session.preview.preview import assess

        draft, context = self.open(digest), self._context()
        assessment = assess(
            draft.text,
            digest,
            self._index.payloads(digest),
            revision=draft.revision,
            variant=variant,
            answered_only=answered_only,
            profile=context.profile,
            context=context,
        )
        self.assessments[digest] = assessment
        return assessment

    def checked(self, digest: str) -> Assessment:
        """The check of the draft of ``digest`` as it is now, made already or now."""
        checked = self.assessments.get(digest)
        if checked is None or checked.revision != self.open(digest).revision:
            checked = self.assess(digest)
        return checked

    def take_file(self, draft: Draft) -> None:
        """Give up what was written for the text of the file."""
        text = self._file_text(draft.digest)
        if text is not None:
            draft.take_file(text, self._store.stamp(draft.digest))
