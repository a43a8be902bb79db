"""One HTTP server in a thread of this process, for all of its mocks."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Final

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.io import ports
from workbench.server.closing import NoResponse
from workbench.server.incoming import RefusedError, query, read_body
from workbench.server.responses import reply_response
from workbench.server.serving import STOP_SECONDS, uvicorn_config
from workbench.server.waiting import Stop, wait
from workbench.testing.mocks.outgoing import Outgoing, refusal
from workbench.testing.mocks.routes import handle
from workbench.testing.workers import Workers

if TYPE_CHECKING:
    from workbench.testing.mocks.engine import Engine

# Replies may be made by functions of the tests, which may wait for each other.
_THREADS: Final = 64

_logger = logging.getLogger("workbench.testing")


class _Mount:
    """A mock under its path."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.stop = Stop()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        await super().startup(sockets)


class MockServer:
    """Listens on a free port of the loopback interface until it is stopped."""

    def __init__(self) -> None:
        self._mounts: dict[str, _Mount] = {}
        self._keys = map(str, itertools.count(1))
        self._workers = Workers(_THREADS, "workbench-mock")
        # Whose replies are being made.
        self._making: dict[Future[Outgoing], Engine] = {}
        self._listener, _ = ports.listen("127.0.0.1", 0)
        self._url = ports.base_url(self._listener)
        self._server = _Server(uvicorn_config(self._app))
        # The socket listens already: clients may connect before the thread accepts them.
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listener],), name="workbench-mock", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def is_idle(self) -> bool:
        return not self._mounts

    def mount(self, engine: Engine) -> str:
        """Answer for ``engine`` too; the base URL of its API."""
        key = next(self._keys)
        self._mounts[key] = _Mount(engine)
        return f"{self._url}/{key}/v1"

    def unmount(self, base_url: str) -> None:
        mount = self._mounts.pop(base_url.split("/")[-2])
        if self._server.loop is not None:
            # Ends what waits: a reply that is delayed, a client that is let wait for ever.
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._server.loop.call_soon_threadsafe(mount.stop.set)

    def stop(self) -> None:
        """End. What still makes a reply after a second is told, and left to itself."""
        self._server.should_exit = True
        self._thread.join()
        self._workers.stop(STOP_SECONDS)
        for engine in {id(engine): engine for engine in list(self._making.values())}.values():
            for said in engine.making:
                _logger.warning("A mock is closed while a function still makes a reply: %s", said)
        self._listener.close()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        mount = self._mounts.get(_parts(request)[0])
        response: Response
        try:
            response = await _response(request, await self._answer(request, mount), mount)
        except ClientDisconnect:
            response = NoResponse()
        await response(scope, receive, send)

    async def _answer(self, request: Request, mount: _Mount | None) -> Outgoing:
        """Raises ClientDisconnect if the mock is closed before its reply is made."""
        try:
            body = await read_body(request)
        except RefusedError as error:
            return refusal(error.status, error.code, str(error))
        if mount is None:
            message = f"The mock at {request.scope['path']} is closed: its test is over."
            return refusal(410, "mock_closed", message)
        made = self._workers.submit(
            partial(
                handle,
                mount.engine,
                request.method,
                f"/{_parts(request)[1]}",
                dict(request.headers),
                body,
                query(request),
            )
        )
        self._making[made] = mount.engine
        made.add_done_callback(self._making.pop)
        answer = asyncio.wrap_future(made)
        await asyncio.wait((answer, mount.stop.future), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise ClientDisconnect
        try:
            return await answer
        except Exception as error:
            # Whatever it is, the application gets a reply that says so.
            return refusal(500, "internal_error", f"{type(error).__name__}: {error}")


async def _response(request: Request, sent: Outgoing, mount: _Mount | None) -> Response:
    """Raises ClientDisconnect."""
    stop = mount.stop if mount is not None else Stop()
    if sent.delay != 0:
        await wait(request, sent.delay, stop.future)
    return await reply_response(request, sent.reply, sent.pause, stop)


def _parts(request: Request) -> tuple[str, str]:
    """The key of a mock and the rest of the path: ``1`` and ``v1/models`` of ``/1/v1/models``."""
    key, _, rest = request.scope["path"].lstrip("/").partition("/")
    return key, rest


_lock = threading.Lock()
_server: MockServer | None = None
_pid = 0
_keepers = 0


def attach(engine: Engine) -> str:
    """Have the server of this process answer for ``engine``; the base URL of its API."""
    global _server, _pid
    with _lock:
        if _server is None or _pid != os.getpid():  # a fork has the object, not its thread
            _server, _pid = MockServer(), os.getpid()
        return _server.mount(engine)


def detach(base_url: str) -> None:
    """End what ``attach`` began. The server ends with the last mock, unless it is kept."""
    with _lock:
        if _server is not None and _pid == os.getpid():
            _server.unmount(base_url)
            _end_idle()


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Let a server that runs, or is started meanwhile, run on when its last mock goes."""
    global _keepers
    with _lock:
        _keepers += 1
    try:
        yield
    finally:
        with _lock:
            _keepers -= 1
            _end_idle()


def _end_idle() -> None:
    global _server
    if _server is not None and _pid == os.getpid() and _server.is_idle and not _keepers:
        _server.stop()
        _server = None
