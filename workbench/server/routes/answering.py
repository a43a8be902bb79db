"""The route of all APIs: which answer a request gets, when, and how it is sent."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.answering.lookup import (
    Answered,
    Missed,
    OtherFixture,
    OtherLookup,
    Outcome,
    answer_from,
    find_other,
    find_own,
)
from workbench.core.answering.routes import Conversation
from workbench.core.apis.api import API, UnknownIDError
from workbench.core.apis.table import view
from workbench.core.fixture.names import is_variant
from workbench.core.log.lines import note_line
from workbench.core.replies.answer import Answer, Lookup
from workbench.core.replies.http_reply import ENVELOPE_TYPE, HTTPReply, Writer
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.equivalence import form_digest
from workbench.core.requests.view import Payload, RequestView
from workbench.core.secrets.credentials import NONE, body_shown
from workbench.core.secrets.written_request import Written, as_written
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.ignore_list import ignored
from workbench.io.fixture.store import FixtureStore
from workbench.server.log import LogSink, add_lines, broken_line
from workbench.server.misses.client_patience import patience
from workbench.server.misses.hold import SIGN_SECONDS, HeldMiss, Hold
from workbench.server.misses.strict import Strict
from workbench.server.traffic import KEPT_BODY, ServedExchange, Traffic
from workbench.server.wire.closing import close_connection
from workbench.server.wire.delays import Delays
from workbench.server.wire.incoming import (
    credentials_of,
    headers_of,
    is_verification,
    node,
    query,
    raw_path,
    read_request,
    request_line,
)
from workbench.server.wire.render import Renderer
from workbench.server.wire.responses import (
    UNBUFFERED,
    OwningStream,
    cut_line,
    frames,
    is_http_1_0,
    reply_response,
)
from workbench.server.wire.turns import Turns
from workbench.server.wire.waiting import Stop, wait

if TYPE_CHECKING:
    from workbench.core.recordings.exchanges import Sent
    from workbench.server.misses.recording import Recorder, RequestToRecord

# Sent while a client waits for a plain reply; readers of JSON ignore it.
_WAITING: Final = b" "
_PLAIN_HEADERS: Final = {"content-type": ENVELOPE_TYPE}


class _Asker(NamedTuple):
    """What tells a client that asks again from others with the same request."""

    host: str
    user_agent: str
    test: str


@dataclass(slots=True)
class _Asked:
    """A request that is being answered.

    Attributes:
        body: as it was received, or in JSON with the earlier request it refers to.
        writer: what writes its reply.
        at: when it was complete, in seconds since the epoch.
        is_counted: False for a verification, which leaves no trace.
        turns: of what is done with it, if it is long.
        fixture: the name of the fixture that answers it, if there is one.
        size: of its body, or of its fixture if that is longer; in bytes.
        source: what the reply comes from, as records of exchanges say it.
        started: the same time of the monotonic clock.
        recording: what is recorded of it; None on a server that does not record.
        written: it as it may be written down; None until that is needed.
        held_s: seconds it was held until the time ran out; None if it was answered or not held.
        is_ignored: the project wants the fallback for it.
    """

    request: Request
    headers: Mapping[str, str]
    body: bytes
    view: RequestView
    api: API
    writer: Writer
    at: float
    is_counted: bool
    turns: Turns
    fixture: str = ""
    size: int = 0
    source: str = ""
    started: float = field(default_factory=time.monotonic)
    recording: RequestToRecord | None = None
    written: Written | None = None
    held_s: float | None = None
    is_ignored: bool = False

    @property
    def asker(self) -> _Asker:
        client = self.request.client
        return _Asker(
            client.host if client else "",
            self.headers.get("user-agent", ""),
            self.request.state.test.name,
        )

    @property
    def digest(self) -> str:
        return self.view.digest

    @property
    def stream(self) -> bool:
        return self.view.stream

    async def as_written(self) -> Written:
        """The request as it may be written down."""
        if self.written is None:
            headers, asked = self.request.headers.items(), query(self.request)
            path = raw_path(self.request.scope)
            arguments = (self.view.payload, headers, asked, path)
            self.written = await self.turns.of(len(self.body), as_written, *arguments)
        return self.written

    async def dump(self) -> bytes:
        """Its JSON as it may be written down; empty if it must not."""
        written = await self.as_written()

        def dumped() -> bytes:
            _ = self.view.variant  # which is kept, and needed with it
            return b"" if written.is_secret else written.body

        return await self.turns.of(len(self.body), dumped)

    async def form(self) -> str:
        """The digest of its canonical form."""
        return await self.turns.of(len(self.body), form_digest, self.view)


@dataclass(kw_only=True)
class AnsweringRoute:
    """Answers requests of the APIs from fixtures.

    Args:
        profile: how replies look on the wire.
        delays: for requests that ask for none.
        log: gets the lines of the reference stub.
        equivalents, normalise: find the fixtures of other requests that answer misses; the second
            where the settings allow it.
        hold: where misses wait.
        traffic: keeps what was asked and answered.
        earlier: the requests that later ones may refer to.
        recorder: answers misses from an upstream, if there is one.
        strict: what a miss gets instead of the fallback, if it does.
        stop: ends delays and held requests when the server ends.
        turns: of long requests.
        searches: turns of looking for equivalent requests.
    """

    store: FixtureStore
    profile: ProfileName
    delays: Delays
    log: LogSink
    equivalents: EquivalentFixtures
    normalise: OtherLookup | None
    hold: Hold
    traffic: Traffic
    earlier: EarlierRequests
    recorder: Recorder | None
    strict: Strict | None
    stop: Stop
    turns: Turns
    renderer: Renderer = field(default_factory=Renderer)
    searches: Turns = field(default_factory=Turns)

    async def complete(self, request: Request, route: Conversation) -> Response:
        """Answer a request of one of the APIs.

        Raises:
            UnsupportedError: no fixture can answer it.
            UnknownIDError: it continues a request that is not known.
        """
        headers = headers_of(request)
        given, body = await read_request(request, headers, self.turns)
        at = time.time()
        payload = await self.turns.of(len(body), route.received, given, query(request))
        api, whole = route.api, body
        if api.replies.refers(payload):
            payload, whole = await self._resolved(request, payload)
        asking = await self.turns.of(len(whole), _viewed, payload)
        writer, is_counted = api.replies.writer(self.profile, asking), not is_verification(headers)
        asked = _Asked(request, headers, whole, asking, api, writer, at, is_counted, self.turns)
        if self.recorder is not None and is_counted:
            sent = await self.turns.of(len(whole), self.earlier.forwarded, body, payload)
            asked.recording = await self.recorder.take(request, sent, asking, asked.started)
            asked.written = asked.recording.written
        outcome = await self._find(asked)
        asked.source = outcome.answer.source
        lines = await self._lines(asked, outcome) if is_counted else ""
        if isinstance(outcome, Missed):
            return await self._missed(asked, outcome.answer, lines)
        if self.strict is not None and asked.source == "fixture":
            self.strict.served.add(asked.digest)
        return await self._response(asked, outcome.answer, lines)

    async def _resolved(self, request: Request, payload: Payload) -> tuple[Payload, bytes]:
        """A request with what it refers to in it, and its JSON. Raises UnknownIDError."""

        def resolved() -> tuple[Payload, bytes]:
            found = self.earlier.resolve(payload)
            return found, json.dumps(found).encode("ascii")

        try:
            return await asyncio.to_thread(resolved)
        except UnknownIDError as error:
            if self.recorder is None or not error.reply_id:
                raise
            unknown = error.reply_id
        await self.recorder.find_earlier(request, unknown, self.earlier, self.stop)
        return await asyncio.to_thread(resolved)

    async def _find(self, asked: _Asked) -> Outcome:
        """The answer to a request."""
        is_recorded = self.recorder is not None and asked.is_counted
        # A recording server has the upstream answer what a fixture was not made for.
        choose = self.store.own_name if is_recorded else self.store.name_for
        asked.fixture = choose(asked.digest, asked.view)
        asked.size = max(len(asked.body), self.store.size(asked.fixture))
        outcome = await self.turns.of(
            asked.size, find_own, asked.view, self._load(asked), self.renderer.read
        )
        if isinstance(outcome, Missed) and outcome.answer.broken is None:
            return await self._find_other(asked, outcome)
        return outcome

    async def _find_other(self, asked: _Asked, miss: Missed) -> Outcome:
        """The answer of the fixture of another request, if one has it."""
        is_held = asked.is_counted and self.recorder is None and self.hold.wants(asked.digest)
        outcome: Outcome = miss
        if not (is_held and self.equivalents.is_being_read):  # then the hold searches
            form = await asked.form()

            def lookup(request: RequestView) -> OtherFixture | None:
                return self.equivalents.of_form(form, request)

            # One thread at a time: while the folder is read, all that wait would need one each.
            outcome = await self.searches.in_thread(find_other, miss, lookup)
        if isinstance(outcome, Missed) and self.normalise is not None:
            outcome = await asyncio.to_thread(find_other, outcome, self.normalise)
        return outcome

    def _load(self, asked: _Asked) -> Lookup:
        return lambda _: self.store.load(asked.fixture)

    def _saved(self, asked: _Asked, fixture: Mapping[str, Any]) -> Answer:
        """The answer of the fixture that was saved for the clients that waited, or that of the
        variant of this one of them.
        """
        asked.fixture = self.store.name_for(asked.digest, asked.view)
        if is_variant(asked.fixture):
            return find_own(asked.view, self._load(asked)).answer
        return answer_from(asked.view, fixture)

    async def _missed(self, asked: _Asked, miss: Answer, lines: str) -> Response:
        """Answer a request without a fixture that can be used."""
        if asked.is_counted and (held := self.hold.returned(asked.digest, asked.asker)):
            answer, lines = await self._held_answer(asked, miss, held)
            return await self._response(asked, answer, lines)
        if miss.broken is None:
            asked.is_ignored = await self._is_ignored(asked.digest)
        if asked.is_counted:
            dump = await asked.dump()
            self.traffic.miss(asked.view, dump, asked.request.state.test.name)
            if asked.is_ignored:
                return await self._response(asked, miss, lines)
            if asked.recording is not None:
                return await self._relayed(asked, asked.recording, lines)
            if self.hold.wants(asked.digest):
                return await self._held(asked, miss, lines)
        return await self._response(asked, miss, lines)

    async def _is_ignored(self, digest: str) -> bool:
        """Whether the ignore list names a miss; asked where misses get something else than the
        fallback.
        """
        if self.strict is None and self.recorder is None and not self.hold.wants(digest):
            return False
        return digest in await asyncio.to_thread(ignored, self.store.folder)

    async def _lines(self, asked: _Asked, outcome: Outcome) -> str:
        """What the log says of an answer."""
        answer = outcome.answer
        if isinstance(outcome, Answered):
            masked = (await asked.as_written()).credentials.masked if answer.problems else str
            return outcome.lines(masked)
        broken = ""
        if answer.broken is not None:
            broken = broken_line(self.store, asked.fixture, answer.broken)
        written, test = await asked.as_written(), asked.request.state.test.name
        return await self.turns.of(len(asked.body), outcome.lines, written, test, broken)

    async def _relayed(self, asked: _Asked, recording: RequestToRecord, lines: str) -> Response:
        """Answer a miss with the reply of the upstream."""

        def done(sent: Sent, problem: str) -> None:
            if problem:
                self.traffic.not_recorded(asked.digest, problem)
            if sent.status == 200:
                self.earlier.add_reply(asked.view, sent.content_type, sent.body, len(asked.body))
            self._note(asked, sent.status, sent.body)

        self.log.write(lines)
        asked.source = "recorded"
        return await recording.relay(done)

    # Holding

    async def _held(self, asked: _Asked, miss: Answer, lines: str) -> Response:
        """Wait for an answer. After some time the response begins, so that the client does not give
        up. (HTTP/1.0 has replies of a known length only.)
        """
        waits = None if asked.stream else patience(asked.headers)
        # Who reads the log learns of a miss when it is asked, not when it is answered.
        self.log.write(lines)
        form = await asked.form()
        async with AsyncExitStack() as resources:
            resources.enter_context(asked.request.state.test.waiting())
            held = resources.enter_context(self.hold.join(miss, form))
            quiet = None if is_http_1_0(asked.request) else held.quiet_seconds(waits)
            await wait(asked.request, quiet, held.verdict)
            if not held.verdict.done():
                resources.enter_context(self.hold.begin(held))
                parts = self._signs_and_reply(asked, miss, held)
                kind = {"content-type": asked.writer.stream_type}
                headers = {**kind, **UNBUFFERED} if asked.stream else _PLAIN_HEADERS
                return OwningStream(parts, resources.pop_all(), headers=headers)
        answer, lines = await self._held_answer(asked, miss, held)
        return await self._response(asked, answer, lines)

    async def _signs_and_reply(
        self, asked: _Asked, miss: Answer, held: HeldMiss
    ) -> AsyncIterator[bytes]:
        """The reply to a client whose response had to begin before its answer was known."""
        while not held.verdict.done():
            yield asked.writer.waiting if asked.stream else _WAITING
            await asyncio.wait((held.verdict,), timeout=SIGN_SECONDS)
        answer, lines = await self._held_answer(asked, miss, held)
        self.log.write(lines)
        error = await self._error(asked, answer)
        if error is not None and not asked.stream:
            self.hold.cut_off(held, asked.asker)
            self.log.write(_closed_line(asked.request, error))
            self._note(asked, 200, b"")
            await close_connection(asked.request.scope, asked.request.receive)
            return
        delays = self.delays.of(asked.headers, answer.reply.delivery)
        await self.stop.pause(delays.total_ms / 1000)
        reply = await self._reply(asked, answer, error, is_late=True)
        if error is None:
            self.log.write(cut_line(asked.request, reply))
        self._note(asked, reply.status, reply.body)
        async for part in frames(asked.request, reply, delays.chunk_ms / 1000, self.stop):
            yield part

    async def _held_answer(self, asked: _Asked, miss: Answer, held: HeldMiss) -> tuple[Answer, str]:
        """The final answer of a held request, and its log lines."""
        verdict = held.verdict.result()
        if verdict.fixture is None:
            asked.held_s = held.age if verdict.how == "timed out" else None
            return miss, note_line(f"{verdict.how} {asked.digest}, held for {held.age:.0f} s")
        digest = verdict.other.digest if verdict.other else asked.digest
        asked.size = max(asked.size, self.store.size(digest))
        answer = await self.turns.of(asked.size, self._saved, asked, verdict.fixture)
        if verdict.how == "saved":
            asked.source = answer.source
            return answer, await self._lines(asked, Answered(answer, verdict.other))
        asked.source = "held"
        return answer, note_line(f"answered {asked.digest} once, held for {held.age:.0f} s")

    # Replying

    async def _response(self, asked: _Asked, answer: Answer, lines: str) -> Response:
        """The reply to a request whose answer is known, after its delay.

        Raises:
            ClientDisconnect: the client left during the delay.
        """
        request = asked.request
        if asked.is_counted:
            self.traffic.options(asked.api.request.ignored(asked.view))
        delays = self.delays.of(asked.headers, answer.reply.delivery)
        if delays.total_ms:
            self.log.write(lines)
            lines = ""
            await wait(request, delays.total_ms / 1000, self.stop.future)
        reply = await self._reply(asked, answer, await self._error(asked, answer))
        lines += cut_line(request, reply)
        if reply.status:
            add_lines(request, lines)
        else:  # no reply begins that would take the lines along
            self.log.write(lines)
        response = await reply_response(request, reply, delays.chunk_ms / 1000, self.stop)
        self._note(asked, reply.status, reply.body)
        return response

    async def _error(self, asked: _Asked, answer: Answer) -> ErrorReply | None:
        """The error that is sent in place of an answer, if one is."""
        if self.strict is not None and answer.source == "fallback" and not asked.is_ignored:
            return await self.strict.error(answer, len(asked.body), held_s=asked.held_s)
        return answer.reply.delivery.error

    async def _reply(
        self, asked: _Asked, answer: Answer, error: ErrorReply | None, *, is_late: bool = False
    ) -> HTTPReply:
        """The reply of an answer; a server that records has recorded it.

        Args:
            error: is sent in its place.
            is_late: the status, 200, of a stream was sent already.
        """
        writer = asked.writer
        if error is None:
            if asked.is_counted:
                self.earlier.add(answer, len(asked.body))
            reply = await self.turns.of(asked.size, self._rendered, asked, answer)
        elif is_late:
            reply = writer.late_reply(error, answer)
        else:
            reply = writer.error_reply(error, writer.headers(answer))
        if asked.recording is None:
            return reply
        problem = await asked.recording.keep_own(reply, answer.source)
        if not problem:
            return reply
        from workbench.server.misses.recording import not_recorded

        self.traffic.not_recorded(asked.digest, problem)
        return replace(reply, headers=(*reply.headers, not_recorded(problem)))

    def _rendered(self, asked: _Asked, answer: Answer) -> HTTPReply:
        writer = asked.writer
        repeated = body_shown(asked.body, NONE)[0] if writer.repeats_request else b""
        return self.renderer.reply(
            writer, answer, int(time.time()), stream=asked.stream, repeated=repeated
        )

    def _note(self, asked: _Asked, status: int, reply: bytes) -> None:
        """Keep the exchange, unless it is a verification by the workbench."""
        if not asked.is_counted:
            return
        self.traffic.exchange(
            ServedExchange(
                id=next(self.traffic.ids),
                digest=asked.digest,
                source=asked.source,
                stream=asked.stream,
                status=status,
                at=asked.at,
                ms=(time.time() - asked.at) * 1000,
                node=node(asked.headers),
                request=asked.body[:KEPT_BODY],
                request_bytes=len(asked.body),
                reply=reply[:KEPT_BODY],
                reply_bytes=len(reply),
                credentials=partial(credentials_of, asked.request.scope),
            )
        )


def _viewed(payload: Payload) -> RequestView:
    """A request with its digest. Raises RequestError."""
    asked = view(payload)
    _ = asked.digest  # which is kept
    return asked


def _closed_line(request: Request, error: ErrorReply) -> str:
    """What the log says of a plain reply that breaks off because its status was sent."""
    return note_line(
        f"{request_line(request.scope)}: the connection is closed, since status 200 was sent while "
        f"the client waited; it gets the error {error.status} when it asks again"
    )
