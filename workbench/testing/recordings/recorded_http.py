"""LLM calls of httpx clients as exchanges of a recording: sent and recorded, or answered from one.

For httpx and httpx2, like ``Transport``. While nothing is recorded or replayed, a client made
with it works as usual.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import httpx

from workbench.core.answering.errors import RefusedError, error_reply
from workbench.core.answering.replayed import as_sent, replayed
from workbench.core.apis.paths import api_at, conversation_at, received
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.table import api_of, view
from workbench.core.control_api import NODE_HEADER
from workbench.core.recordings.exchanges import (
    Exchange,
    Outcome,
    Raised,
    Returned,
    Sent,
    unsendable,
)
from workbench.core.recordings.replay import MissingReplyError
from workbench.core.replies.answer import answer_with
from workbench.core.replies.content_encoding import PackingError, Unpacker
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.profile_names import RUN_PROFILE, ProfileName
from workbench.core.request_body import RequestError, parse_request
from workbench.core.secrets.bodies import named_in, without
from workbench.core.written.request import as_written
from workbench.io.fixture.earlier import EarlierRequests
from workbench.io.settings import Settings
from workbench.testing.mocks.engine import Outgoing
from workbench.testing.mocks.fitting import placed
from workbench.testing.mocks.replies import Reply
from workbench.testing.mocks.transport import Httpx2Transport, async_reply, library_of, reply
from workbench.testing.recordings.modes import Mode, Request, current_mode
from workbench.testing.recordings.nodes import RecordedError, current_node, noting_failure

_REPEATED: Final = "the reply repeats a credential of its request and is not recorded"


def run_transport(inner: Any = None) -> RunTransport:
    """Return a transport that records LLM calls while ``Run.record`` records, and answers them
    from the recording in a replay. At other times it only sends them. It fits ``Client`` and
    ``AsyncClient`` of httpx and httpx2::

        OpenAI(http_client=httpx2.Client(transport=run_transport()))

    A request belongs to the node of the enclosing block (``with node("planner"):``), or to the node
    in its header ``X-Workbench-Node``.

    Args:
        inner: transport that sends the requests; None for the transport of the library.
    """
    return RunTransport(inner)


class RunTransport(httpx.BaseTransport, httpx.AsyncBaseTransport, Httpx2Transport):
    """A transport that sends and records requests, or answers them from a recording."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._earlier = EarlierRequests()

    def handle_request(self, request: Any) -> Any:
        mode = current_mode()
        if mode is None:
            return self._live(request, "HTTPTransport").handle_request(request)
        begun = self._begun(mode, request, request.read())
        if isinstance(begun, Outgoing):
            return reply(request, begun)
        with noting_failure(begun.note, begun.credentials.masked):
            response = self._live(request, "HTTPTransport").handle_request(request)
        return begun.of(request, response)

    async def handle_async_request(self, request: Any) -> Any:
        mode = current_mode()
        if mode is None:
            return await self._live(request, "AsyncHTTPTransport").handle_async_request(request)
        begun = self._begun(mode, request, await request.aread())
        if isinstance(begun, Outgoing):
            return await async_reply(request, begun)
        with noting_failure(begun.note, begun.credentials.masked):
            live = self._live(request, "AsyncHTTPTransport")
            response = await live.handle_async_request(request)
        return begun.of(request, response)

    def _begun(self, mode: Mode, request: Any, body: bytes) -> Outgoing | _Recording:
        """The recorded reply; without one the recording of the call, which is to be made. Raises
        what the recorded call raised.
        """
        call = self._call_of(request, body)
        try:
            exchange = mode.recorded(_without_credentials(call))
        except MissingReplyError as error:
            # A reply, since clients retry when a transport raises an error.
            refusal = RefusedError(404, "missing_reply", str(error))
            return Outgoing(error_reply(request.url.path, refusal, _profile()))
        if exchange is None:
            return _Recording(mode, request, call, self._earlier)
        sent = _replayed(exchange, call)
        if sent is not None:
            _keep(self._earlier, call, sent.status, sent.content_type, sent.body)
            return Outgoing(sent)
        match exchange.outcome:
            case Raised(kind, message):
                library = library_of(request)
                error_class = getattr(library, kind, None)
                if isinstance(error_class, type) and issubclass(
                    error_class, library.TransportError
                ):
                    raise error_class(message, request=request)
                raise RecordedError(kind, message)
        raise RecordedError(
            "TypeError", "the recorded call was not an HTTP request, but this call is"
        )

    def _call_of(self, request: Any, body: bytes) -> Request:
        node = current_node() or request.headers.get(NODE_HEADER, "")
        path, query = request.url.path, request.url.query.decode("latin-1")
        if request.method.upper() == "POST" and conversation_at(path):
            try:
                payload = received(path, query, parse_request(body)) or {}
                with suppress(UnknownIDError):  # a recording may be replayed in part
                    payload = self._earlier.resolve(payload)
                request_view = view(payload)
                return Request(node, request_view.payload, request_view.digest, request_view.stream)
            except RequestError:
                pass  # the server reports its error
        try:
            value = json.loads(body) if body else None
        except (ValueError, RecursionError):
            value = body.decode("utf-8", "surrogateescape")
        return Request(node, {"method": request.method, "path": path, "body": value})

    def _live(self, request: Any, name: str) -> Any:
        if current_node():
            request.headers[NODE_HEADER] = current_node()
        if self._inner is None:
            self._inner = getattr(library_of(request), name)()
        return self._inner

    def close(self) -> None:
        if hasattr(self._inner, "close"):
            self._inner.close()

    async def aclose(self) -> None:
        if hasattr(self._inner, "aclose"):
            await self._inner.aclose()


