"""The stub server as an ASGI application, without a framework."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from workbench.core import embeddings, requests, wire
from workbench.core.digest import RequestError
from workbench.core.digest import digest as request_digest
from workbench.core.fixtures import FixtureError, read_value
from workbench.core.log import load_failed_line, miss_lines, note_line, served_line
from workbench.core.reply import Answer
from workbench.core.reply import answer as find_answer
from workbench.core.requests import Payload
from workbench.core.wire import Frame, Profile
from workbench.io.store import FixtureStore
from workbench.server.delays import Delays
from workbench.server.http import (
    ClientGoneError,
    Header,
    Receive,
    RefusedError,
    Request,
    Scope,
    Send,
)
from workbench.server.log import Clock, LogSink, access_line
from workbench.server.render import Renderer

CORS: Final[list[Header]] = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"*"),
]
_JSON: Final[Header] = (b"content-type", wire.ENVELOPE_TYPE.encode())
_STREAM: Final[list[Header]] = [
    (b"content-type", wire.STREAM_TYPE.encode()),
    (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),
    *CORS,
]
_VERIFY: Final = b"x-workbench-verify"

Handler = Callable[[Request], Awaitable[None]]


class StubApp:
    """Answers chat completions from fixtures, embeddings from their text.

    Args:
        store: the fixtures.
        profile: how replies look on the wire.
        delays: for requests that ask for none.
        log: gets the lines of the reference server.
    """

    def __init__(self, store: FixtureStore, profile: Profile, delays: Delays, log: LogSink) -> None:
        self._store = store
        self._renderer = Renderer(profile)
        self._delays = delays
        self._log = log
        self._clock = Clock()
        self._stop: asyncio.Future[None] | None = None
        self._routes: dict[str, tuple[str, Handler]] = {
            "/v1/chat/completions": ("POST", self._chat),
            "/v1/embeddings": ("POST", self._embeddings),
            "/v1/v1/embeddings": ("POST", self._embeddings),
            "/v1/models": ("GET", self._models),
            "/healthz": ("GET", self._health),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        try:
            await self._handler(request)(request)
        except ClientGoneError:
            pass
        except RefusedError as error:
            await self._refuse(request, error)
        except Exception as error:
            # Whatever it is, the suite gets a reply that says so and the server goes on.
            what = f"{type(error).__name__}: {error}"
            await self._refuse(request, RefusedError(500, "internal_error", what))
        finally:
            request.close()

    def stop(self) -> None:
        """End all delays: what is being answered is answered at once."""
        if not self._stopping.done():
            self._stopping.set_result(None)

    @property
    def _stopping(self) -> asyncio.Future[None]:
        if self._stop is None:
            self._stop = asyncio.get_running_loop().create_future()
        return self._stop

    def _handler(self, request: Request) -> Handler:
        """The handler of the request's path and method.

        Raises:
            RefusedError: there is none.
        """
        route = self._routes.get(request.path)
        if route is None:
            raise RefusedError(404, "not_found", f"there is no {request.target}")
        method, handler = route
        if request.method == method or (request.method == "HEAD" and method == "GET"):
            return handler
        if request.method == "OPTIONS":
            return self._options
        raise RefusedError(
            405, "method_not_allowed", f"{request.path} takes {method}, not {request.method}"
        )

    async def _chat(self, request: Request) -> None:
        payload = await request.payload()
        try:
            digest = request_digest(payload)
            answer = find_answer(payload, digest, self._store.load)
            lines = "" if request.headers.get(_VERIFY) == b"1" else self._lines(answer, payload)
        except RequestError as error:
            raise RefusedError(400, error.code, str(error)) from None
        delays = self._delays.of(request.headers)
        if delays.total_ms:
            # Who reads the log learns of a miss when it is asked, not when it is answered.
            self._log.write(lines)
            lines = ""
            await request.wait(delays.total_ms, self._stopping)
        created = self._clock.second()
        if not requests.asks_stream(payload):
            body = self._renderer.body(answer, created, stream=False)
            await self._reply(request, 200, body, lines)
        elif not delays.chunk_ms:
            body = self._renderer.body(answer, created, stream=True)
            await self._start_stream(request, lines)
            await request.send(body)
        else:
            frames = self._renderer.profile.frames(answer, created)
            await self._start_stream(request, lines)
            await self._send_paced(request, frames, delays.chunk_ms)

    def _lines(self, answer: Answer, payload: Payload) -> str:
        """What the log says about an answer."""
        lines = "".join(map(note_line, answer.problems))
        if answer.broken is not None:
            path = str(self._store.path(answer.digest))
            lines += load_failed_line(path, f"{answer.broken.place}: {answer.broken}")
        if answer.source == "fixture":
            lines += served_line(answer.digest)
        elif answer.source == "fallback":
            lines += miss_lines(answer.digest, payload)
        return lines

    async def _start_stream(self, request: Request, lines: str) -> None:
        self._log.write(lines + self._access_line(request, 200))
        await request.start(200, _STREAM)

    async def _send_paced(self, request: Request, frames: list[Frame], delay_ms: int) -> None:
        for frame in frames:
            if frame.paced:
                await request.wait(delay_ms, self._stopping)
            await request.send(frame.data, more=True)
        await request.send(b"")

    async def _embeddings(self, request: Request) -> None:
        payload = await request.payload()
        try:
            # Long inputs take long: in a thread, so that others are answered meanwhile.
            body = await asyncio.to_thread(_embeddings_body, payload)
        except UnicodeEncodeError:
            raise RefusedError(
                400, "lone_surrogate", "the input holds half of a character cut in two"
            ) from None
        await self._reply(request, 200, body)

    async def _models(self, request: Request) -> None:
        names = await asyncio.to_thread(_stored_models, self._store)
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "workbench"} for name in names
        ]
        await self._reply(request, 200, wire.json_body({"object": "list", "data": models}))

    async def _health(self, request: Request) -> None:
        await self._reply(request, 200, wire.json_body({"ok": True}))

    async def _options(self, request: Request) -> None:
        self._log.write(self._access_line(request, 204))
        await request.start(204, CORS)
        await request.send(b"")

    async def _refuse(self, request: Request, error: RefusedError) -> None:
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        body = wire.error_body(str(error), code=error.code, kind=kind)
        note = note_line(f"refused {request.line}: {error}")
        await self._reply(request, error.status, body, note)

    async def _reply(self, request: Request, status: int, body: bytes, lines: str = "") -> None:
        self._log.write(lines + self._access_line(request, status))
        length = (b"content-length", str(len(body)).encode())
        await request.start(status, [_JSON, length, *CORS])
        await request.send(body)

    def _access_line(self, request: Request, status: int) -> str:
        return access_line(request.client, self._clock.stamp(), request.line, status)


def _embeddings_body(payload: Payload) -> bytes:
    return wire.json_body(embeddings.response(payload))


def _stored_models(store: FixtureStore) -> list[str]:
    """The models that stored requests ask for, sorted."""
    return sorted({model for digest in store.digests() if (model := _stored_model(store, digest))})


def _stored_model(store: FixtureStore, digest: str) -> str:
    data = store.read(digest)
    if data is None:
        return ""
    try:
        request: Any = read_value(data).get("request")
    except FixtureError:
        return ""
    model = request.get("model") if isinstance(request, dict) else None
    return model if isinstance(model, str) else ""
