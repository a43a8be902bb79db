"""The route of all APIs: which answer a request gets, and when."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.bodies import other_type, parse_body
from workbench.core.answering.lookup import LookupResult, Missed, find_other, find_own
from workbench.core.answering.routes import Conversation
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import view
from workbench.core.log.lines import not_normalised_line, sent_to_line
from workbench.core.requests.view import Payload, RequestView
from workbench.io.fixture.ignore_list import ignored
from workbench.server.log import broken_line
from workbench.server.long_work import MAX_COMPARED, Turns
from workbench.server.misses.hold import Hold
from workbench.server.routes.held_reply import HeldReply
from workbench.server.routes.received_request import ReceivedRequest
from workbench.server.routes.reply_sender import ReplySender
from workbench.server.state import ServerState
from workbench.server.wire.incoming import checked_body, is_verification, query
from workbench.server.wire.request_state import RequestState

if TYPE_CHECKING:
    from workbench.core.recordings.exchanges import Sent
    from workbench.server.misses.recorder import Recorder, RequestToRecord


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
        body = await checked_body(request, headers)
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
        if isinstance(outcome, Missed):
            return await self._missed(received, outcome)
        lines = await received.answered_lines(outcome) if is_counted else ""
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
        read = partial(self.sender.reply_of, received, received.fixture)
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
            read = partial(self.sender.reply_of, received)
            outcome = await self.searches.in_thread(find_other, miss, lookups, read)
        is_miss = isinstance(outcome, Missed)
        if is_miss and fixtures.normalises and not is_short and received.is_counted:
            self.server.log.write(not_normalised_line(received.digest))
        return outcome

    async def _missed(self, received: ReceivedRequest, missed: Missed) -> Response:
        """Answer a request without a fixture that can be used."""
        miss, lines = missed.answer, ""
        if received.is_counted:
            lines = await self._lines(received, missed)
            if held := self.hold.returned(received.view, received.client):
                return await HeldReply(self.sender, self.hold, received, miss).after(held)
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
                return await HeldReply(self.sender, self.hold, received, miss).response(lines)
        return await self.sender.response(received, miss, lines)

    async def _is_ignored(self, digest: str) -> bool:
        """True if the ignore list contains a miss. Only checked if misses do not get the fallback
        anyway.
        """
        if self.server.strict is None and self.recorder is None and not self.hold.holds(digest):
            return False
        return digest in await asyncio.to_thread(ignored, self.server.fixtures.store.folder)

    async def _lines(self, received: ReceivedRequest, missed: Missed) -> str:
        """The log lines of a miss."""
        broken, problem = "", missed.answer.broken
        if problem is not None:
            broken = broken_line(self.server.fixtures.store, received.fixture, problem)
        written = await received.as_written()
        lines = await self.server.turns.of(
            len(received.body), missed.lines, written, received.state.test.name, broken
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


def _read(
    route: Conversation, body: bytes, kind: str, query: str
) -> tuple[Payload, RequestView | None]:
    """A request, also as a view unless it refers to earlier ones. ``kind`` is its ``other_type``.

    Raises:
        RequestError: the body cannot be read.
        RefusedError: it contains too many values.
        UnsupportedError: no fixture can answer it.
    """
    payload = route.received(parse_body(body, kind), query)
    return payload, None if route.api.replies.refers(payload) else _viewed(payload)


def _viewed(payload: Payload) -> RequestView:
    """A request with its digest. Raises RequestError."""
    request = view(payload)
    _ = request.digest  # which is kept
    return request
