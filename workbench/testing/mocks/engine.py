"""How a mock answers: scripts first, then fixtures; every request is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.apis.chat import wire
from workbench.core.apis.chat.request import Payload
from workbench.core.apis.chat.wire import HTTPReply, ProfileName
from workbench.core.digest import digest as request_digest
from workbench.core.replies.answer import Answer
from workbench.core.replies.answer import answer as find_answer
from workbench.core.runs.exchanges import Exchange
from workbench.testing.mocks import scripted_calls
from workbench.testing.mocks.calls import Call, table
from workbench.testing.mocks.errors import (
    InvalidToolCallError,
    MockLLMError,
    ReplyFunctionError,
    TooManyCallsError,
)
from workbench.testing.mocks.outgoing import Outgoing, outgoing
from workbench.testing.mocks.replies import Reply
from workbench.testing.mocks.scripts import Matcher, Script, Scripts, asked
from workbench.testing.mocks.stored import Stored
from workbench.testing.mocks.unanswered import Miss, Unanswered
from workbench.testing.runs.record import Record

if TYPE_CHECKING:
    from workbench.testing.mocks.live import Upstream

# Of the calls that led to one too many.
_LAST_CALLS = 5


class Engine:
    """Answers requests, wherever they come from. Safe for threads: one lock guards what is
    scripted and kept; replies are made outside of it.

    Args:
        stored: fixtures for what no script answers.
        unanswered: keeps what is not answered, and what goes wrong.
    """

    def __init__(
        self,
        stored: Stored | None,
        *,
        max_calls: int | None,
        profile: ProfileName,
        unanswered: Unanswered,
        upstream: Upstream | None,
    ) -> None:
        self._stored = stored
        self._max_calls = max_calls
        self._upstream = upstream
        self.unanswered = unanswered
        self.profile = wire.PROFILES[profile]
        self._lock = threading.Lock()
        self._making: dict[int, str] = {}
        self.reset()

    def reset(self) -> None:
        with self._lock:
            self._scripts = Scripts()
            self._record = Record()
        self.unanswered.reset()

    def declare(self, role: str, matcher: Matcher) -> None:
        with self._lock:
            self._scripts.roles.append((role, matcher))

    def add(self, script: Script) -> None:
        with self._lock:
            if script.role is not None and script.matcher:
                self._scripts.roles.append((script.role, script.matcher))
            self._scripts.scripts.append(script)

    @property
    def calls(self) -> list[Call]:
        with self._lock:
            return list(self._record.calls)

    @property
    def exchanges(self) -> list[Exchange]:
        with self._lock:
            return self._record.exchanges()

    @property
    def left(self) -> list[tuple[Script, int]]:
        """The scripts with replies that nobody asked for, and how many."""
        if self._upstream is not None:  # which is asked instead
            return []
        with self._lock:
            return self._scripts.left()

    @property
    def making(self) -> list[str]:
        """The functions that are making replies now, each with the call that asked for it."""
        return list(self._making.values())

    @property
    def known_roles(self) -> set[str]:
        """The roles that were declared, and those that were seen."""
        with self._lock:
            seen = {call.role for call in self._record.calls if call.role}
            return {name for name, _ in self._scripts.roles} | seen

    def deliver(self, payload: Payload, headers: Mapping[str, str], query: str = "") -> Outgoing:
        """The reply to a request over HTTP.

        Args:
            headers: their names in lower case.
            query: for the real model, where there is one.

        Raises:
            RequestError: the request has no digest.
            MockLLMError: there is no reply; it is among the problems of ``unanswered``, too.
        """
        call = self.arrive(payload, headers)
        if self._upstream is not None:
            sent = Outgoing(self._forwarded(call, headers, query, self._upstream))
        else:
            answer = self.answer(call, checked=True)
            is_refused = call.reply is not None and call.reply.is_refused
            sent = outgoing(answer, payload, self.profile, is_refused=is_refused)
        with self._lock:
            self._record.sent(call, sent.reply)
        return sent

    def _forwarded(
        self, call: Call, headers: Mapping[str, str], query: str, upstream: Upstream
    ) -> HTTPReply:
        try:
            return upstream.forward(call, headers, query)
        except MockLLMError as error:
            raise self.unanswered.note(error) from None

    def arrive(self, payload: Payload, headers: Mapping[str, str], role: str | None = None) -> Call:
        """Keep a request.

        Args:
            role: whose it is, where that is known.

        Raises:
            RequestError: it has no digest.
            TooManyCallsError: it is one too many.
        """
        digest = request_digest(payload)
        with self._lock:
            calls = self._record.calls
            call = Call(len(calls) + 1, payload, digest, role, headers)
            call.role = role or self._scripts.role_of(call)
            if self._max_calls is not None and call.number > self._max_calls:
                message = (
                    f"The application asked {call.number} times; max_calls is {self._max_calls}. "
                    f"Its last calls:\n{table(calls[-_LAST_CALLS:])}"
                )
                raise self.unanswered.note(TooManyCallsError(message))
            self._record.arrived(call, time.monotonic())
        return call

    def answer(self, call: Call, *, checked: bool) -> Answer:
        """Find the reply to a request that has arrived.

        Args:
            checked: whether the tool calls of a script must be such as the request allows.

        Raises:
            MockLLMError: there is none.
        """
        scripted: Reply | None = None
        response: Mapping[str, Any] | None = None

        def lookup(digest: str) -> Mapping[str, Any] | None:
            nonlocal scripted, response
            scripted = self._scripted(call, checked=checked)
            fixture: Mapping[str, Any] | None = None
            if scripted is not None:
                fixture = {"response": scripted.response}
            elif self._stored is not None:
                fixture = self._stored.load(digest)
            response = fixture.get("response") if fixture else None
            return fixture

        answer = find_answer(call.payload, call.digest, lookup)
        if answer.source == "fallback":
            self._missed(call, answer)
        if call.source != "scripted":
            call.source = answer.source
        reply = answer.reply
        said = response or {"content": reply.content, "tool_calls": reply.tool_calls}
        call.reply = scripted or Reply(said)
        return answer

    def _scripted(self, call: Call, *, checked: bool) -> Reply | None:
        """What the scripts answer, if they do."""
        with self._lock:
            try:
                source = self._scripts.take(call)
            except MockLLMError as error:
                raise self.unanswered.note(error) from None
        if source is None:
            return None
        reply = source if isinstance(source, Reply) else self._made(source, call)
        reply = reply.placed(call.payload, call.digest)
        if checked and not reply.unchecked:
            self._require_valid(reply, call)
        call.source = "scripted"
        return reply

    def _require_valid(self, reply: Reply, call: Call) -> None:
        """Raises InvalidToolCallError where no model would reply that."""
        wrong = scripted_calls.problems(reply.response, call.payload)
        if wrong:
            lines = [
                f"The reply scripted for call {call.number} ({asked(call)}) does not fit it:",
                *(f"  {problem}" for problem in wrong),
                "If that is what the test is about, add unchecked=True to the Reply.",
            ]
            raise self.unanswered.note(InvalidToolCallError("\n".join(lines)))

    def _made(self, function: Callable[[Call], Reply], call: Call) -> Reply:
        __tracebackhide__ = True
        self._making[id(call)] = f"{_named(function)}, call {call.number} ({asked(call)})"
        try:
            reply = function(call)
            if not isinstance(reply, Reply):
                raise TypeError(f"it returned {reply!r}, which is no Reply")
        except Exception as error:
            message = f"The function that replies to call {call.number} failed: {error!r}"
            raise self.unanswered.note(ReplyFunctionError(message)) from error
        finally:
            del self._making[id(call)]
        return reply

    def _missed(self, call: Call, answer: Answer) -> None:
        """Keep a miss. Raises NoReplyError where no fallback is wanted."""
        said = [f"Nothing answers call {call.number} ({asked(call)})."]
        if answer.broken is not None:
            broken = answer.broken
            said.append(f"Its fixture {call.digest} is broken: {broken.place}: {broken}.")
        elif self._stored is not None:
            said.append(self._stored.nearest(call))
        else:
            said.append(f"Its digest is {call.digest}.")
        with self._lock:
            said += self._scripts.nearest(call)
        self.unanswered.note_miss(Miss(call, " ".join(said)))


def _named(function: Callable[..., object]) -> str:
    """A function by its name and place."""
    name = getattr(function, "__qualname__", "") or repr(function)
    code = getattr(function, "__code__", None)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code else name
