"""A request that is being answered, with what is known of it so far."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request

from workbench.core.answering.lookup import Answered
from workbench.core.apis.api import API
from workbench.core.misses.miss import RequestFacts, request_facts
from workbench.core.replies.http_reply import Writer
from workbench.core.requests.equivalence import Forms, form_digests
from workbench.core.requests.view import RequestView
from workbench.core.written.request import WrittenRequest, as_written
from workbench.server.long_work import Turns
from workbench.server.wire.incoming import query, raw_path
from workbench.server.wire.request_state import RequestState

if TYPE_CHECKING:
    from workbench.server.misses.recorder import RequestToRecord


class Client(NamedTuple):
    """Distinguishes a client that retries from others with the same request."""

    host: str
    user_agent: str
    test: str


@dataclass(slots=True)
class ReceivedRequest:
    """A request that is being answered.

    Attributes:
        body: as received, or in JSON with the earlier request it refers to.
        writer: writes its reply.
        at: when it was complete, in seconds since the epoch.
        is_counted: False for a verification, which leaves no trace.
        turns: the queue for work on long requests.
        fixture: the name of the fixture that answers it, if there is one.
        number: which of that fixture's answers it gets, from 0.
        size: size of its body, or of its fixture if that is longer; in bytes.
        source: origin of the reply, in the words of records of exchanges.
        started: the time ``at`` on the monotonic clock.
        recording: its recording; None on a server that does not record.
        written: the request in a form that may be written to disk; None until needed.
        held_s: seconds it was held until the time ran out; None if it was answered or not held.
        is_ignored: the ignore list contains it, so it gets the fallback.
    """

    request: Request
    state: RequestState
    body: bytes
    view: RequestView
    api: API
    writer: Writer
    at: float
    is_counted: bool
    turns: Turns
    fixture: str = ""
    number: int = 0
    size: int = 0
    source: str = ""
    started: float = field(default_factory=time.monotonic)
    recording: RequestToRecord | None = None
    written: WrittenRequest | None = None
    held_s: float | None = None
    is_ignored: bool = False

    @property
    def client(self) -> Client:
        address = self.request.client
        return Client(
            address.host if address else "",
            self.state.headers.get("user-agent", ""),
            self.state.test.name,
        )

    @property
    def digest(self) -> str:
        return self.view.digest

    @property
    def stream(self) -> bool:
        return self.view.stream

    async def as_written(self) -> WrittenRequest:
        """The request as it may be written down."""
        if self.written is None:
            request = self.request
            path = raw_path(request.scope)
            arguments = (self.view.payload, request.headers.items(), query(request), path)
            self.written = await self.turns.of(len(self.body), as_written, *arguments)
        return self.written

    async def answered_lines(self, answered: Answered) -> str:
        """The log lines of its answer."""
        has_problems = bool(answered.answer.problems)
        masked = (await self.as_written()).credentials.masked if has_problems else str
        return answered.lines(masked)

    async def dump(self) -> tuple[bytes, RequestFacts]:
        """Its JSON as it may be written down, empty if it must not, and its facts."""
        written = await self.as_written()

        def dumped() -> tuple[bytes, RequestFacts]:
            _ = self.view.variant  # which is kept, and needed with it
            facts = request_facts(self.view)
            return b"" if written.is_secret else written.body, facts

        return await self.turns.of(len(self.body), dumped)

    async def forms(self) -> Forms:
        """The digests of its canonical form."""
        return await self.turns.of(len(self.body), form_digests, self.view)
