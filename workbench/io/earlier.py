"""Earlier requests that later ones refer to: in memory, and in fixtures that store theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.apis import writers
from workbench.core.apis.earlier import EarlierAnswers
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer
from workbench.core.replies.answer import answer as find_answer
from workbench.core.replies.response import FixtureError, NotAReplyError
from workbench.core.requests.view import Payload, RequestView
from workbench.io.equivalents import EquivalentFixtures
from workbench.io.store import FixtureStore


class EarlierRequests:
    """The earlier requests of a server or a mock.

    Args:
        equivalents: finds fixtures of the same requests in other words, in ``store``.
    """

    def __init__(
        self, store: FixtureStore | None = None, equivalents: EquivalentFixtures | None = None
    ) -> None:
        self._store = store
        self._equivalents = equivalents
        self._answers = EarlierAnswers(self._stored)

    def add(self, answer: Answer, size: int) -> None:
        """Keep an answer if later requests of its API may refer to it.

        Args:
            size: of its request, in bytes.
        """
        if writers.of(answer.request.payload).references is not None:
            self._answers.add(answer, size)

    def add_reply(self, request: RequestView, content_type: str, body: bytes, size: int) -> None:
        """Keep the reply of another server, which has an id of its own."""
        api = writers.of(request.payload)
        if api.references is None:
            return
        try:
            response = api.read_reply(content_type, body)
            reply_id = api.references.reply_id(content_type, body)
        except NotAReplyError:
            return
        answer = find_answer(request, request.digest, lambda _: {"response": response})
        self._answers.add(answer, size, reply_id)

    def refers(self, payload: Payload) -> bool:
        """Whether a request refers to earlier ones."""
        references = writers.of(payload).references
        return references is not None and bool(references.ids(payload))

    def resolve(self, payload: Payload) -> Payload:
        """A request with what it refers to in it. Raises UnknownIDError.

        The first search for an equivalent request reads the whole folder.
        """
        references = writers.of(payload).references
        if references is None:
            return payload
        return references.resolve(payload, self.find(*references.ids(payload)))

    def find(self, *ids: str) -> dict[str, Answer]:
        """The answers that are known, by the ids of their replies or of items in these."""
        return self._answers.find(ids)

    def _stored(self, digest: str) -> Answer | None:
        fixture = self._fixture(digest)
        asked = fixture.get("request") if fixture else None
        if not isinstance(asked, dict):
            return None
        answer = find_answer(view(asked), digest, lambda _: fixture)
        return None if answer.source == "fallback" else answer

    def _fixture(self, digest: str) -> Mapping[str, Any] | None:
        try:
            found = self._store.load(digest) if self._store else None
        except FixtureError:
            return None
        if found is None and self._equivalents is not None:
            equivalent = self._equivalents.of_form(digest)
            return equivalent[1] if equivalent else None
        return found
