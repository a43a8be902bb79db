"""Recording: forwards misses to an upstream, relays the reply as it arrives, and writes it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.apis import writers
from workbench.core.credentials import Credentials
from workbench.core.digest import short
from workbench.core.fixtures.recorded import SecretError, fixture_of
from workbench.core.inert import escaped
from workbench.core.log.lines import note_line
from workbench.core.models import FormatError
from workbench.core.replies.http_reply import STREAM_TYPE, HTTPReply
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.view import RequestView
from workbench.core.runs.exchanges import Exchange, Sent, Source
from workbench.io.fixtures.new_fixture import save_new
from workbench.io.fixtures.store import FixtureChangedError, FixtureStore
from workbench.io.network.upstream import Arriving, Upstream, UpstreamError
from workbench.io.runs.recorded_run import exchanges_with
from workbench.io.runs.run_writers import RunWriters
from workbench.server.log import LogSink
from workbench.server.wire.closing import close_connection
from workbench.server.wire.incoming import RefusedError, headers_of, node, query
from workbench.server.wire.responses import OwningStream, is_http_1_0

_RUN: Final = "x-workbench-run"
# Says to the client why an exchange is not kept, where its reply has not begun by then.
NOT_RECORDED: Final = "X-Workbench-Not-Recorded"


class Recorded(NamedTuple):
    """A request that is being recorded.

    Attributes:
        body: as the upstream gets it.
        credentials: that were sent with it, and must not be written down.
        is_secret: whether the request itself repeats one of them.
    """

    request: Request
    body: bytes
    view: RequestView
    started: float
    credentials: Credentials
    is_secret: bool

    @property
    def digest(self) -> str:
        return self.view.digest

    @property
    def run(self) -> str:
        """The name of its run."""
        return self.request.headers.get(_RUN) or "recorded"

    def exchange(self, sent: Sent, source: Source) -> Exchange:
        return Exchange(
            position=0,
            node=node(self.request.headers),
            call=0,
            request=self.view.payload,
            outcome=sent,
            digest=self.digest,
            source=source,
            stream=self.view.stream,
        )


class Relayed(NamedTuple):
    """The result of a forwarded request.

    Attributes:
        shown: the body of the reply; empty where it repeats a credential.
        problem: why it is not, or not wholly, recorded; "" where it is.
    """

    status: int
    content_type: str
    shown: bytes
    problem: str


@dataclass
class Recorder:
    """Asks the upstream, and keeps what it says: as an exchange of a run and, where the reply is
    whole, as a fixture.

    Args:
        store_request: whether fixtures get the request they answer.
    """

    upstream: Upstream
    store: FixtureStore
    runs: RunWriters
    log: LogSink
    store_request: bool

    async def take(
        self, request: Request, body: bytes, view: RequestView, started: float
    ) -> Recorded:
        """Find the credentials of a request, and whether its body repeats them."""
        credentials = self.upstream.credentials(request.headers.items(), query(request))
        text = body.decode("utf-8", "replace")
        is_secret = await asyncio.to_thread(credentials.are_in, text)
        return Recorded(request, body, view, started, credentials, is_secret)

    async def relay(self, asked: Recorded, done: Callable[[Relayed], None]) -> Response:
        """Answer a request with the reply of the upstream.

        Args:
            done: called with what became of it, once it is kept.

        Raises:
            RefusedError: the upstream cannot be asked, or its whole reply does not come.
        """
        request = asked.request
        headers = headers_of(request)
        asking = self.upstream.ask(asked.view.payload, asked.body, headers, query(request))
        async with AsyncExitStack() as resources:
            try:
                arriving = await resources.enter_async_context(asking)
                relay = _Relay(self, asked, arriving, done)
                if relay.is_stream and not is_http_1_0(request):
                    resources.push_async_callback(relay.keep_part)
                    return OwningStream(
                        relay.passed_on(),
                        resources.pop_all(),
                        status_code=arriving.status,
                        headers=relay.headers,
                    )
                return await relay.whole()
            except UpstreamError as error:
                said = asked.credentials.masked(str(error))
                raise RefusedError(502, "upstream_failed", said) from None

    def append(self, asked: Recorded, sent: Sent, source: Source) -> str:
        """Append an exchange to its run; returns why it could not be, "" where it was."""
        if asked.is_secret:
            return self._not_recorded(asked, "the request holds the key that was sent")
        try:
            self.runs.append(asked.run, asked.exchange(sent, source), asked.started)
        except (OSError, FormatError) as error:
            return self._not_recorded(asked, str(error))
        return ""

    async def append_reply(self, asked: Recorded, reply: HTTPReply, source: Source) -> str:
        """The same for a reply that needed no upstream."""
        sent = Sent(reply.status, reply.content_type, reply.body, is_complete=not reply.is_cut)
        return await asyncio.to_thread(self.append, asked, sent, source)

    def recorded(self, text: str) -> Iterator[Exchange]:
        """The exchanges of earlier recordings, too, in which a text occurs."""
        return exchanges_with(self.runs.folder, text)

    async def close(self) -> None:
        self.runs.close()
        await self.upstream.close()

    def keep(self, asked: Recorded, sent: Sent) -> Relayed:
        """Write an exchange with the upstream."""
        if asked.credentials.are_in_reply(sent.content_type, sent.body):
            problem = self._not_recorded(asked, "it would hold the key that was sent")
            return Relayed(sent.status, sent.content_type, b"", problem)
        problem = self.append(asked, sent, "recorded")
        if sent.is_complete and sent.status == 200:
            problem = self._save(asked, sent) or problem
        elif sent.is_complete:
            # The client will ask again, and is to be answered by the upstream then.
            said = f"no fixture of {short(asked.digest)}: the upstream answered with {sent.status}"
            self.log.write(note_line(said))
        return Relayed(sent.status, sent.content_type, sent.body, problem)

    def _not_recorded(self, asked: Recorded, why: str) -> str:
        self.log.write(note_line(f"exchange not recorded: {why} ({short(asked.digest)})"))
        return why

    def _save(self, asked: Recorded, sent: Sent) -> str:
        """Save the fixture, or the variant of one; returns why it could not be, "" where it was."""
        try:
            document, said = fixture_of(
                asked.view.payload,
                asked.digest,
                sent.content_type,
                sent.body,
                source="recorded",
                store_request=self.store_request,
                credentials=asked.credentials,
            )
            save_new(self.store, asked.digest, document)
        except (NotAReplyError, SecretError, FixtureChangedError, OSError) as error:
            # Saved since by us for the same request, or there before and not readable.
            is_there = isinstance(error, FixtureChangedError)
            why = "there is a file already" if is_there else str(error)
            problem = f"no fixture of {short(asked.digest)}: {why}"
            self.log.write(note_line(problem))
            return problem
        self.log.write(note_line(f"recorded fixture {asked.digest} {said}"))
        return ""


def not_recorded(problem: str) -> tuple[str, str]:
    """The header that says why the exchange is not recorded."""
    return NOT_RECORDED, escaped(problem).encode("ascii", "backslashreplace").decode("ascii")


class _Relay:
    """Relays one reply from the upstream to the client. It is recorded before its last bytes are
    sent: a reply that a client received in full is always recorded, even if this server is killed.

    Args:
        arriving: the reply, whose head has arrived.
        done: called once it is kept.
    """

    def __init__(
        self,
        recorder: Recorder,
        asked: Recorded,
        arriving: Arriving,
        done: Callable[[Relayed], None],
    ) -> None:
        self._recorder = recorder
        self._asked = asked
        self._arriving = arriving
        self._done = done
        self._is_kept = False
        self._body = bytearray()
        self._frames: list[tuple[float, int]] = []
        self._is_complete = False
        self.headers = {"content-type": arriving.content_type}
        if arriving.retry_after:
            self.headers["retry-after"] = arriving.retry_after

    @property
    def is_stream(self) -> bool:
        return self._arriving.content_type.startswith(STREAM_TYPE.partition(";")[0])

    async def passed_on(self) -> AsyncIterator[bytes]:
        """The parts of a stream as they arrive."""
        asked = self._asked
        ends_stream = writers.of(asked.view.payload).ends_stream
        try:
            async for part in self._arriving.parts:
                self._take(part)
                if ends_stream(self._body):
                    self._is_complete = True
                    await self.keep()
                yield part
        except UpstreamError as error:
            await self.keep()
            said = asked.credentials.masked(str(error))
            line = note_line(f"the reply to {short(asked.digest)} broke off: {said}")
            self._recorder.log.write(line)
            await close_connection(asked.request.scope, asked.request.receive)
        else:
            self._is_complete = True
            await self.keep()

    async def whole(self) -> Response:
        """The whole reply, once it is complete. Raises UpstreamError."""
        async for part in self._arriving.parts:
            self._take(part)
        self._is_complete = True
        if problem := await self.keep():
            name, said = not_recorded(problem)
            self.headers[name] = said
        return Response(bytes(self._body), self._arriving.status, self.headers)

    async def keep_part(self) -> None:
        """Write what has arrived of a reply that was not sent to its end, and say so."""
        if not self._is_kept:
            said = f"no fixture of {short(self._asked.digest)}: its client hung up before the end"
            self._recorder.log.write(note_line(said))
            await self.keep()

    def _take(self, part: bytes) -> None:
        at = (time.monotonic() - self._asked.started) * 1000
        self._frames.append((round(at, 3), len(part)))
        self._body += part

    async def keep(self) -> str:
        """Write what has arrived so far, the first time; returns why it is not, or not wholly,
        recorded.
        """
        if self._is_kept:
            return ""
        self._is_kept = True
        sent = Sent(
            self._arriving.status,
            self._arriving.content_type,
            bytes(self._body),
            tuple(self._frames) if self.is_stream else (),
            self._is_complete,
        )
        relayed = await asyncio.to_thread(self._recorder.keep, self._asked, sent)
        self._done(relayed)
        return relayed.problem
