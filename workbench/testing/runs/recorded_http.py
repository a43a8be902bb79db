"""LLM calls of httpx clients as exchanges of a run: sent and recorded, or answered from one.

For both httpx and httpx2, as ``Transport`` is; a client made with it works as any other while no
run is recorded or replayed.
"""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Self

from workbench.core.apis.chat import wire
from workbench.core.apis.chat.collapse import NotAReplyError, collapse
from workbench.core.apis.chat.request import asks_stream
from workbench.core.apis.chat.wire import DONE, Frame, HTTPReply
from workbench.core.credentials import Credentials, of_request
from workbench.core.digest import RequestError, digest, parse_request
from workbench.core.packing import PackingError, Unpacker
from workbench.core.replies.answer import answer as find_answer
from workbench.core.runs.exchanges import Outcome, Raised, Returned, Sent
from workbench.core.runs.replay import MissingReplyError
from workbench.testing.mocks.outgoing import Outgoing, refusal
from workbench.testing.mocks.replies import Reply
from workbench.testing.mocks.transport import response as http_response
from workbench.testing.runs.recording import (
    Mode,
    RecordedError,
    Request,
    current_mode,
    current_node,
)

NODE_HEADER: Final = "X-Workbench-Node"
_CHAT: Final = "/chat/completions"
_REPEATED: Final = "the reply repeats a credential of its request and is not recorded"


def run_transport(inner: Any = None) -> Any:
    """For ``httpx.Client(transport=…)`` and ``AsyncClient``, of httpx or httpx2: what the client
    asks is sent, and recorded while a run is; in a replay it is answered and not sent.

    The node is the one of the block the call is made in (``with node("planner"):``), else the
    request's header ``X-Workbench-Node``.

    Args:
        inner: makes the live calls; by default the library's own transport.
    """
    return _RunTransport(inner)


class _RunTransport:
    def __init__(self, inner: Any = None) -> None:
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        mode = current_mode()
        if mode is None:
            return self._live(request, "HTTPTransport").handle_request(request)
        asked = _asked(request, request.read())
        recorded = _recorded(mode, request, asked)
        if recorded is not None:
            return recorded
        taken = _Taken(mode, asked, _credentials(request))
        with taken.failure():
            answer = self._live(request, "HTTPTransport").handle_request(_unpacked(request))
        return taken.wrapped(request, answer)

    async def handle_async_request(self, request: Any) -> Any:
        mode = current_mode()
        if mode is None:
            return await self._live(request, "AsyncHTTPTransport").handle_async_request(request)
        asked = _asked(request, await request.aread())
        recorded = _recorded(mode, request, asked)
        if recorded is not None:
            return recorded
        taken = _Taken(mode, asked, _credentials(request))
        with taken.failure():
            live = self._live(request, "AsyncHTTPTransport")
            answer = await live.handle_async_request(_unpacked(request))
        return taken.wrapped(request, answer)

    def _live(self, request: Any, name: str) -> Any:
        if current_node():
            request.headers[NODE_HEADER] = current_node()
        if self._inner is None:
            self._inner = getattr(importlib.import_module(_library(request)), name)()
        return self._inner

    def close(self) -> None:
        if hasattr(self._inner, "close"):
            self._inner.close()

    async def aclose(self) -> None:
        if hasattr(self._inner, "aclose"):
            await self._inner.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Taken:
    """Takes note of one live call as its reply arrives.

    Args:
        credentials: that were sent with the call, and are not written down.
    """

    def __init__(self, mode: Mode, asked: Request, credentials: Credentials) -> None:
        self._mode = mode
        is_secret = credentials.are_in(json.dumps(asked.value))
        self._asked = replace(asked, value={}) if is_secret else asked
        self._credentials = credentials
        self._started = time.perf_counter()
        self._status = 0
        self._content_type = ""
        self._coding = ""
        self._body = bytearray()
        self._arrivals: list[tuple[float, int]] = []
        self._is_noted = False

    @contextmanager
    def failure(self) -> Iterator[None]:
        """Note the exception that a client gets in place of a reply."""
        try:
            yield
        except Exception as error:
            said = self._credentials.masked(str(error))
            self._note(Raised(type(error).__name__, said))
            raise

    def wrapped(self, request: Any, answer: Any) -> Any:
        """The reply, noted when the client has read it."""
        self._status = answer.status_code
        self._content_type = answer.headers.get("content-type", "")
        if answer.is_stream_consumed:  # a mock's, say, which has it all, and decoded
            self.part(answer.content)
            self.ended(is_complete=True)
            return answer
        self._coding = answer.headers.get("content-encoding", "")
        answer.stream = _stream_class(_library(request))(answer.stream, self)
        return answer

    def part(self, data: bytes) -> None:
        at = (time.perf_counter() - self._started) * 1000
        self._body += data
        self._arrivals.append((round(at, 3), len(data)))

    def ended(self, *, is_complete: bool) -> None:
        frames = tuple(self._arrivals) if self._asked.stream and not self._coding else ()
        try:
            # As a client reads it: a replay sends it without a coding.
            body = b"".join(Unpacker(self._coding).pieces(bytes(self._body)))
        except PackingError as error:
            self._note(Raised("PackingError", f"the reply {error}"))
            return
        if self._credentials.are_in_reply(self._content_type, body):
            self._note(Raised("CredentialError", _REPEATED))
            return
        # A client closes a stream at its last event, whatever might follow.
        is_complete = is_complete or body.rstrip().endswith(DONE.rstrip())
        self._note(Sent(self._status, self._content_type, body, frames, is_complete))

    def _note(self, outcome: Outcome) -> None:
        if not self._is_noted:
            self._is_noted = True
            self._mode.made(self._asked, outcome, self._started)


