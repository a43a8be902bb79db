"""Replies that are asked for again by their ids."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.apis.paths import without_keys
from workbench.core.apis.responses.api import RESPONSES
from workbench.core.replies.http_reply import ProfileName
from workbench.io.fixtures.earlier import EarlierRequests
from workbench.server.log import Clock
from workbench.server.wire.incoming import RefusedError
from workbench.server.wire.responses import RenderedResponse


class ResponseRoute:
    """Answers ``GET /v1/responses/{id}``."""

    def __init__(self, earlier: EarlierRequests, profile: ProfileName, clock: Clock) -> None:
        self._earlier = earlier
        self._profile = RESPONSES.profiles[profile]
        self._clock = clock

    async def retrieve(self, request: Request) -> Response:
        asked: str = request.path_params["id"]
        found = await asyncio.to_thread(self._earlier.find, asked)
        if asked not in found or not asked.startswith("resp_"):
            # The message is logged.
            shown = without_keys(quote(asked, safe=""))
            raise RefusedError(404, "not_found", f"Response with id '{shown}' not found.")
        stream = request.query_params.get("stream") == "true"
        reply = self._profile.reply(found[asked], self._clock.second(), stream=stream)
        return RenderedResponse(request, reply)
