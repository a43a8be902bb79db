"""Makes drafts, each of the file of its digest or as a skeleton, and checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from workbench.core.apis.table import view
from workbench.core.fixture import skeleton
from workbench.core.fixture.description import described
from workbench.core.fixture.document import decode, new_document, whole_request
from workbench.core.fixture.names import (
    answers,
    digest_of,
    is_made_for,
    is_variant,
    variant_name,
    variant_of,
)
from workbench.core.fixture.request_storage import Storable, storable
from workbench.core.misses.index import MissIndex
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.fixture.store import FixtureStore
from workbench.session.drafts.store import Draft, DraftStore

if TYPE_CHECKING:
    from workbench.core.replies.serving import Serving
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
        serving: Callable[[], Serving],
    ) -> None:
        self.store_request = store_request
        self.request_limit = request_limit
        self.assessments: dict[str, Assessment] = {}
        self._store = store
        self._drafts = drafts
        self._index = index
        # The rules are loaded with the first check.
        self._serving = serving

    def name_for(self, digest: str, request: Payload | None) -> str:
        """The name of the fixture that answers a request, once its draft is saved: the variant of
        the request if that has a file or a draft, or if the file of the digest, which was made for
        another request, does not answer it; else the digest.
        """
        if request is None or is_variant(digest):
            return digest
        request_view = view(request)
        name = variant_name(digest, request_view)
        if self.is_written(name) or self._store.stamp(name) is not None:
            return name
        if not self._has_several(digest):
            return digest
        try:
            fixture = self._store.load(digest)
        except FixtureError:
            return digest
        return digest if fixture is None or answers(fixture, request_view) else name

    def _has_several(self, digest: str) -> bool:
        """True if several requests of a digest were seen."""
        miss = self._index.misses.get(digest)
        return miss is not None and len(miss.dumps) > 1

    def requests_of(self, name: str) -> list[Payload]:
        """The logged requests that the fixture of a name answers."""
        payloads = self._index.payloads(digest_of(name))
        if is_variant(name):
            return [p for p in payloads if view(p).variant == variant_of(name)]
        return [p for p in payloads if self.name_for(name, p) == name]

    def open(self, name: str) -> Draft:
        """The draft of a fixture: the stored one, else one of its file, else a skeleton."""
        kept = self._drafts.get(name)
        stamp = self._store.stamp(name)
        if kept is not None and (kept.touched or kept.base == stamp):
            return kept
        text = self._file_text(name) if stamp else None
        if text is None:
            text = self._new_text(name)
        self.assessments.pop(name, None)
        draft = Draft(name, text, base=stamp)
        earlier = kept.history if kept is not None else self._drafts.histories.get(name)
        if earlier is not None and earlier.has_steps:  # a save or another program's is one more
            earlier.changed(draft.state())
            draft.history = earlier
        return self._drafts.add(draft)

    def is_written(self, name: str) -> bool:
        """True if the draft of a fixture was edited."""
        draft = self._drafts.get(name)
        return draft is not None and draft.touched

    def _file_text(self, name: str) -> str | None:
        """The text of the file, even if invalid; None where it is gone or cannot be read."""
        try:
            data = self._store.read(name)
            return None if data is None else decode(data)
        except FixtureError as error:
            return error.text
        except OSError:
            return None

    def take_request(self, digest: str) -> None:
        """Handle a new request of a digest: check its draft again, and regenerate an untouched
        skeleton, since the request may be read long after its hash.
        """
        draft = self._drafts.get(digest)
        if draft is not None and not draft.touched and draft.base is None:
            draft.set_text(self._new_text(digest), typed=False)
        self.assessments.pop(digest, None)

    def choose(self, digest: str, request: Payload | None) -> Draft:
        """The draft of the fixture that answers one of the requests of a digest. One without a file
        is written for that request: until something is typed it is its skeleton.
        """
        draft = self.open(self.name_for(digest, request))
        stored = self.stored(request) if self._has_several(digest) else None
        if stored is None or draft.base is not None:
            return draft
        if not draft.touched:
            draft.set_text(self._skeleton(draft.name, stored), typed=False)
            return draft
        with suppress(FixtureError):
            if not is_made_for(draft.document.value, view(stored)):
                draft.set_document(draft.document.with_request(stored))
        return draft

    def replaces_another(self, draft: Draft, request: Payload) -> bool:
        """True if saving a draft, which was written for ``request``, would replace the file's
        answer for another request of its digest.
        """
        if draft.base is None or draft.base != self._store.stamp(draft.name):
            return False
        if self.stored(request) is None:
            return False
        try:
            file = self._store.document(draft.name)
            is_changed = draft.document.responses != file.responses
            return is_changed and not is_made_for(file.value, view(request))
        except (FixtureError, OSError):
            return False

    def keep_both(self, draft: Draft, request: Payload) -> Draft:
        """Move the content of a draft that ``replaces_another`` into the draft for the variant of
        ``request``. Return the latter.

        Raises:
            FixtureError: the draft is not a fixture.
            OSError: its own file cannot be deleted.
        """
        document = draft.document.with_request(self.stored(request) or request)
        name = variant_name(digest_of(draft.name), view(request))
        self._drafts.remove(draft.name)
        return self._drafts.add(Draft(name, document.text, touched=True))

    def _new_text(self, name: str) -> str:
        return self._skeleton(name, self._payload(name))

    def _payload(self, name: str) -> Payload | None:
        """The first of the logged requests that the fixture of a name answers."""
        if is_variant(name):
            return next(iter(self.requests_of(name)), None)
        return self._index.payload(name)

    def _skeleton(self, name: str, payload: Payload | None) -> str:
        digest = digest_of(name)
        response = skeleton.draft_response(digest, view(payload or {}))
        return new_document(digest, response, request=self.stored(payload)).text

    def request_to_store(self, digest: str, variant: int = 0) -> Mapping[str, Any] | None:
        """A request of a miss as its fixture stores it; None where it is not stored."""
        return self.stored(self._index.payload(digest, variant))

    def not_stored(self, digest: str, variant: int = 0) -> str:
        """The parts of a miss's request that its fixture leaves out: a sentence, such as ``The
        fixture leaves out the messages of its request, which has more than 1,024 KiB.`` "" for
        nothing, and if the settings turn storing off.
        """
        return self.remark(self._index.payload(digest, variant))

    def remark(self, payload: Payload | None) -> str:
        """The same, given the request."""
        remark = self._storable(payload).remark
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

    def assess(self, name: str, requests: Sequence[Payload] | None = None) -> Assessment:
        """Check the draft of a fixture as it is now, and keep the result.

        Args:
            requests: those that it is to answer, the first of them in the preview; None for those
                of the log.
        """
        from workbench.session.preview.preview import assess

        draft, serving = self.open(name), self._serving()
        assessment = assess(
            draft.text,
            name,
            self.requests_of(name) if requests is None else requests,
            revision=draft.revision,
            profile=serving.profile,
            serving=serving,
            at=draft.shown_response,
        )
        self.assessments[name] = assessment
        return assessment

    def checked(self, name: str) -> Assessment:
        """The check of the draft of a fixture as it is now, made already or now."""
        checked = self.assessments.get(name)
        if checked is None or checked.revision != self.open(name).revision:
            checked = self.assess(name)
        return checked

    def file_text(self, name: str) -> str:
        """The text of the file that a save of a draft writes: a new file gets a description; in one
        that exists all that was not edited stays.
        """
        draft = self.open(name)
        if self._store.stamp(name) is not None:
            return draft.text
        payload, test = self._payload(name), self._index.test_of(digest_of(name))
        try:
            request = whole_request(draft.document.value) if payload is None else view(payload)
            return described(draft.document, request, test).text
        except FixtureError:
            return draft.text

    def take_file(self, draft: Draft) -> None:
        """Give up what was written for the text of the file."""
        text = self._file_text(draft.name)
        if text is not None:
            draft.take_file(text, self._store.stamp(draft.name))
