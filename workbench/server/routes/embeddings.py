"""The embeddings route: vectors are computed a few at a time, so that other clients are answered
meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Final, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from workbench.core.apis.embeddings import ignored_options, read
from workbench.core.replies.http_reply import ENVELOPE_TYPE, ProfileName
from workbench.server.ignored import IgnoredOptions
from workbench.server.wire.incoming import read_json

# Vectors computed at once: some 10 ms, after which requests that wait have their turns.
BATCH: Final = 16

_Result = TypeVar("_Result")


class EmbeddingsRoute:
    """Answers requests for embeddings."""

    def __init__(self, profile: ProfileName, ignored: IgnoredOptions) -> None:
        self._profile = profile
        self._ignored = ignored
        # Python computes in one thread at a time: more would only slow down everything else.
        self._turn = asyncio.Lock()

    async def embed(self, request: Request) -> Response:
        """Raises ClientDisconnect if the client left before its vectors were computed."""
        payload = await read_json(request)
        embeddings = await self._in_turn(lambda: read(payload, self._profile))
        self._ignored.note(ignored_options(payload))
        if len(embeddings.seeds) <= BATCH:
            return Response(await self._in_turn(embeddings.body), media_type=ENVELOPE_TYPE)
        made = embeddings.parts()
        parts: list[bytes] = []
        while part := await self._in_turn(lambda: b"".join(islice(made, BATCH))):
            if await request.is_disconnected():
                raise ClientDisconnect
            parts.append(part)
        return Response(b"".join(parts), media_type=ENVELOPE_TYPE)

    async def _in_turn(self, work: Callable[[], _Result]) -> _Result:
        """Do a piece of work in a thread, one at a time."""
        async with self._turn:
            return await asyncio.to_thread(work)
