"""Sends an answer: after its delay, as the API writes it, or an error in its place."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from starlette.responses import Response

from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.written.credentials import NONE, body_shown
from workbench.server.routes.received_request import ReceivedRequest
from workbench.server.state import ServerState
from workbench.server.traffic import KEPT_BODY, ServedExchange
from workbench.server.wire.delays import Delays
from workbench.server.wire.incoming import credentials_in, node, verified_first
from workbench.server.wire.render import Renderer
from workbench.server.wire.responses import cut_line, reply_response
from workbench.server.wire.waiting import wait


@dataclass
class ReplySender:
    """Sends the answers of requests.

    Args:
        delays: default delays.
    """

    server: ServerState
    delays: Delays
    renderer: Renderer = field(default_factory=Renderer)

    def reply_of(
        self, received: ReceivedRequest, name: str, fixture: Mapping[str, Any]
    ) -> NeutralReply:
        """The reply of a fixture to a request: of several the next one, in turn for each asker. A
        verification takes none away. Raises FixtureError.
        """
        replies = self.renderer.read(fixture)
        if not received.is_counted:
            number = verified_first(received.state.headers)
            return replies[-1 if number is None else min(number, len(replies) - 1)]
        received.number = received.state.test.asker.take(name, len(replies))
        return replies[received.number]

    async def response(self, received: ReceivedRequest, answer: Answer, lines: str) -> Response:
        """The reply to a request whose answer is known, after its delay.

        Raises:
            ClientDisconnect: the client left during the delay.
        """
        request = received.request
        if received.is_counted:
            self.server.traffic.options(received.api.request.ignored(received.view))
        delays = self.delays.of(received.state.headers, answer.reply.delivery)
        if delays.total_ms:
            self.server.log.write(lines)
            lines = ""
            await wait(request, delays.total_ms / 1000, self.server.stop.future)
        reply = await self.reply(received, answer, await self.error(received, answer))
        lines += cut_line(request, reply)
        if reply.status:
            received.state.log_lines += lines
        else:  # no reply begins that would take the lines along
            self.server.log.write(lines)
        response = await reply_response(request, reply, delays.chunk_ms / 1000, self.server.stop)
        self.note(received, reply.status, reply.body)
        return response

    async def error(self, received: ReceivedRequest, answer: Answer) -> ErrorReply | None:
        """The error that is sent in place of an answer, if one is."""
        strict = self.server.strict
        if strict is not None and answer.source == "fallback" and not received.is_ignored:
            return await strict.error(
                answer,
                len(received.body),
                test=received.state.test.name,
                held_s=received.held_s,
                is_hidden=(await received.as_written()).is_secret,
            )
        return answer.reply.delivery.error

    async def reply(
        self,
        received: ReceivedRequest,
        answer: Answer,
        error: ErrorReply | None,
        *,
        is_late: bool = False,
    ) -> HTTPReply:
        """The reply of an answer; a server that records has recorded it.

        Args:
            error: is sent in its place.
            is_late: the status, 200, of a stream was sent already.
        """
        writer = received.writer
        if error is None:
            if received.is_counted:
                self.server.earlier.add(answer, len(received.body))
            reply = await self.server.turns.of(received.size, self._rendered, received, answer)
        elif is_late:
            reply = writer.late_reply(error, answer)
        else:
            reply = writer.error_reply(error, writer.headers(answer))
        if received.recording is None:
            return reply
        problem = await received.recording.keep_own(reply, answer.source)
        if not problem:
            return reply
        from workbench.server.misses.recorder import not_recorded

        self.server.traffic.not_recorded(received.digest, problem)
        return replace(reply, headers=(*reply.headers, not_recorded(problem)))

    def _rendered(self, received: ReceivedRequest, answer: Answer) -> HTTPReply:
        writer = received.writer
        repeated = body_shown(received.body, NONE)[0] if writer.repeats_request else b""
        return self.renderer.reply(
            writer, answer, int(time.time()), stream=received.stream, repeated=repeated
        )

    def note(self, received: ReceivedRequest, status: int, reply: bytes) -> None:
        """Keep the exchange, unless it is a verification by the workbench."""
        if not received.is_counted:
            return
        scope = received.request.scope
        # Not the whole scope: the last exchanges would keep all that was known of their requests.
        head = scope["headers"], scope["query_string"], scope["raw_path"]
        self.server.traffic.exchange(
            ServedExchange(
                id=next(self.server.traffic.ids),
                digest=received.digest,
                source=received.source,
                stream=received.stream,
                status=status,
                at=received.at,
                ms=(time.time() - received.at) * 1000,
                node=node(received.state.headers),
                request=received.body[:KEPT_BODY],
                request_bytes=len(received.body),
                reply=reply[:KEPT_BODY],
                reply_bytes=len(reply),
                credentials=partial(credentials_in, *head),
            )
        )
