"""How a mock answers: by scripts, then by fixtures. Every request is kept."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from workbench.core.answering.lookup import Answered, Missed, find_other, find_own
from workbench.core.answering.plain import PlainLookups
from workbench.core.apis.table import api_of, view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.fixture.document import placed as with_place
from workbench.core.fixture.names import digest_of
from workbench.core.recordings.exchanges import Sent
from workbench.core.replies.answer import Answer
from workbench.core.replies.fixture_form import MAX_DELAY_MS
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import NeutralReply, fixture_replies
from workbench.core.requests.view import Payload
from workbench.io.fixture.asker import Asker
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.testing.mocks.calls import Call, repeats_credential, table
from workbench.testing.mocks.errors import (
    InvalidToolCallError,
    MockLLMError,
    NoReplyError,
    ReplyFunctionError,
    TooManyCallsError,
    UnsupportedRequestError,
)
from workbench.testing.mocks.fitting import does_not_fit, misfits, placed
from workbench.testing.mocks.no_reply import no_reply_text
from workbench.testing.mocks.replies import Reply
from workbench.testing.mocks.scripts import Scripts

if TYPE_CHECKING:
    from workbench.testing.mocks.live import LiveModel

__tracebackhide__ = True  # failed tests show their own frames

# Shown where there is one too many.
_LAST_CALLS: Final = 5

_logger = logging.getLogger("workbench.testing")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A reply and its timing.

    Attributes:
        delay: seconds until the first byte; None for no reply at all.
        pause: seconds before each paced frame.
        is_refused: refuse the connection, if it is not open yet.
    """

    reply: HTTPReply
    delay: float | None = 0.0
    pause: float = 0.0
    is_refused: bool = False


