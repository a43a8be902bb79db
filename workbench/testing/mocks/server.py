"""One HTTP server in a thread of this process, for all of its mocks."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.io.network import ports
from workbench.server.serving import STOP_SECONDS, uvicorn_config
from workbench.server.wire.closing import NoResponse
from workbench.server.wire.incoming import RefusedError, query, read_body
from workbench.server.wire.responses import reply_response
from workbench.server.wire.waiting import Stop, wait
from workbench.testing.mocks.engine import Engine, Outgoing
from workbench.testing.mocks.http import handle, refusal, refused

_THREAD_NAME = "workbench-mock"

_logger = logging.getLogger("workbench.testing")


class _Server(uvicorn.Server):
    """A uvicorn server that tells when it has started. Told to end before, older versions leave
    their sockets open.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.has_started.set()


class MockServer:
    """Listens on a free port of the loopback interface until it is stopped."""

    def __init__(self) -> None:
        # The mocks by the first part of their paths, each with what ends its waits when it closes.
        self._mounts: dict[str, tuple[Engine, Stop]] = {}
        self._keys = map(str, itertools.count(1))
        # The threads that make replies, each for a mock.
        self._making: dict[threading.Thread, Engine] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listener, _ = ports.listen("127.0.0.1", 0)
        self._url = ports.base_url(self._listener)
        self._server = _Server(uvicorn_config(self._app))
        # The socket is listening: clients may connect before the thread accepts them.
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listener],), name=_THREAD_NAME, daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def is_idle(self) -> bool:
        return not self._mounts

    def mount(self, engine: Engine) -> str:
        """Answer for ``engine``; returns the base URL of its API."""
        key = next(self._keys)
        self._mounts[key] = engine, Stop()
        return f"{self._url}/{key}/v1"

    def unmount(self, base_url: str) -> None:
        _, stop = self._mounts.pop(base_url.split("/")[-2])
        if self._loop is not None:  # a request has come
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(stop.set)

    def stop(self) -> None:
        """End. A reply function that does not return within a second is named and left alone."""
        self._server.has_started.wait()
        self._server.should_exit = True
        self._thread.join()
        deadline = time.monotonic() + STOP_SECONDS
        for thread in list(self._making):
            thread.join(max(deadline - time.monotonic(), 0))
        for engine in {id(engine): engine for engine in list(self._making.values())}.values():
            for said in list(engine.making.values()):
                _logger.warning("A mock is closed while a function still makes a reply: %s", said)
        self._listener.close()

    async def _app(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._loop = asyncio.get_running_loop()
        request = Request(scope, receive)
        key, _, path = request.scope["path"].lstrip("/").partition("/")
        engine, stop = self._mounts.get(key, (None, Stop()))
        response: Response
        try:
            sent = await self._answer(request, f"/{path}", engine, stop)
            if sent.delay != 0:
                await wait(request, sent.delay, stop.future)
            response = await reply_response(request, sent.reply, sent.pause, stop)
        except ClientDisconnect:
            response = NoResponse()
        await response(scope, receive, send)

    async def _answer(
        self, request: Request, path: str, engine: Engine | None, stop: Stop
    ) -> Outgoing:
        """Raises ClientDisconnect if the mock is closed before its reply is made."""
        if engine is None:
            message = f"The mock at {request.scope['path']} is closed: its test is over."
            return refusal(path, 410, "mock_closed", message)
        headers = dict(request.headers)
        try:
            body = await read_body(request, headers)
        except RefusedError as error:
            method, code = request.method, error.code
            return refused(engine, method, path, error.status, code, str(error))
        work = partial(handle, engine, request.method, path, headers, body, query(request))
        answer = asyncio.wrap_future(self._in_thread(work, engine))
        await asyncio.wait((answer, stop.future), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise ClientDisconnect
        try:
            return await answer
        except Exception as error:
            # Whatever went wrong, the application gets a reply that says so.
            return refusal(path, 500, "internal_error", f"{type(error).__name__}: {error}")

    def _in_thread(self, work: Callable[[], Outgoing], engine: Engine) -> Future[Outgoing]:
        """Make a reply in a daemon thread of its own: reply functions may wait for each other, and
        one that never returns must not keep the process alive, as a thread of an executor would.
        """
        made: Future[Outgoing] = Future()
        made.set_running_or_notify_cancel()

        def run() -> None:
            try:
                made.set_result(work())
            except BaseException as error:
                made.set_exception(error)
            finally:
                del self._making[thread]

        thread = threading.Thread(target=run, name=_THREAD_NAME, daemon=True)
        self._making[thread] = engine
        thread.start()
        return made


_lock = threading.Lock()
_server: MockServer | None = None
_pid = 0


def attach(engine: Engine) -> str:
    """Have the server of this process answer for ``engine``; returns the base URL of its API."""
    global _server, _pid
    with _lock:
        if _server is None or _pid != os.getpid():  # a fork has the object, not its thread
            _server, _pid = MockServer(), os.getpid()
        return _server.mount(engine)


def detach(base_url: str) -> None:
    """Undo ``attach``. The server stops with the last mock."""
    global _server
    with _lock:
        if _server is not None and _pid == os.getpid():
            _server.unmount(base_url)
            if _server.is_idle:
                _server.stop()
                _server = None
