"""Answers requests that need no fixture: embeddings, moderations, token counts, models, replies by
their ids.
"""

from __future__ import annotations

import asyncio
import time
from functools import partial
from itertools import islice
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from workbench.core.answering.plain import (
    PlainLookups,
    embeddings_reply,
    json_reply,
    moderation_reply,
    plain_reply,
    token_count,
)
from workbench.core.answering.routes import Plain
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.replies.profile_names import ProfileName
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.store import FixtureStore
from workbench.server.traffic import Traffic
from workbench.server.wire.incoming import headers_of, query, read_json, read_request
from workbench.server.wire.responses import RenderedResponse
from workbench.server.wire.turns import Turns

# Vectors computed at once: some 10 ms, after which requests that wait have their turns.
BATCH: Final = 16


class PlainRoute:
    """Answers the requests that are not those of conversations with a model."""

    def __init__(
        self,
        store: FixtureStore,
        earlier: EarlierRequests,
        traffic: Traffic,
        profile: ProfileName,
        turns: Turns,
    ) -> None:
        self._lookups = PlainLookups(store.models, earlier.find, store.reply)
        self._traffic = traffic
        self._profile = profile
        self._turns = turns
        # Their own, so that they wait for no long request of another API.
        self._vectors = Turns()

    async def complete(self, request: Request, route: Plain) -> Response:
        """Answer a request.

        Raises:
            RequestError: its body cannot be read.
            RefusedError: it asks for what is not here.
            ClientDisconnect: the client left before its reply was made.
        """
        if route.kind == "embeddings":
            return await self._embed(request, route)
        if route.kind == "moderations":
            payload = await read_json(request, self._turns)
            reply = await asyncio.to_thread(moderation_reply, payload, self._lookups)
            return RenderedResponse(request, reply)
        if route.kind == "tokens":
            return await self._count_tokens(request)
        write = partial(
            plain_reply, route, query(request), self._profile, int(time.time()), self._lookups
        )
        reply = await asyncio.to_thread(write) if route.looks_up else write()
        return RenderedResponse(request, reply)

    async def _embed(self, request: Request, route: Plain) -> Response:
        """Embeddings. Their vectors are computed a few at a time, so that other clients are
        answered meanwhile.
        """
        payload, path = await read_json(request, self._turns), request.scope["path"]
        reply = await self._vectors.in_thread(embeddings_reply, route, payload, path, self._profile)
        self._traffic.options(reply.ignored)
        parts: list[bytes] = []
        while part := await self._vectors.in_thread(lambda: b"".join(islice(reply.parts, BATCH))):
            if reply.vectors > BATCH and await request.is_disconnected():
                raise ClientDisconnect
            parts.append(part)
        return Response(b"".join(parts), media_type=ENVELOPE_TYPE)

    async def _count_tokens(self, request: Request) -> Response:
        body, sent = await read_request(request, headers_of(request), self._turns)
        path = request.scope["path"]
        count = await self._turns.of(len(sent), token_count, path, query(request), body)
        return RenderedResponse(request, json_reply(count))