@dataclass(kw_only=True)
class Engine:
    """Answers requests of any origin. Thread-safe: the lock guards scripts and the numbering of
    calls; replies are made without it.

    Attributes:
        stored: fixtures for requests that no script answers.
        strict: answer a miss with an error instead of the fallback.
        on_unanswered: called with each request that nothing answers, or that is not supported.
        on_served: called with the digest of each fixture that answers a request, or that is
            recorded.
        log_options: makes the options with which commands find the log that ``on_unanswered``
            writes; None if it writes none.
        problems: why requests were not answered.
        making: the reply functions that run now, with the call that each answers.
    """

    stored: StoredFixtures | None
    strict: bool
    max_calls: int | None
    profile: ProfileName
    on_unanswered: Callable[[Call | UnsupportedRequest], None] | None = None
    on_served: Callable[[str], None] | None = None
    log_options: Callable[[], Sequence[str]] | None = None
    upstream: LiveModel | None = None

    def __post_init__(self) -> None:
        self.making: dict[int, str] = {}
        self.lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        with self.lock:
            self.scripts = Scripts()
            self.calls: list[Call] = []
            self.problems: list[MockLLMError] = []
            self.unsupported: list[UnsupportedRequest] = []
            self._earlier = EarlierRequests(self.stored)
            self._asker = Asker()
            self._started: float | None = None

    @property
    def lookups(self) -> PlainLookups:
        """The data sources of replies without fixtures."""
        if self.stored is None:
            return PlainLookups(list, self._earlier.find, lambda name: None)  # noqa: ARG005
        return PlainLookups(self.stored.store.models, self._earlier.find, self.stored.store.reply)

    def note(self, error: MockLLMError) -> MockLLMError:
        """Keep a problem; returns it, to be raised."""
        self.problems.append(error)
        _logger.warning("%s: %s", error.code, error)
        return error

    def _is_ignored(self, request: str) -> bool:
        return self.stored is not None and self.stored.ignores(request)

    def _note_served(self, digest: str) -> None:
        if self.on_served is not None:
            self.on_served(digest)

    def note_unsupported(self, request: UnsupportedRequest) -> None:
        if self._is_ignored(request.line):
            return
        self.unsupported.append(request)
        if self.strict:
            self.note(UnsupportedRequestError(request.message))
        if self.on_unanswered is not None:
            self.on_unanswered(request)

    def deliver(
        self, path: str, payload: Payload, headers: Mapping[str, str], body: bytes, query: str
    ) -> Outgoing:
        """The reply to a request over HTTP.

        Args:
            path: path of the URL.
            headers: names are in lower case.
            body, query: passed on to the real model, if there is one.

        Raises:
            RequestError: the request has no digest.
            UnknownIDError: it refers to an earlier reply that does not exist.
            MockLLMError: no reply is found. The error is also added to ``problems``.
        """
        call = self.arrive(self._earlier.resolve(payload), headers)
        if self.upstream is not None:
            body = self._earlier.forwarded(body, call.payload)
            try:
                sent = Outgoing(self.upstream.forward(call, headers, body, query))
            except MockLLMError as error:
                raise self.note(error) from None
            self._earlier.add_reply(call.view, sent.reply.content_type, sent.reply.body, 0)
            self._note_served(call.digest)
        else:
            sent = self._outgoing(path, call, self.answer(call, checked=True), headers)
        reply = sent.reply
        call.latency_ms = round(self._now_ms() - call.at_ms, 3)
        call.sent = Sent(reply.status, reply.content_type, reply.body, is_complete=not reply.is_cut)
        return sent

    def _outgoing(
        self, path: str, call: Call, answer: Answer, headers: Mapping[str, str]
    ) -> Outgoing:
        self._earlier.add(answer, 0)
        delivery = answer.reply.delivery
        replies, accept = api_of(call.payload).replies, headers.get("accept", "")
        writer = replies.writer(self.profile, call.view, path, accept)
        return Outgoing(
            writer.reply(answer, int(time.time()), stream=call.stream),
            None if delivery.delay_ms >= MAX_DELAY_MS else delivery.delay_ms / 1000,
            delivery.chunk_delay_ms / 1000,
            call.reply is not None and call.reply.is_refused,
        )

    def arrive(self, payload: Payload, headers: Mapping[str, str], role: str | None = None) -> Call:
        """Keep a request.

        Args:
            role: role of the caller, if it is known.

        Raises:
            RequestError: it has no digest.
            TooManyCallsError: there were ``max_calls`` before it.
        """
        request = view(payload)
        digest = request.digest
        with self.lock:
            if self._started is None:
                self._started = time.monotonic()
            number = len(self.calls) + 1
            call = Call(number, request, digest, role, headers, at_ms=self._now_ms())
            call.role = role or self.scripts.role_of(call)
            if self.max_calls is not None and number > self.max_calls:
                message = (
                    f"The application made {number} calls, but max_calls is {self.max_calls}. Look "
                    f"for an endless loop, or set max_calls to a higher number. The last calls:\n"
                    f"{table(self.calls[-_LAST_CALLS:])}"
                )
                raise self.note(TooManyCallsError(message))
            self.calls.append(call)
        return call

    def _now_ms(self) -> float:
        """Milliseconds since the first call."""
        return 0.0 if self._started is None else (time.monotonic() - self._started) * 1000

    def answer(self, call: Call, *, checked: bool) -> Answer:
        """The answer to a received request; sets its ``reply`` and ``source``.

        Args:
            checked: require that the tool calls of a script are possible in reply to the request.

        Raises:
            MockLLMError: there is none.
        """

        store = None if self.stored is None else self.stored.store
        own = call.digest if store is None else store.name_for(call.digest, call.view)

        def lookup(_: str) -> Mapping[str, Any] | None:
            reply = self._scripted(call, checked=checked)
            if reply is not None:
                call.reply, call.source = reply, "scripted"
                return {"response": reply.response}
            return None if store is None else store.load(own)

        def read(name: str, fixture: Mapping[str, Any]) -> NeutralReply:
            replies = fixture_replies(fixture)
            return replies[self._asker.take(name, len(replies))]

        outcome = find_own(call.view, lookup, partial(read, own))
        if isinstance(outcome, Missed) and self.stored is not None:
            outcome = find_other(outcome, self.stored.others(), read)
        answer = outcome.answer
        if isinstance(outcome, Missed):
            call.reply = None
            self._missed(call, answer)
        if call.source != "scripted":
            call.source = answer.source
            if isinstance(outcome, Answered) and answer.source == "fixture":
                other = outcome.other
                self._note_served(call.digest if other is None else digest_of(other.name))
        if call.reply is None:
            reply = answer.reply
            written = {"content": reply.content, "tool_calls": reply.tool_calls}
            call.reply = Reply(written if reply.response is None else reply.response)
        return answer

    def _scripted(self, call: Call, *, checked: bool) -> Reply | None:
        """The scripted reply, with the call's own ids; None if no script matches."""
        with self.lock:
            try:
                source = self.scripts.take(call)
            except MockLLMError as error:
                raise self.note(error) from None
        if source is None:
            return None
        reply = source if isinstance(source, Reply) else self._made(source, call)
        reply = placed(reply, call.payload, call.digest)
        if checked and (wrong := misfits(reply, call.payload)):
            raise self.note(InvalidToolCallError(does_not_fit(f"scripted for {call}", wrong)))
        return reply

    def _made(self, function: Callable[[Call], Reply], call: Call) -> Reply:
        place = _location(function)
        self.making[id(call)] = f"{place}, {call}"
        try:
            reply: object = function(call)
        except Exception as error:
            message = f"The reply function {place} raised an exception for {call}: {error!r}"
            raise self.note(ReplyFunctionError(message)) from error
        finally:
            del self.making[id(call)]
        if not isinstance(reply, Reply):
            message = f"The reply function {place} must return a Reply. For {call} it returned "
            raise self.note(ReplyFunctionError(f"{message}{reply!r}."))
        return reply

    def _missed(self, call: Call, answer: Answer) -> None:
        """Keep a miss. Raises NoReplyError if the mock is strict."""
        if self._is_ignored(call.digest):
            return
        fixture, script, older = "", "", ""
        # Differences would show a credential that the request repeats.
        is_hidden = repeats_credential(call)
        if answer.broken is not None:
            broken, which = answer.broken, "Its reply"
            if call.source != "scripted" and self.stored is not None:
                name = self.stored.store.name_for(call.digest, call.view)
                which = f"Its fixture {name}"
                broken = with_place(broken, self.stored.store.read(name) or b"")
            fixture = f"{which} is broken: {broken.place}: {broken}."
        elif self.stored is not None and not is_hidden:
            fixture, older = self.stored.nearest.explained(call.view)
        if not is_hidden:
            with self.lock:
                script = self.scripts.nearest(call)
        why = " ".join(filter(None, [fixture, script]))
        call.unanswered = f"Nothing answers {call}. {why}".rstrip()
        if self.on_unanswered is not None:
            self.on_unanswered(call)
        if self.strict:
            options = None
            # A fixture that is broken exists already.
            if answer.broken is None and self.log_options is not None:
                options = self.log_options()
            raise self.note(NoReplyError(no_reply_text(call, why, options, older)))


def _location(function: Callable[..., object]) -> str:
    """``name (file:line)`` of a function."""
    name = getattr(function, "__qualname__", "") or repr(function)
    code = getattr(function, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code else name
