"""The chat route of a server that answers from a recording."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.errors import RefusedError
from workbench.core.answering.replayed import replayed
from workbench.core.answering.routes import Conversation
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import view
from workbench.core.control_api import NODE_HEADER
from workbench.core.log.lines import note_line
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.recordings.replay import MissingReplyError, RecordedReplies
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.requests.view import Payload
from workbench.core.written.request import as_written
from workbench.server.long_work import Turns
from workbench.server.state import ServerState
from workbench.server.wire.incoming import (
    node,
    query,
    raw_path,
    read_request,
)
from workbench.server.wire.request_state import RequestState
from workbench.server.wire.responses import RenderedResponse, cut_line


def _unless_secret(message: str, request: Request, payload: Payload) -> str:
    """A message about a request, which it may quote; another one if it repeats a credential of the
    request.
    """
    path = raw_path(request.scope)
    written = as_written(payload, request.headers.items(), query(request), path)
    if written.is_secret:
        return "the difference is not shown, because it repeats a credential of the request"
    return written.credentials.masked(message)


class ReplayRoute:
    """Answers each node's k-th request with its k-th recorded reply, and logs requests that differ
    from the recorded ones.

    Args:
        exchanges: of LLM calls, in order.
    """

    def __init__(self, exchanges: Sequence[Exchange], server: ServerState) -> None:
        self._index = RecordedReplies(exchanges)
        self._server = server
        self._replaying = Turns()

    async def complete(
        self, request: Request, state: RequestState, route: Conversation
    ) -> Response:
        """The recorded reply to a request."""
        sent, body = await read_request(request, state.headers, self._server.turns)
        reply, lines = await self._replaying.in_thread(
            self._replayed, request, node(state.headers), route, sent, len(body)
        )
        state.log_lines += lines + cut_line(request, reply)
        return RenderedResponse(request, reply)

    def _replayed(
        self, request: Request, caller: str, route: Conversation, sent_payload: Payload, size: int
    ) -> tuple[HTTPReply, str]:
        """The reply to a request of ``size`` bytes, and its log lines. Slow for a long request."""
        payload = route.api.request.received(sent_payload, route.match, query(request))
        # A recording may be replayed in part.
        with contextlib.suppress(UnknownIDError):
            payload = self._server.earlier.resolve(payload)
        chat = view(payload)
        try:
            taken = self._index.take(caller, payload, chat.digest)
        except MissingReplyError as error:
            message = _unless_secret(str(error).removesuffix("."), request, payload)
            if not caller and error.nearest is not None and error.nearest.node:
                message += f". Send the name of the node in the header {NODE_HEADER}"
            if self._index.are_used_up:
                message += (
                    ". Each reply is sent once; restart the server to replay from the beginning"
                )
            raise RefusedError(404, "missing_reply", message) from None
        lines = ""
        if str(taken):
            lines = note_line(_unless_secret(str(taken), request, payload))
        sent = taken.exchange.outcome
        if not isinstance(sent, Sent):
            raise RefusedError(502, "recorded_failure", f"the recorded call failed: {sent}")
        reply, note = replayed(taken.exchange, sent, chat, self._server.profile, int(time.time()))
        lines += note_line(f"replayed exchange {taken.exchange.position} {note}")
        self._server.earlier.add_reply(chat, reply.content_type, reply.body, size)
        return reply, lines

    def unused(self) -> str:
        """The message about recorded replies that were not requested; "" if all were."""
        positions = ", ".join(str(exchange.position) for exchange in self._index.unused())
        return f"not requested: exchange {positions}" if positions else ""
