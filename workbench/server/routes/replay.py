"""The chat route of a server that answers from a recording."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.errors import RefusedError
from workbench.core.answering.routes import Conversation
from workbench.core.apis.api import UnknownIDError
from workbench.core.apis.table import api_of, view
from workbench.core.fixture.recorded import error_response, without
from workbench.core.log.lines import note_line
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.recordings.replay import MissingReplyError, RecordedReplies, Taken
from workbench.core.replies.answer import find_answer
from workbench.core.replies.http_reply import Frame, HTTPReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.view import Payload, RequestView
from workbench.core.secrets.written_request import as_written
from workbench.io.fixture.earlier import EarlierRequests
from workbench.server.log import add_lines
from workbench.server.wire.incoming import (
    headers_of,
    node,
    query,
    raw_path,
    read_request,
)
from workbench.server.wire.responses import RenderedResponse, cut_line
from workbench.server.wire.turns import Turns


def _unless_secret(said: str, request: Request, payload: Payload) -> str:
    """What is said of a request, which may quote it; without the quotes if it repeats one of its
    credentials.
    """
    path = raw_path(request.scope)
    written = as_written(payload, request.headers.items(), query(request), path)
    if written.is_secret:
        return "how the request differs is not shown: it repeats a credential that came with it"
    return written.credentials.masked(said)


class ReplayRoute:
    """Answers each node's k-th request with its k-th recorded reply, and logs requests that differ
    from the recorded ones.

    Args:
        exchanges: of LLM calls, in order.
        earlier: the requests that later ones may refer to.
        turns: of long requests.
    """

    def __init__(
        self,
        exchanges: Sequence[Exchange],
        profile: ProfileName,
        earlier: EarlierRequests,
        turns: Turns,
    ) -> None:
        self._index = RecordedReplies(exchanges)
        self._reading = turns
        self._replaying = Turns()
        self._earlier = earlier
        self._profile = profile

    async def complete(self, request: Request, route: Conversation) -> Response:
        headers = headers_of(request)
        given, body = await read_request(request, headers, self._reading)
        reply, lines = await self._replaying.in_thread(
            self._replayed, request, route, given, len(body)
        )
        add_lines(request, lines + cut_line(request, reply))
        return RenderedResponse(request, reply)

    def _replayed(
        self, request: Request, route: Conversation, given: Payload, size: int
    ) -> tuple[HTTPReply, str]:
        """The reply to a request of so many bytes, and what the log says of it. Slow for a long
        one.
        """
        headers = headers_of(request)
        payload = route.api.request.received(given, route.match, query(request))
        # A recording may be replayed in part.
        with contextlib.suppress(UnknownIDError):
            payload = self._earlier.resolve(payload)
        asked = view(payload)
        try:
            taken = self._index.take(node(headers), payload, asked.digest)
        except MissingReplyError as error:
            said = str(error)
            said = _unless_secret(said, request, payload)
            if not node(headers) and error.nearest is not None and error.nearest.node:
                said += ". The header X-Workbench-Node says whose call it is"
            if not self._index.unused():
                said += ". Each reply is sent once: start the server again to replay from the start"
            raise RefusedError(404, "missing_reply", said) from None
        lines = ""
        if str(taken):
            lines = note_line(_unless_secret(str(taken), request, payload))
        reply, said = self._reply(taken, asked)
        lines += note_line(f"replayed exchange {taken.exchange.position} {said}")
        self._earlier.add_reply(asked, reply.content_type, reply.body, size)
        return reply, lines

    def unused(self) -> str:
        """The message about recorded replies that were not requested; "" if all were."""
        positions = ", ".join(str(exchange.position) for exchange in self._index.unused())
        return f"not asked for: exchange {positions}" if positions else ""

    def _reply(self, taken: Taken, asked: RequestView) -> tuple[HTTPReply, str]:
        """The recorded bytes, or the same reply as the request now asks for it: streamed or plain,
        or of another API. And what is to be said of it, which may be "".
        """
        sent = taken.exchange.outcome
        if not isinstance(sent, Sent):
            raise RefusedError(502, "recorded_failure", f"the recorded call failed: {sent}")
        is_ok, said = sent.status == 200, ""
        recorded, api = api_of(taken.exchange.payload), api_of(asked.payload)
        is_as_asked = recorded is api and (asked.stream == taken.exchange.stream or not is_ok)
        if sent.is_complete and not is_as_asked and (is_ok or sent.status >= 400):
            try:
                if is_ok:
                    response, lost = recorded.replies.read(sent.content_type, sent.body)
                    said = without(lost) if lost else ""
                else:
                    response = error_response(sent.status, sent.body)
                answer = find_answer(asked, asked.digest, lambda _: {"response": response})
                writer = api.replies.writer(self._profile, asked)
                return writer.reply(answer, int(time.time()), stream=asked.stream), said
            except NotAReplyError as error:
                said = f"as it was recorded, not as it is asked for: {error}"
        reply = HTTPReply(
            sent.status,
            sent.content_type,
            [Frame("body", sent.body)],
            is_cut=not sent.is_complete,
            is_stream=asked.stream,
        )
        return reply, said
