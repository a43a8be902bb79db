"""The embeddings route: vectors are computed a few at a time, so that other clients are answered
meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Final, TypeVar

from workbench.core.digest import RequestError
from workbench.core.embedding_requests import ignored_options
from workbench.core.wire import Profile
from workbench.server.http import RefusedError, Request
from workbench.server.ignored import IgnoredOptions
from workbench.server.sending import Sender

# Vectors computed at once: some 10 ms, after which requests that wait have their turns.
BATCH: Final = 16

_Result = TypeVar("_Result")


class EmbeddingsRoute:
    """Answers requests for embeddings.

    Args:
        profile: how requests are read.
        ignored: is told what the profile ignores of them.
    """

    def __init__(self, profile: Profile, sender: Sender, ignored: IgnoredOptions) -> None:
        self._profile = profile
        self._sender = sender
        self._ignored = ignored
        # Python computes in one thread at a time: more would only slow down everything else.
        self._turn = asyncio.Lock()

    async def __call__(self, request: Request) -> None:
        """Raises ClientGoneError where the client hung up before its vectors were computed."""
        payload = await request.payload()
        try:
            embeddings = await self._in_turn(lambda: self._profile.embeddings(payload))
        except RequestError as error:
            raise RefusedError(400, error.code, str(error)) from None
        self._ignored.note(ignored_options(payload))
        if len(embeddings.seeds) <= BATCH:
            await self._sender.json(request, 200, await self._in_turn(embeddings.body))
            return
        made = embeddings.parts()
        parts: list[bytes] = []
        while part := await self._in_turn(lambda: b"".join(islice(made, BATCH))):
            await request.wait(0)  # a client that left is not worked for
            request.take(len(part))
            parts.append(part)
        await self._sender.json_parts(request, parts)

    async def _in_turn(self, work: Callable[[], _Result]) -> _Result:
        """Do a piece of work in a thread, one at a time."""
        async with self._turn:
            return await asyncio.to_thread(work)