class _Recording:
    """One live call, recorded when its client has read the reply, without the credentials sent with
    it.
    """

    def __init__(self, mode: Mode, request: Any, call: Request, earlier: EarlierRequests) -> None:
        request.headers["Accept-Encoding"] = "identity"
        written = as_written(
            call.value,
            [(name.lower(), value) for name, value in request.headers.items()],
            request.url.query.decode("ascii"),
            request.url.path,
            is_hashed=call.digest is not None,
        )
        self.credentials = written.credentials
        self._mode = mode
        self._call = replace(
            call,
            node=written.credentials.masked(call.node),
            value={} if written.is_secret else written.payload,
        )
        self._path = request.url.path
        self._earlier = earlier
        self._started = time.perf_counter()
        self._response: Any = None
        self._coding = ""
        self._body = bytearray()
        self._frames: list[tuple[float, int]] = []
        self._is_noted = False

    def of(self, request: Any, response: Any) -> Any:
        """The reply, recorded when it has been read."""
        self._response = response
        if response.is_stream_consumed:  # of a mock transport, and decoded
            self.part(response.content)
            self.ended(is_complete=True)
        else:
            self._coding = response.headers.get("content-encoding", "")
            response.stream = _body_class(library_of(request))(response.stream, self)
        return response

    def part(self, data: bytes) -> None:
        at = (time.perf_counter() - self._started) * 1000
        self._body += data
        self._frames.append((round(at, 3), len(data)))

    def ended(self, *, is_complete: bool) -> None:
        content_type = self._response.headers.get("content-type", "")
        try:
            # Decoded, because a replay sends it without a coding.
            unpacker = Unpacker(self._coding)
            body = b"".join(unpacker.pieces(bytes(self._body)))
            if is_complete:
                unpacker.end()
        except PackingError as error:
            self.note(Raised("PackingError", f"the reply {error}"))
            return
        if self.credentials.are_in_body(content_type, body):
            self.note(Raised("CredentialError", _REPEATED))
            return
        # Clients close a stream at its last event.
        is_complete = is_complete or api_at(self._path).replies.ends_stream(body)
        frames = tuple(self._frames) if self._call.stream and not self._coding else ()
        sent = Sent(self._response.status_code, content_type, body, frames, is_complete)
        if problem := unsendable(sent):
            self.note(Raised("FormatError", f"the reply cannot be recorded: {problem}"))
            return
        _keep(self._earlier, self._call, sent.status, content_type, body)
        self.note(sent)

    def note(self, outcome: Outcome) -> None:
        if not self._is_noted:
            self._is_noted = True
            self._mode.made(self._call, outcome, self._started)


def _without_credentials(call: Request) -> Request:
    """The request as its recording has it, by which it is found."""
    if call.digest is not None:
        return call
    return replace(call, value=without(call.value, named_in(call.value)))


def _keep(
    earlier: EarlierRequests, call: Request, status: int, content_type: str, body: bytes
) -> None:
    """Keep the reply to an LLM call, to which later requests may refer."""
    if call.digest is not None and status == 200:
        earlier.add_reply(view(call.value), content_type, body, len(body))


def _replayed(exchange: Exchange, call: Request) -> HTTPReply | None:
    """The recorded reply in the form that the request needs; None if the recorded call had no
    reply. A handwritten value becomes the content of a reply.
    """
    outcome = exchange.outcome
    if call.digest is None:
        return as_sent(outcome) if isinstance(outcome, Sent) else None
    request = view(call.value)
    match outcome:
        case Sent():
            return replayed(exchange, outcome, request, _profile(), 0).reply
        case Returned(value):
            written = Reply.text(value) if isinstance(value, str) else Reply.json(value)
            answer = answer_with(request, placed(written, call.value, call.digest).response)
            writer = api_of(call.value).replies.writer(_profile(), request)
            return writer.reply(answer, 0, stream=call.stream)
    return None


def _profile() -> ProfileName:
    """The profile of replies: from the project's settings, else the default of ``mock_llm``."""
    return Settings.resolve().profile or RUN_PROFILE


@lru_cache
def _body_class(library: Any) -> Any:
    """The class of a response's body; the library's clients require one of theirs."""

    class Body(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, recording: _Recording) -> None:
            self._inner = inner
            self._recording = recording
            self._is_complete = False

        def __iter__(self) -> Iterator[bytes]:
            for data in self._inner:
                self._recording.part(data)
                yield data
            self._is_complete = True

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._inner:
                self._recording.part(data)
                yield data
            self._is_complete = True

        def close(self) -> None:
            try:
                self._recording.ended(is_complete=self._is_complete)
            finally:
                self._inner.close()

        async def aclose(self) -> None:
            try:
                self._recording.ended(is_complete=self._is_complete)
            finally:
                await self._inner.aclose()

    return Body
