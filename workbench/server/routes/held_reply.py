"""The reply to a miss that is held: what its client gets while it waits, and the answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.lookup import Answered, answer_from
from workbench.core.log.lines import note_line
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.replies.response import ErrorReply
from workbench.server.misses.hold import SIGN_SECONDS, HeldMiss, Hold
from workbench.server.routes.received_request import ReceivedRequest
from workbench.server.routes.reply_sender import ReplySender
from workbench.server.wire.connection import close_connection
from workbench.server.wire.incoming import patience, request_line
from workbench.server.wire.responses import (
    UNBUFFERED,
    OwningStream,
    cut_line,
    frames,
    is_http_1_0,
)
from workbench.server.wire.waiting import wait

# Sent while a client waits for a plain reply; readers of JSON ignore it.
_WAITING: Final = b" "
_PLAIN_HEADERS: Final = {"content-type": ENVELOPE_TYPE}


@dataclass
class HeldReply:
    """The reply to a request that may wait for its answer.

    Args:
        sender: sends it.
        hold: where the request waits.
        miss: its answer if it gets no other.
    """

    sender: ReplySender
    hold: Hold
    received: ReceivedRequest
    miss: Answer

    async def response(self, lines: str) -> Response:
        """Wait for an answer. After some time the response begins, so that the client does not give
        up. (HTTP/1.0 has replies of a known length only.)

        Args:
            lines: the log lines of the miss.

        Raises:
            ClientDisconnect: the client left while it waited.
        """
        received = self.received
        waits = None if received.stream else patience(received.state.headers)
        # A miss is logged when it is received, not when it is answered.
        self.sender.server.log.write(lines)
        forms = await received.forms()
        async with AsyncExitStack() as resources:
            resources.enter_context(received.state.test.waiting())
            held = resources.enter_context(self.hold.join(self.miss, forms))
            quiet = None if is_http_1_0(received.request) else held.quiet_seconds(waits)
            await wait(received.request, quiet, held.verdict)
            if not held.verdict.done():
                resources.enter_context(self.hold.begin(held))
                parts = self._signs_and_reply(held)
                kind = {"content-type": received.writer.stream_type}
                headers = {**kind, **UNBUFFERED} if received.stream else _PLAIN_HEADERS
                return OwningStream(parts, resources.pop_all(), headers=headers)
        return await self.after(held)

    async def after(self, held: HeldMiss) -> Response:
        """The reply after a wait that has ended. Raises as ``response``."""
        answer, lines = await self._answer(held)
        return await self.sender.response(self.received, answer, lines)

    async def _signs_and_reply(self, held: HeldMiss) -> AsyncIterator[bytes]:
        """The reply to a client whose response had to begin before its answer was known."""
        received, server = self.received, self.sender.server
        while not held.verdict.done():
            yield received.writer.waiting if received.stream else _WAITING
            await asyncio.wait((held.verdict,), timeout=SIGN_SECONDS)
        answer, lines = await self._answer(held)
        server.log.write(lines)
        error = await self.sender.error(received, answer)
        if error is not None and not received.stream:
            self.hold.cut_off(held, received.client)
            if received.source == "fixture":
                received.state.test.asker.put_back(received.fixture, received.number)
            server.log.write(_closed_line(received.request, error))
            self.sender.note(received, 200, b"")
            await close_connection(received.request.scope, received.request.receive)
            return
        delays = self.sender.delays.of(received.state.headers, answer.reply.delivery)
        await server.stop.pause(delays.total_ms / 1000)
        reply = await self.sender.reply(received, answer, error, is_late=True)
        if error is None:
            server.log.write(cut_line(received.request, reply))
        self.sender.note(received, reply.status, reply.body)
        async for part in frames(received.request, reply, delays.chunk_ms / 1000, server.stop):
            yield part

    async def _answer(self, held: HeldMiss) -> tuple[Answer, str]:
        """The final answer, and its log lines."""
        received, server = self.received, self.sender.server
        verdict, store = held.verdict.result(), server.fixtures.store
        if verdict.fixture is None:
            received.held_s = held.age if verdict.how == "timed out" else None
            line = f"{verdict.how} {received.digest}, held for {held.age:.0f} s"
            return self.miss, note_line(line)
        if verdict.other is not None:
            name = verdict.other.name
        else:
            name = store.name_for(received.digest, received.view)
        received.size = max(received.size, store.size(name))
        received.fixture = name
        read = partial(self.sender.reply_of, received, name)
        answer = await server.turns.of(
            received.size, answer_from, received.view, verdict.fixture, read
        )
        if verdict.how == "saved":
            received.source = answer.source
            return answer, await received.answered_lines(Answered(answer, verdict.other))
        received.source = "held"
        return answer, note_line(f"answered {received.digest} once, held for {held.age:.0f} s")


def _closed_line(request: Request, error: ErrorReply) -> str:
    """The log line of a plain reply that breaks off because its status was sent."""
    return note_line(
        f"{request_line(request.scope)}: closed the connection, because status 200 was sent while "
        f"the client waited; it gets the error {error.status} when it sends the request again"
    )
