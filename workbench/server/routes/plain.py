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

from workbench.core.answering.bodies import other_type
from workbench.core.answering.plain import PlainLookups, PlainRequest, plain_reply
from workbench.core.answering.routes import Plain
from workbench.core.apis.replies import EmbeddingsReply
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.requests.view import Payload
from workbench.server.long_work import Turns
from workbench.server.state import ServerState
from workbench.server.wire.incoming import query, read_request
from workbench.server.wire.request_state import RequestState
from workbench.server.wire.responses import RenderedResponse

# Vectors computed at once: some 10 ms, after which requests that wait have their turns.
BATCH: Final = 16


class PlainRoute:
    """Answers requests that are not conversations with a model."""

    def __init__(self, server: ServerState) -> None:
        store = server.fixtures.store
        self._server = server
        self._lookups = PlainLookups(store.models, server.earlier.find, store.reply)
        # Their own, so that they wait for no long request of another API.
        self._vectors = Turns()

    async def complete(self, request: Request, state: RequestState, route: Plain) -> Response:
        """Answer a request.

        Raises:
            RequestError: its body cannot be read.
            RefusedError: the requested object does not exist.
            ClientDisconnect: the client left before its reply was made.
        """
        turns, body = self._server.turns, b""
        payload: Payload = {}
        if route.reads_body:
            payload, body = await read_request(request, state.headers, turns)
            if kind := other_type(state.headers):
                self._server.traffic.read_as_json(kind)
        plain = PlainRequest(route, request.scope["path"], query(request), payload)
        write = partial(plain_reply, plain, self._server.profile, int(time.time()), self._lookups)
        if route.kind == "embeddings":
            reply = await self._vectors.in_thread(write)
        elif route.looks_up:
            reply = await asyncio.to_thread(write)
        else:
            reply = await turns.of(len(body), write)
        if isinstance(reply, EmbeddingsReply):
            return await self._embedded(request, reply)
        return RenderedResponse(request, reply)

    async def _embedded(self, request: Request, reply: EmbeddingsReply) -> Response:
        """Embeddings. Their vectors are computed a few at a time, so that other clients
        are answered in the meantime.
        """
        self._server.traffic.options(reply.ignored)
        parts: list[bytes] = []
        while part := await self._vectors.in_thread(lambda: b"".join(islice(reply.parts, BATCH))):
            if reply.vectors > BATCH and await request.is_disconnected():
                raise ClientDisconnect
            parts.append(part)
        return Response(b"".join(parts), media_type=ENVELOPE_TYPE)
