"""The stub server as an ASGI application, without a framework."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from workbench.core import embeddings, wire
from workbench.core.fixtures import FixtureError, read_value
from workbench.core.requests import Payload
from workbench.core.wire import Profile
from workbench.io.store import FixtureStore
from workbench.server.chat import ChatRoute
from workbench.server.delays import Delays
from workbench.server.http import (
    ClientGoneError,
    Receive,
    RefusedError,
    Request,
    Scope,
    Send,
    Stop,
)
from workbench.server.log import Clock, LogSink
from workbench.server.sending import CORS, Sender

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
        self._stop = Stop()
        clock = Clock()
        self._sender = Sender(log, clock, CORS)
        chat = ChatRoute(store, profile, delays, log, clock, self._sender, self._stop)
        self._routes: dict[str, tuple[str, Handler]] = {
            "/v1/chat/completions": ("POST", chat),
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
            await self._sender.refuse(request, error)
        except Exception as error:
            # Whatever it is, the suite gets a reply that says so and the server goes on.
            what = f"{type(error).__name__}: {error}"
            await self._sender.refuse(request, RefusedError(500, "internal_error", what))
        finally:
            request.close()

    def stop(self) -> None:
        """End all delays: what is being answered is answered at once."""
        self._stop.set()

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
            return self._sender.no_content
        taken = "GET, HEAD" if method == "GET" else method
        raise RefusedError(
            405,
            "method_not_allowed",
            f"{request.path} takes {taken}, not {request.method}",
            [(b"allow", taken.encode())],
        )

    async def _embeddings(self, request: Request) -> None:
        payload = await request.payload()
        try:
            # Long inputs take long: in a thread, so that others are answered meanwhile.
            body = await asyncio.to_thread(_embeddings_body, payload)
        except UnicodeEncodeError:
            raise RefusedError(
                400, "lone_surrogate", "the input holds half of a character cut in two"
            ) from None
        await self._sender.json(request, 200, body)

    async def _models(self, request: Request) -> None:
        names = await asyncio.to_thread(_stored_models, self._store)
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "workbench"} for name in names
        ]
        body = wire.json_body({"object": "list", "data": models})
        await self._sender.json(request, 200, body)

    async def _health(self, request: Request) -> None:
        await self._sender.json(request, 200, wire.json_body({"ok": True}))


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
