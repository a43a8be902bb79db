"""The route of all APIs: which answer a request gets, and when."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.bodies import (
    other_type,
    parse_body,
    require_body,
    require_uncompressed,
)
from workbench.core.answering.lookup import (
    Answered,
    LookupResult,
    Missed,
    answer_from,
    find_other,
    find_own,
)
from workbench.core.answering.routes import Conversation
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import view
from workbench.core.log.lines import not_normalised_line, note_line, sent_to_line
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.requests.view import Payload, RequestView
from workbench.io.fixture.ignore_list import ignored
from workbench.server.log import broken_line
from workbench.server.long_work import Turns
from workbench.server.misses.hold import SIGN_SECONDS, HeldMiss, Hold
from workbench.server.misses.strict import MAX_COMPARED
from workbench.server.routes.received_request import ReceivedRequest
from workbench.server.routes.reply_sender import ReplySender
from workbench.server.state import ServerState
from workbench.server.wire.connection import close_connection
from workbench.server.wire.incoming import (
    is_verification,
    patience,
    query,
    read_body,
    request_line,
    verified_first,
)
from workbench.server.wire.request_state import RequestState
from workbench.server.wire.responses import (
    UNBUFFERED,
    OwningStream,
    cut_line,
    frames,
    is_http_1_0,
)
from workbench.server.wire.waiting import wait

if TYPE_CHECKING:
    from workbench.core.recordings.exchanges import Sent
    from workbench.server.misses.recorder import Recorder, RequestToRecord

# Sent while a client waits for a plain reply; readers of JSON ignore it.
_WAITING: Final = b" "
_PLAIN_HEADERS: Final = {"content-type": ENVELOPE_TYPE}


@dataclass
class AnsweringRoute:
    """Answers requests of the APIs from fixtures.

    Args:
        sender: sends the answers.
        hold: where misses wait.
        recorder: answers misses from an upstream, if there is one.
        searches: turns of looking for equivalent requests.
    """

    server: ServerState
    sender: ReplySender
    hold: Hold
    recorder: Recorder | None
    searches: Turns = field(default_factory=Turns)

    async def complete(
        self, request: Request, state: RequestState, route: Conversation
    ) -> Response:
        """Answer a request of one of the APIs.

        Raises:
            UnsupportedError: no fixture can answer it.
            UnknownIDError: it continues a request that is not known.
        """
        server, turns, headers = self.server, self.server.turns, state.headers
        require_uncompressed(headers)
        body = await read_body(request, headers)
        require_body(headers, body)
        at, api, whole = time.time(), route.api, body
        kind = other_type(headers)
        payload, chat = await turns.of(len(body), _read, route, body, kind, query(request))
        if kind:
            server.traffic.read_as_json(kind)
        if chat is None:
            payload, whole = await self._resolved(request, payload)
            chat = await turns.of(len(whole), _viewed, payload)
        accept = headers.get("accept", "")
        writer = api.replies.writer(server.profile, chat, request.scope["path"], accept)
        is_counted = not is_verification(headers)
        received = ReceivedRequest(request, state, whole, chat, api, writer, at, is_counted, turns)
        if self.recorder is not None and is_counted:
            forwarded = await turns.of(len(whole), server.earlier.forwarded, body, payload)
            received.recording = await self.recorder.take(
                request, forwarded, chat, received.started
            )
            received.written = received.recording.written
        outcome = await self._find(received)
        received.source = outcome.answer.source
        lines = await self._lines(received, outcome) if is_counted else ""
        if isinstance(outcome, Missed):
            return await self._missed(received, outcome.answer, lines)
        if server.strict is not None and received.source == "fixture":
            server.strict.served.add(received.digest)
        return await self.sender.response(received, outcome.answer, lines)

    async def _resolved(self, request: Request, payload: Payload) -> tuple[Payload, bytes]:
        """A request with what it refers to in it, and its JSON. Raises UnknownIDError."""

        def resolved() -> tuple[Payload, bytes]:
            whole = self.server.earlier.resolve(payload)
            return whole, json.dumps(whole).encode("ascii")

        try:
            return await asyncio.to_thread(resolved)
        except UnknownIDError as error:
            if self.recorder is None or not error.reply_id:
                raise
            unknown = error.reply_id
        await self.recorder.find_earlier(request, unknown, self.server.earlier, self.server.stop)
        return await asyncio.to_thread(resolved)

    async def _find(self, received: ReceivedRequest) -> LookupResult:
        """The answer to a request."""
        store = self.server.fixtures.store
        is_recorded = self.recorder is not None and received.is_counted
        # A recording server has the upstream answer what a fixture was not made for.
        choose = store.own_name if is_recorded else store.name_for
        received.fixture = choose(received.digest, received.view)
        received.size = max(len(received.body), store.size(received.fixture))
        read = partial(self._reply_of, received, received.fixture)
        outcome = await self.server.turns.of(
            received.size, find_own, received.view, lambda _: store.load(received.fixture), read
        )
        if isinstance(outcome, Missed) and outcome.answer.broken is None:
            return await self._find_other(received, outcome)
        return outcome

    async def _find_other(self, received: ReceivedRequest, miss: Missed) -> LookupResult:
        """The answer of the fixture of another request, if one has it."""
        fixtures = self.server.fixtures
        is_held = received.is_counted and self.recorder is None and self.hold.holds(received.digest)
        is_short = len(received.body) <= MAX_COMPARED
        # While the folder is read, the hold searches for equivalent requests.
        has_turn = not (is_held and fixtures.equivalents.is_being_read)
        lookups = fixtures.others(equivalent=has_turn, normalised=is_short)
        outcome: LookupResult = miss
        if lookups:
            # One thread at a time: while the folder is read, all that wait would need one each.
            read = partial(self._reply_of, received)
            outcome = await self.searches.in_thread(find_other, miss, lookups, read)
        is_miss = isinstance(outcome, Missed)
        if is_miss and fixtures.normalises and not is_short and received.is_counted:
            self.server.log.write(not_normalised_line(received.digest))
        return outcome

    def _reply_of(
        self, received: ReceivedRequest, name: str, fixture: Mapping[str, Any]
    ) -> NeutralReply:
        """The reply of a fixture to a request: of several the next one, in turn for each asker. A
        verification takes none away. Raises FixtureError.
        """
        replies = self.sender.renderer.read(fixture)
        if not received.is_counted:
            number = verified_first(received.state.headers)
            return replies[-1 if number is None else min(number, len(replies) - 1)]
        return received.state.test.asker.take(name, replies)

    async def _missed(self, received: ReceivedRequest, miss: Answer, lines: str) -> Response:
        """Answer a request without a fixture that can be used."""
        if received.is_counted and (held := self.hold.returned(received.view, received.client)):
            answer, lines = await self._held_answer(received, miss, held)
            return await self.sender.response(received, answer, lines)
        if miss.broken is None:
            received.is_ignored = await self._is_ignored(received.digest)
        if received.is_counted:
            dump, facts = await received.dump()
            origin, test = received.state.origin, received.state.test.name
            self.server.traffic.miss(received.view, facts, dump, test, origin)
            if received.is_ignored:
                return await self.sender.response(received, miss, lines)
            if received.recording is not None:
                return await self._relayed(received, received.recording, lines)
            if self.hold.holds(received.digest):
                return await self._held(received, miss, lines)
        return await self.sender.response(received, miss, lines)

    async def _is_ignored(self, digest: str) -> bool:
        """Whether the ignore list names a miss; asked where misses get something else than the
        fallback.
        """
        if self.server.strict is None and self.recorder is None and not self.hold.holds(digest):
            return False
        return digest in await asyncio.to_thread(ignored, self.server.fixtures.store.folder)

    async def _lines(self, received: ReceivedRequest, outcome: LookupResult) -> str:
        """What the log says of an answer."""
        answer = outcome.answer
        if isinstance(outcome, Answered):
            masked = (await received.as_written()).credentials.masked if answer.problems else str
            return outcome.lines(masked)
        broken = ""
        if answer.broken is not None:
            broken = broken_line(self.server.fixtures.store, received.fixture, answer.broken)
        written = await received.as_written()
        lines = await self.server.turns.of(
            len(received.body), outcome.lines, written, received.state.test.name, broken
        )
        return lines + sent_to_line(received.state.origin, received.digest)

    async def _relayed(
        self, received: ReceivedRequest, recording: RequestToRecord, lines: str
    ) -> Response:
        """Answer a miss with the reply of the upstream."""

        def done(sent: Sent, problem: str) -> None:
            if problem:
                self.server.traffic.not_recorded(received.digest, problem)
            if sent.status == 200:
                self.server.earlier.add_reply(
                    received.view, sent.content_type, sent.body, len(received.body)
                )
            self.sender.note(received, sent.status, sent.body)

        self.server.log.write(lines)
        received.source = "recorded"
        return await recording.relay(done)

    # Holding

    async def _held(self, received: ReceivedRequest, miss: Answer, lines: str) -> Response:
        """Wait for an answer. After some time the response begins, so that the client does not give
        up. (HTTP/1.0 has replies of a known length only.)
        """
        waits = None if received.stream else patience(received.state.headers)
        # Who reads the log learns of a miss when it comes, not when it is answered.
        self.server.log.write(lines)
        forms = await received.forms()
        async with AsyncExitStack() as resources:
            resources.enter_context(received.state.test.waiting())
            held = resources.enter_context(self.hold.join(miss, forms))
            quiet = None if is_http_1_0(received.request) else held.quiet_seconds(waits)
            await wait(received.request, quiet, held.verdict)
            if not held.verdict.done():
                resources.enter_context(self.hold.begin(held))
                parts = self._signs_and_reply(received, miss, held)
                kind = {"content-type": received.writer.stream_type}
                headers = {**kind, **UNBUFFERED} if received.stream else _PLAIN_HEADERS
                return OwningStream(parts, resources.pop_all(), headers=headers)
        answer, lines = await self._held_answer(received, miss, held)
        return await self.sender.response(received, answer, lines)

    async def _signs_and_reply(
        self, received: ReceivedRequest, miss: Answer, held: HeldMiss
    ) -> AsyncIterator[bytes]:
        """The reply to a client whose response had to begin before its answer was known."""
        while not held.verdict.done():
            yield received.writer.waiting if received.stream else _WAITING
            await asyncio.wait((held.verdict,), timeout=SIGN_SECONDS)
        answer, lines = await self._held_answer(received, miss, held)
        self.server.log.write(lines)
        error = await self.sender.error(received, answer)
        if error is not None and not received.stream:
            self.hold.cut_off(held, received.client)
            if received.source == "fixture":
                received.state.test.asker.put_back(received.fixture)
            self.server.log.write(_closed_line(received.request, error))
            self.sender.note(received, 200, b"")
            await close_connection(received.request.scope, received.request.receive)
            return
        delays = self.sender.delays.of(received.state.headers, answer.reply.delivery)
        await self.server.stop.pause(delays.total_ms / 1000)
        reply = await self.sender.reply(received, answer, error, is_late=True)
        if error is None:
            self.server.log.write(cut_line(received.request, reply))
        self.sender.note(received, reply.status, reply.body)
        async for part in frames(received.request, reply, delays.chunk_ms / 1000, self.server.stop):
            yield part

    async def _held_answer(
        self, received: ReceivedRequest, miss: Answer, held: HeldMiss
    ) -> tuple[Answer, str]:
        """The final answer of a held request, and its log lines."""
        verdict, store = held.verdict.result(), self.server.fixtures.store
        if verdict.fixture is None:
            received.held_s = held.age if verdict.how == "timed out" else None
            return miss, note_line(f"{verdict.how} {received.digest}, held for {held.age:.0f} s")
        if verdict.other is not None:
            name = verdict.other.name
        else:
            name = store.name_for(received.digest, received.view)
        received.size = max(received.size, store.size(name))
        received.fixture = name
        read = partial(self._reply_of, received, name)
        turns = self.server.turns
        answer = await turns.of(received.size, answer_from, received.view, verdict.fixture, read)
        if verdict.how == "saved":
            received.source = answer.source
            return answer, await self._lines(received, Answered(answer, verdict.other))
        received.source = "held"
        return answer, note_line(f"answered {received.digest} once, held for {held.age:.0f} s")


def _read(
    route: Conversation, body: bytes, kind: str, query: str
) -> tuple[Payload, RequestView | None]:
    """A request, also as a view unless it refers to earlier ones. ``kind`` is its ``other_type``.

    Raises:
        RequestError: the body cannot be read.
        RefusedError: it holds too many values.
        UnsupportedError: no fixture can answer it.
    """
    payload = route.received(parse_body(body, kind), query)
    return payload, None if route.api.replies.refers(payload) else _viewed(payload)


def _viewed(payload: Payload) -> RequestView:
    """A request with its digest. Raises RequestError."""
    request = view(payload)
    _ = request.digest  # which is kept
    return request


def _closed_line(request: Request, error: ErrorReply) -> str:
    """What the log says of a plain reply that breaks off because its status was sent."""
    return note_line(
        f"{request_line(request.scope)}: the connection is closed, since status 200 was sent while "
        f"the client waited; it gets the error {error.status} when it asks again"
    )
