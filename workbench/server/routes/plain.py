"""The routes that look for no fixture: embeddings, token counts, models, replies by their ids."""

from __future__ import annotations

import asyncio
import time
from itertools import islice
from typing import Final
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from workbench.core.apis import embeddings, token_counts
from workbench.core.apis.model_list import MODELS, model, model_list
from workbench.core.apis.paths import without_keys
from workbench.core.apis.responses.write import writer
from workbench.core.apis.table import EMBEDDINGS
from workbench.core.json.values import mapping, string
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.replies.profile_names import ProfileName
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.store import FixtureStore
from workbench.server.traffic import Traffic
from workbench.server.wire.incoming import (
    RefusedError,
    headers_of,
    query,
    read_json,
    read_request,
)
from workbench.server.wire.responses import RenderedResponse, json_response
from workbench.server.wire.turns import Turns

# Vectors computed at once: some 10 ms, after which requests that wait have their turns.
BATCH: Final = 16


class PlainRoutes:
    """Answers the requests that are not those of conversations with a model."""

    def __init__(
        self,
        store: FixtureStore,
        earlier: EarlierRequests,
        traffic: Traffic,
        profile: ProfileName,
        turns: Turns,
    ) -> None:
        self._store = store
        self._earlier = earlier
        self._traffic = traffic
        self._profile = profile
        self._turns = turns
        # Their own, so that they wait for no long request of another API.
        self._vectors = Turns()

    def routes(self) -> list[Route]:
        return [
            Route("/v1/responses/{id}", self._response),
            Route(f"/v1{EMBEDDINGS}", self._embed, methods=["POST"]),
            Route(f"/v1/v1{EMBEDDINGS}", self._embed, methods=["POST"]),
            *(Route(path, self._count_tokens, methods=["POST"]) for path in token_counts.ROUTES),
            Route(f"/v1{MODELS}", self._models),
            Route(f"/v1{MODELS}/{{name:path}}", _named_model),
            Route("/healthz", _health),
            # Claude Code asks whether the server is there.
            Route("/", _health),
        ]

    async def _response(self, request: Request) -> Response:
        """A reply that is asked for again by its id."""
        asked: str = request.path_params["id"]
        found = await asyncio.to_thread(self._earlier.find, asked)
        if found is None or not asked.startswith("resp_"):
            # The message is logged.
            shown = without_keys(quote(asked, safe=""))
            raise RefusedError(404, "not_found", f"Response with id '{shown}' not found.")
        stream = request.query_params.get("stream") == "true"
        reply = writer(self._profile).reply(found, int(time.time()), stream=stream)
        return RenderedResponse(request, reply)

    async def _embed(self, request: Request) -> Response:
        """Embeddings. Their vectors are computed a few at a time, so that other clients are
        answered meanwhile. Raises ClientDisconnect if the client left before they were.
        """
        payload = await read_json(request, self._turns)
        found = await self._vectors.in_thread(embeddings.read, payload, self._profile)
        self._traffic.options(embeddings.ignored_options(payload))
        if len(found.seeds) <= BATCH:
            return Response(await self._vectors.in_thread(found.body), media_type=ENVELOPE_TYPE)
        made = found.parts()
        parts: list[bytes] = []
        while part := await self._vectors.in_thread(lambda: b"".join(islice(made, BATCH))):
            if await request.is_disconnected():
                raise ClientDisconnect
            parts.append(part)
        return Response(b"".join(parts), media_type=ENVELOPE_TYPE)

    async def _count_tokens(self, request: Request) -> Response:
        body, sent = await read_request(request, headers_of(request), self._turns)
        path, asked = request.scope["path"], query(request)
        count = await self._turns.of(len(sent), token_counts.token_count, path, asked, body)
        return json_response(count)

    async def _models(self, request: Request) -> Response:  # noqa: ARG002
        """The models that stored requests ask for."""
        return json_response(model_list(await asyncio.to_thread(self._stored_models)))

    def _stored_models(self) -> list[str]:
        fixtures = (self._store.current(digest) or {} for digest in self._store.digests())
        models = {string(mapping(fixture.get("request")).get("model")) for fixture in fixtures}
        return sorted(filter(None, models))


async def _named_model(request: Request) -> Response:
    """One model: clients look whether theirs exists. A name may hold slashes."""
    name = request.path_params["name"]
    if not name:
        raise HTTPException(404)
    return json_response(model(name))


async def _health(request: Request) -> Response:  # noqa: ARG001
    return json_response({"ok": True})
