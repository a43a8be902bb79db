"""Requests that refer to earlier ones, by the ids of their replies; replies asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.apis import writers
from workbench.core.apis.earlier import EarlierAnswers
from workbench.core.apis.responses.api import RESPONSES
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer
from workbench.core.replies.answer import answer as find_answer
from workbench.core.replies.http_reply import ProfileName
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.equivalents import EquivalentFixtures
from workbench.io.store import FixtureStore
from workbench.server.incoming import RefusedError
from workbench.server.log import Clock
from workbench.server.responses import RenderedResponse


class EarlierRequests:
    """The earlier requests of a server: in memory, and in the fixtures that store theirs.

    Args:
        equivalents: fixtures of the same requests in other words.
    """

    def __init__(self, store: FixtureStore, equivalents: EquivalentFixtures) -> None:
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

    async def resolve(self, payload: Payload) -> Payload:
        """A request with what it refers to in it. Raises UnknownIDError."""
        references = writers.of(payload).references
        ids = references.ids(payload) if references else []
        if not references or not ids:
            return payload
        return references.resolve(payload, await self.find(*ids))

    async def find(self, *ids: str) -> dict[str, Answer]:
        """The answers that are known, by the ids of their replies or of items in these."""
        # The first search for an equivalent request reads the whole folder.
        return await asyncio.to_thread(self._answers.find, ids)

    def _stored(self, digest: str) -> Answer | None:
        fixture = self._fixture(digest)
        asked = fixture.get("request") if fixture else None
        if not isinstance(asked, dict):
            return None
        answer = find_answer(view(asked), digest, lambda _: fixture)
        return None if answer.source == "fallback" else answer

    def _fixture(self, digest: str) -> Mapping[str, Any] | None:
        try:
            found = self._store.load(digest)
        except FixtureError:
            return None
        if found is not None:
            return found
        equivalent = self._equivalents.of_form(digest)
        return equivalent[1] if equivalent else None


class ResponseRoute:
    """Answers ``GET /v1/responses/{id}``."""

    def __init__(self, earlier: EarlierRequests, profile: ProfileName, clock: Clock) -> None:
        self._earlier = earlier
        self._profile = RESPONSES.profiles[profile]
        self._clock = clock

    async def retrieve(self, request: Request) -> Response:
        asked: str = request.path_params["id"]
        found = await self._earlier.find(asked)
        if asked not in found or not asked.startswith("resp_"):
            raise RefusedError(404, "not_found", f"Response with id '{asked}' not found.")
        stream = request.query_params.get("stream") == "true"
        reply = self._profile.reply(found[asked], self._clock.second(), stream=stream)
        return RenderedResponse(request, reply)
