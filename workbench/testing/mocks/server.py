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
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Final

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.core.answering.errors import RefusedError, error_reply
from workbench.core.replies.profile_names import RUN_PROFILE
from workbench.io.network import ports
from workbench.io.processes.client_environment import has_proxies, past_proxies
from workbench.server.wire.connection import NoResponse
from workbench.server.wire.incoming import query, read_body
from workbench.server.wire.responses import CORS, reply_response
from workbench.server.wire.uvicorn_config import STOP_SECONDS, uvicorn_config
from workbench.server.wire.waiting import Stop, wait
from workbench.testing.mocks.engine import Engine, Outgoing
from workbench.testing.mocks.errors import MockServerError
from workbench.testing.mocks.http import handle, refused

__tracebackhide__ = True  # failed tests show their own frames

_THREAD_NAME: Final = "workbench-mock"
_START_SECONDS: Final = 30
_WAY_OUT: Final = (
    "Allow connections to 127.0.0.1 (with pytest-socket: --allow-hosts=127.0.0.1, or "
    "@pytest.mark.enable_socket), or give the client mock_llm.transport(), which needs no socket."
)

_logger = logging.getLogger("workbench.testing")


class _Server(uvicorn.Server):
    """A uvicorn server that reports when it has started, or why it could not."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.start: Future[None] = Future()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.start.set_result(None)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        except Exception as error:
            if self.start.done():
                raise
            self.start.set_exception(error)


class MockServer:
    """Listens on a free port of the loopback interface until it is stopped."""

    def __init__(self) -> None:
        # The mocks by the first part of their paths, each with what ends its waits when it closes.
        self._mounts: dict[str, tuple[Engine, Stop]] = {}
        self._keys = map(str, itertools.count(1))
        # The threads that make replies, each for a mock.
        self._making: dict[threading.Thread, Engine] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        # The changes in the environment: the value before, and ours.
        self._changed: dict[str, tuple[str | None, str]] = {}
        self._listener, _ = ports.listen("127.0.0.1", 0)
        self._url = ports.base_url(self._listener)
        # Where gevent or eventlet have threads take turns, another event loop never gives way.
        self._server = _Server(uvicorn_config(self._app, loop="asyncio"))
        self._thread = threading.Thread(
            target=self._server.run, args=([self._listener],), name=_THREAD_NAME, daemon=True
        )
        self._thread.start()
        try:
            self._server.start.result(_START_SECONDS)
        except BaseException:
            self._listener.close()
            raise

    @property
    def is_idle(self) -> bool:
        return not self._mounts

    def mount(self, engine: Engine) -> str:
        """Answer for ``engine``; returns the base URL of its API."""
        key = next(self._keys)
        self._mounts[key] = engine, Stop()
        self._pass_proxies()
        return f"{self._url}/{key}/v1"

    def require_reachable(self) -> None:
        """Connect to it. Raises what that raises; a test may forbid sockets with errors of any
        kind.
        """
        socket.create_connection(self._listener.getsockname(), _START_SECONDS).close()

    def _pass_proxies(self) -> None:
        """Keep clients in this process from asking a proxy for the server."""
        if has_proxies(os.environ):
            for name, value in past_proxies(os.environ).items():
                before, _ = self._changed.get(name, (os.environ.get(name), ""))
                self._changed[name] = before, value
                os.environ[name] = value

    def _restore_environment(self) -> None:
        for name, (before, ours) in self._changed.items():
            if os.environ.get(name) != ours:
                continue  # somebody else changed it
            if before is None:
                del os.environ[name]
            else:
                os.environ[name] = before

    def unmount(self, base_url: str) -> None:
        _, stop = self._mounts.pop(base_url.split("/")[-2])
        if self._loop is not None:  # a request was received
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(stop.set)

    def stop(self) -> None:
        """End. A reply function that takes longer than a second is logged, and keeps running."""
        self._restore_environment()
        self._server.should_exit = True
        self._thread.join()
        deadline = time.monotonic() + STOP_SECONDS
        for thread in list(self._making):
            thread.join(max(deadline - time.monotonic(), 0))
        for engine in {id(engine): engine for engine in list(self._making.values())}.values():
            for function in list(engine.making.values()):
                _logger.warning(
                    "A mock was closed while a reply function was running: %s", function
                )
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
            response.raw_headers += CORS
        except ClientDisconnect:
            response = NoResponse()
        await response(scope, receive, send)

    async def _answer(
        self, request: Request, path: str, engine: Engine | None, stop: Stop
    ) -> Outgoing:
        """Raises ClientDisconnect if the mock is closed before its reply is made."""
        if engine is None:
            message = (
                f"The mock at {request.scope['path']} is closed, because its test has ended. "
                "Make a client for each test, with the base_url of its mock."
            )
            return _error(path, 410, "mock_closed", message)
        headers = dict(request.headers)
        try:
            body = await read_body(request, headers)
        except RefusedError as error:
            return refused(engine, request.method, path, error)
        work = partial(handle, engine, request.method, path, headers, body, query(request))
        answer = asyncio.wrap_future(self._in_thread(work, engine))
        await asyncio.wait((answer, stop.future), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise ClientDisconnect
        try:
            return await answer
        except Exception as error:
            # After any error, the application gets a reply that reports it.
            return _error(path, 500, "internal_error", f"{type(error).__name__}: {error}")

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


def _error(path: str, status: int, code: str, message: str) -> Outgoing:
    return Outgoing(error_reply(path, RefusedError(status, code, message), RUN_PROFILE))


_lock = threading.Lock()
_server: MockServer | None = None
_pid = 0
# How many ``lasting`` blocks there are.
_lasting = 0


def attach(engine: Engine) -> str:
    """Have the server of this process answer for ``engine``. Return the base URL of its API.

    Raises:
        MockServerError: the server cannot start, or this process must not connect to it.
    """
    global _server, _pid
    with _lock:
        try:
            if _server is None or _pid != os.getpid():  # a fork has the object, not its thread
                _server, _pid = MockServer(), os.getpid()
            _server.require_reachable()
        except Exception as error:
            _stop_if_idle()
            reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":. ")
            raise MockServerError(
                f"A mock cannot answer over HTTP here: {reason}. {_WAY_OUT}"
            ) from None
        return _server.mount(engine)


def detach(base_url: str) -> None:
    """Undo ``attach``. The server stops with the last mock, or with the last ``lasting`` block."""
    with _lock:
        if _server is not None and _pid == os.getpid():
            _server.unmount(base_url)
            _stop_if_idle()


@contextlib.contextmanager
def lasting() -> Iterator[None]:
    """A block in which the server goes on, once a mock has started it, when that mock closes."""
    global _lasting
    with _lock:
        _lasting += 1
    try:
        yield
    finally:
        with _lock:
            _lasting -= 1
            _stop_if_idle()


def _stop_if_idle() -> None:
    global _server
    if _server is not None and _pid == os.getpid() and _server.is_idle and not _lasting:
        _server.stop()
        _server = None