def _credentials(request: Any) -> Credentials:
    headers = [(name.lower(), value) for name, value in request.headers.items()]
    return Credentials(of_request(headers, request.url.query.decode("ascii")))


def _asked(request: Any, body: bytes) -> Request:
    node = current_node() or request.headers.get(NODE_HEADER, "")
    if request.method == "POST" and request.url.path.endswith(_CHAT):
        try:
            payload = parse_request(body)
            return Request(node, payload, digest(payload), asks_stream(payload))
        except RequestError:
            pass  # the server says what is wrong with it
    try:
        value = json.loads(body) if body else None
    except (ValueError, RecursionError):
        value = body.decode("utf-8", "surrogateescape")
    return Request(node, {"method": request.method, "path": request.url.path, "body": value})


def _unpacked(request: Any) -> Any:
    """The request, asking for a reply that is not compressed: its bytes are recorded."""
    request.headers["Accept-Encoding"] = "identity"
    return request


def _recorded(mode: Mode, request: Any, asked: Request) -> Any:
    """The reply that is recorded, if there is to be one."""
    try:
        outcome = mode.outcome(asked)
    except MissingReplyError as error:
        # Clients take what a transport raises for a broken connection and try again.
        return http_response(request, refusal(400, "missing_reply", str(error)))
    if asked.digest is not None:
        outcome = _as_asked(outcome, asked, asked.digest)
    return None if outcome is None else _given(request, outcome)


def _as_asked(outcome: Outcome | None, asked: Request, digest: str) -> Outcome | None:
    """The outcome of an LLM call: a value that somebody wrote becomes what the model says, its
    text or its JSON, and a reply that was recorded in the other shape, as a stream or in one
    piece, takes the one that is asked for now.
    """
    match outcome:
        case Returned(value):
            reply = Reply.text(value) if isinstance(value, str) else Reply.json(value)
            response = reply.placed(asked.value, digest).response
        case Sent(200, content_type, body, is_complete=True):
            if asked.stream == ("event-stream" in content_type.lower()):
                return outcome
            try:
                response = collapse(content_type, body)
            except NotAReplyError:
                return outcome
        case _:
            return outcome
    answer = find_answer(asked.value, digest, lambda _: {"response": response})
    sent = wire.http_reply(wire.PROFILES["stub"], answer, 0, stream=asked.stream)
    return Sent(sent.status, sent.content_type, sent.body)


def _given(request: Any, outcome: Outcome) -> Any:
    match outcome:
        case Sent():
            frame = Frame("body", outcome.body)
            reply = HTTPReply(
                outcome.status, outcome.content_type, [frame], is_cut=not outcome.is_complete
            )
            return http_response(request, Outgoing(reply))
        case Raised(kind, message):
            library: Any = importlib.import_module(_library(request))
            known = getattr(library, kind, None)
            if isinstance(known, type) and issubclass(known, library.TransportError):
                raise known(message, request=request)
            raise RecordedError(kind, message)
    raise RecordedError("TypeError", "the recorded call was no request over HTTP, this one is")


def _library(request: Any) -> str:
    return str(type(request).__module__.partition(".")[0])


@lru_cache
def _stream_class(library_name: str) -> Any:
    """The class of our bodies; the library's clients insist on one of theirs."""
    library: Any = importlib.import_module(library_name)

    class Body(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, taken: _Taken) -> None:
            self._inner = inner
            self._taken = taken
            self._is_complete = False

        def __iter__(self) -> Iterator[bytes]:
            for data in self._inner:
                self._taken.part(data)
                yield data
            self._is_complete = True

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._inner:
                self._taken.part(data)
                yield data
            self._is_complete = True

        def close(self) -> None:
            try:
                self._taken.ended(is_complete=self._is_complete)
            finally:
                self._inner.close()

        async def aclose(self) -> None:
            try:
                self._taken.ended(is_complete=self._is_complete)
            finally:
                await self._inner.aclose()

    return Body
