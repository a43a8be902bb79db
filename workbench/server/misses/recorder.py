"""Recording: forwards misses to an upstream, relays the reply as it arrives, and writes it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from workbench.core.answering.errors import RefusedError
from workbench.core.apis.table import api_of
from workbench.core.fixture.recorded import NoFixtureError, error_reason, is_tried_again, read_reply
from workbench.core.formats import FormatError
from workbench.core.log.lines import note_line
from workbench.core.log.recording_lines import (
    broken_off_text,
    no_exchange_text,
    no_fixture_text,
    recorded_text,
)
from workbench.core.recordings.exchanges import Exchange, ReplySource, Sent
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.profile_names import RUN_PROFILE
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import RequestView
from workbench.core.text.inert import escaped
from workbench.core.written.request import WrittenRequest, as_written
from workbench.io.fixture.asker import Asker
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.reply_saver import ReplySaver
from workbench.io.network.upstream import Arriving, Upstream, UpstreamError
from workbench.io.recordings.recording_file import exchanges_with
from workbench.io.recordings.writers import RecordingWriters
from workbench.server.log import LogSink
from workbench.server.wire.connection import close_connection
from workbench.server.wire.incoming import headers_of, node, query, raw_path
from workbench.server.wire.request_state import state_of
from workbench.server.wire.responses import OwningStream, is_http_1_0
from workbench.server.wire.waiting import Stop, wait

_RUN: Final = "x-workbench-run"
# Header with the reason why an exchange is not kept, if the reply has not begun yet.
NOT_RECORDED: Final = "X-Workbench-Not-Recorded"

Done = Callable[[Sent, str], None]
"""Called with a reply of the upstream once it is kept, its body empty if that repeats a credential,
and with why it is not, or not wholly, recorded; "" if it is.
"""


@dataclass
class Recorder:
    """The upstream that answers misses, and where its replies are kept."""

    upstream: Upstream
    saver: ReplySaver
    writers: RecordingWriters
    log: LogSink
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def take(
        self, request: Request, body: bytes, view: RequestView, started: float
    ) -> RequestToRecord:
        """A request to record, whose ``body`` is as the upstream gets it."""
        written = await asyncio.to_thread(
            as_written,
            view.payload,
            request.headers.items(),
            query(request),
            raw_path(request.scope),
            more=self.upstream.secrets,
        )
        return RequestToRecord(self, request, body, view, started, written)

    async def find_earlier(
        self, request: Request, reply_id: str, earlier: EarlierRequests, stop: Stop
    ) -> None:
        """Have ``earlier`` keep the recorded exchange whose reply has an id, of earlier recordings,
        too. One search at a time reads the journals; it ends with the client, and at a stop.

        Raises:
            ClientDisconnect: the client left.
        """
        is_over = threading.Event()

        def search() -> None:
            exchanges = exchanges_with(self.writers.folder, reply_id, lambda: not is_over.is_set())
            earlier.add_recorded(reply_id, exchanges)

        async with self._turn:
            if await request.is_disconnected():
                raise ClientDisconnect
            searching = asyncio.ensure_future(asyncio.to_thread(search))
            try:
                await wait(request, None, searching, stop.future)
            finally:
                is_over.set()  # a thread cannot be cancelled

    async def close(self) -> None:
        self.writers.close()
        await self.upstream.close()


@dataclass
class RequestToRecord:
    """A request that is recorded with its reply: as an exchange of a recording and, where the
    upstream gave a whole one, as a fixture.

    Attributes:
        written: it as it may be written down.
    """

    recorder: Recorder
    request: Request
    body: bytes
    view: RequestView
    started: float
    written: WrittenRequest
    _received: bytearray = field(default_factory=bytearray)
    _frames: list[tuple[float, int]] = field(default_factory=list)
    _is_kept: bool = False

    async def relay(self, done: Done) -> Response:
        """Answer with the reply of the upstream. It is recorded before its last bytes are sent, so
        a reply that a client received in full is always recorded, even if this server is killed.

        Raises:
            RefusedError: the upstream cannot be reached, or its reply is incomplete.
        """
        request = self.request
        asking = self.recorder.upstream.ask(
            self.view.payload, self.body, headers_of(request.scope), query(request)
        )
        async with AsyncExitStack() as resources:
            try:
                arriving = await resources.enter_async_context(asking)
                headers = {"content-type": arriving.content_type}
                if arriving.status >= 400:
                    writer = api_of(self.view.payload).replies.writer(RUN_PROFILE, self.view)
                    headers |= writer.error_headers(ErrorReply(arriving.status, ""))
                if arriving.retry_after:
                    headers["retry-after"] = arriving.retry_after
                if self._is_stream(arriving) and not is_http_1_0(request):
                    resources.push_async_callback(self._keep_part, arriving, done)
                    return OwningStream(
                        self._passed_on(arriving, done),
                        resources.pop_all(),
                        status_code=arriving.status,
                        headers=headers,
                    )
                async for part in arriving.parts:
                    self._take(part)
                if problem := await self._keep(arriving, done):
                    name, reason = not_recorded(problem)
                    headers[name] = reason
                return Response(bytes(self._received), arriving.status, headers)
            except UpstreamError as error:
                reason = self.written.credentials.masked(str(error))
                self._note_no_fixture(reason)
                raise RefusedError(502, "upstream_failed", reason) from None

    async def _passed_on(self, arriving: Arriving, done: Done) -> AsyncIterator[bytes]:
        """The parts of a stream as they arrive."""
        replies = api_of(self.view.payload).replies
        held = b""  # maybe the end: it is sent after more has arrived, or all is kept
        try:
            async for part in arriving.parts:
                if held:
                    yield held
                    held = b""
                self._take(part)
                if not replies.ends_stream(self._received):
                    yield part
                elif replies.may_go_on:
                    held = part
                else:
                    await self._keep(arriving, done)
                    yield part
        except UpstreamError as error:
            await self._keep(arriving, done, is_complete=bool(held))
            if held:
                yield held
            reason = self.written.credentials.masked(str(error))
            self._note(broken_off_text(self.view.digest, reason))
            await close_connection(self.request.scope, self.request.receive)
        else:
            await self._keep(arriving, done)
            if held:
                yield held

    async def _keep_part(self, arriving: Arriving, done: Done) -> None:
        """Write the part of a reply that was received before the client left, and log the
        reason.
        """
        if not self._is_kept:
            self._note_no_fixture("the client closed the connection before the end")
            await self._keep(arriving, done, is_complete=False)

    def _is_stream(self, arriving: Arriving) -> bool:
        replies = api_of(self.view.payload).replies
        return replies.framing_of(arriving.content_type, bytes(self._received)) is not None

    def _take(self, part: bytes) -> None:
        at = (time.monotonic() - self.started) * 1000
        self._frames.append((round(at, 3), len(part)))
        self._received += part

    async def _keep(self, arriving: Arriving, done: Done, *, is_complete: bool = True) -> str:
        """Write what has arrived so far, the first time; returns why it is not, or not wholly,
        recorded.
        """
        if self._is_kept:
            return ""
        self._is_kept = True
        sent = Sent(
            arriving.status,
            arriving.content_type,
            bytes(self._received),
            tuple(self._frames) if self._is_stream(arriving) else (),
            is_complete,
        )
        shown, problem = await asyncio.to_thread(self._written, sent, arriving.retry_after)
        done(shown, problem)
        return problem

    async def keep_own(self, reply: HTTPReply, source: ReplySource) -> str:
        """Write a reply that needed no upstream; returns why it could not be, "" where it was."""
        sent = Sent(reply.status, reply.content_type, reply.body, is_complete=not reply.is_cut)
        return await asyncio.to_thread(self._append, sent, source)

    def _written(self, sent: Sent, retry_after: str) -> tuple[Sent, str]:
        """Write a reply of the upstream; returns what is given to ``Done``."""
        if self.written.credentials.are_in_body(sent.content_type, sent.body):
            problem = self._not_recorded("the recording would contain the key of the request")
            return replace(sent, body=b""), problem
        problem = self._append(sent, "recorded")
        if sent.is_complete and sent.status == 200:
            problem = self._save(sent) or problem
        elif sent.is_complete:
            # The client will retry, and the upstream must answer the retry.
            if is_tried_again(sent.status):
                payload, kind, body = self.written.payload, sent.content_type, sent.body
                error = read_reply(payload, kind, body, status=sent.status, retry_after=retry_after)
                self._asker.take_error(self._key, error)
            upstream, headers = self.recorder.upstream, self.request.headers
            no_key = upstream.about_key(sent.status, headers, query(self.request))
            reason = error_reason(sent.body, self.written.credentials)
            self._note_no_fixture(f"the upstream answered with {sent.status}{reason}{no_key}")
        return sent, problem

    @property
    def _asker(self) -> Asker:
        return state_of(self.request.scope).test.asker

    @property
    def _key(self) -> tuple[str, str]:
        """A key that is the same if the request is sent again."""
        return self.view.digest, self.view.variant

    def _append(self, sent: Sent, source: ReplySource) -> str:
        """Append the exchange to its recording; returns why it could not be, "" where it was."""
        if self.written.is_secret:
            return self._not_recorded("the request contains its own key")
        credentials = self.written.credentials
        exchange = Exchange(
            position=0,
            node=credentials.masked(node(self.request.headers)),
            call=0,
            request=self.written.payload,
            outcome=sent,
            digest=self.view.digest,
            source=source,
            stream=self.view.stream,
            test=credentials.masked(state_of(self.request.scope).test.name),
        )
        name = credentials.masked(self.request.headers.get(_RUN) or "recorded")
        try:
            self.recorder.writers.append(name, exchange, self.started)
        except (OSError, FormatError) as error:
            return self._not_recorded(str(error))
        return ""

    def _save(self, sent: Sent) -> str:
        """Save the fixture; returns why it could not be, "" where it was."""
        digest, errors = self.view.digest, self._asker.errors(self._key)
        try:
            payload, credentials = self.written.payload, self.written.credentials
            reply = read_reply(payload, sent.content_type, sent.body, credentials=credentials)
            saved = self.recorder.saver.save(
                payload,
                digest,
                reply,
                source="recorded",
                credentials=credentials,
                test=state_of(self.request.scope).test.name,
                first=errors,
            )
        except NoFixtureError as error:
            return self._note_no_fixture(str(error))
        self._asker.took(saved.name, len(errors) + 1)
        self._note(recorded_text(digest, saved.remark))
        return ""

    def _not_recorded(self, why: str) -> str:
        self._note(no_exchange_text(self.view.digest, why))
        return why

    def _note_no_fixture(self, why: str) -> str:
        """Log that the reply becomes no fixture, and return what is logged."""
        return self._note(no_fixture_text(self.view.digest, why))

    def _note(self, text: str) -> str:
        """Log a note, and return it."""
        self.recorder.log.write(note_line(text))
        return text


def not_recorded(problem: str) -> tuple[str, str]:
    """The header with the reason why the exchange is not recorded."""
    return NOT_RECORDED, escaped(problem).encode("ascii", "backslashreplace").decode("ascii")
