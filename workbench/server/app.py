"""The stub server as an ASGI application, without a framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.core import wire
from workbench.core.fixtures import FixtureError
from workbench.core.log_lines import note_line
from workbench.core.unsupported import UnsupportedRequest
from workbench.core.volatile_kinds import Kind
from workbench.core.wire import Profile
from workbench.io.store import FixtureStore
from workbench.server.chat import ChatRoute, broken_line
from workbench.server.control import PREFIX, Control
from workbench.server.delays import Delays
from workbench.server.embeddings import EmbeddingsRoute
from workbench.server.events import Events
from workbench.server.exchanges import Record
from workbench.server.hold import Hold
from workbench.server.http import (
    Bodies,
    ClientGoneError,
    Receive,
    RefusedError,
    Request,
    Scope,
    Send,
    Stop,
)
from workbench.server.ignored import IgnoredOptions
from workbench.server.log import Clock, LogSink
from workbench.server.models import PREFIX as MODELS_PREFIX
from workbench.server.models import ModelsRoute
from workbench.server.normalise import Normalise
from workbench.server.sending import CORS, Sender
from workbench.server.strict import Strict
from workbench.server.unsupported import UnsupportedRequests

# What only a recording or a replaying server needs is loaded by it.
if TYPE_CHECKING:
    from workbench.core.runs import Exchange
    from workbench.server.recording import Recorder
    from workbench.server.replay import ReplayRoute

Handler = Callable[[Request], Awaitable[None]]


class StubApp:
    """Answers chat completions from fixtures, embeddings from their text.

    Args:
        store: the fixtures.
        profile: how replies look on the wire.
        delays: for requests that ask for none.
        log: gets the lines of the reference server.
        strict: a miss is an error instead of the fallback.
        normalise: what a request may differ in from that of the fixture that answers it.
        hold: the seconds a miss waits for its fixture; None: misses do not wait, until the control
            API says so.
        recording: makes what answers misses from an upstream, if that is wanted.
        replay: the LLM calls of a run to answer from, in place of fixtures.
        allowed_hosts: names the control API may be asked under, beside those of this machine.
    """

    def __init__(
        self,
        store: FixtureStore,
        profile: Profile,
        delays: Delays,
        log: LogSink,
        *,
        strict: bool = False,
        normalise: Collection[Kind] = (),
        hold: float | None = None,
        recording: Callable[[Sender], Recorder] | None = None,
        replay: Sequence[Exchange] | None = None,
        allowed_hosts: Collection[str] = (),
    ) -> None:
        self._store = store
        self._stop = Stop()
        self._bodies = Bodies()
        self._log = log
        clock = Clock()
        self._sender = Sender(log, clock, profile, CORS)
        self._recorder = recording(self._sender) if recording is not None else None
        events = Events()
        record = Record(events.tell)
        ignored = IgnoredOptions(profile, log, events.tell)
        self._unsupported = UnsupportedRequests(self._sender, events.tell)
        self._hold = Hold(store, self._note_broken, events.tell)
        if hold is not None:
            self._hold.enabled, self._hold.timeout_s = True, hold
        chat: Handler = ChatRoute(
            store,
            profile,
            delays,
            log=log,
            clock=clock,
            sender=self._sender,
            normalise=Normalise(store, normalise) if normalise else None,
            hold=self._hold,
            record=record,
            ignored=ignored,
            recorder=self._recorder,
            strict=Strict(store) if strict else None,
            stop=self._stop,
        )
        self._replay: ReplayRoute | None = None
        if replay is not None:
            from workbench.server.replay import ReplayRoute

            chat = self._replay = ReplayRoute(replay, profile, self._sender, log, clock)
        self._control = Control(
            store,
            self._hold,
            record,
            self._unsupported,
            events,
            ignored,
            Sender(log, clock, wire.PROFILES[wire.DEFAULT_PROFILE], access=False),
            self._stop,
            allowed_hosts=allowed_hosts,
        )
        embeddings = EmbeddingsRoute(profile, self._sender, ignored)
        self._models = ModelsRoute(store, self._sender)
        self._routes: dict[str, tuple[str, Handler]] = {
            "/v1/chat/completions": ("POST", chat),
            "/v1/embeddings": ("POST", embeddings),
            "/v1/v1/embeddings": ("POST", embeddings),
            "/v1/models": ("GET", self._models.list_all),
            "/healthz": ("GET", self._health),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send, self._bodies)
        try:
            await self._handler(request)(request)
        except ClientGoneError:
            await request.drop()  # one that ended its side is still there, and gets nothing
        except RefusedError as error:
            await self._sender.refuse(request, error)
        except Exception as error:
            # Whatever it is, the suite gets a reply that says so and the server goes on.
            what = f"{type(error).__name__}: {error}"
            await self._sender.refuse(request, RefusedError(500, "internal_error", what))
        finally:
            request.close()

    def stop(self) -> None:
        """End all delays and all waiting: what is being answered is answered at once."""
        self._stop.set()
        self._hold.release_all()

    async def close(self) -> None:
        """End what is being recorded; say what was not replayed."""
        if self._recorder is not None:
            await self._recorder.close()
        if self._replay is not None and (unused := self._replay.unused()):
            self._log.write(note_line(unused))

    def _note_broken(self, digest: str, error: FixtureError) -> None:
        self._log.write(broken_line(self._store, digest, error))

    def _handler(self, request: Request) -> Handler:
        """The handler of the request's path and method.

        Raises:
            RefusedError: there is none.
        """
        if request.path.startswith(PREFIX):
            return self._control
        if self._recorder is not None and b"origin" in request.headers:
            raise RefusedError(
                403, "origin_refused", "a web page cannot spend the key of a recording server"
            )
        if request.method == "OPTIONS":  # of a web page that is about to ask
            return self._sender.no_content
        route = self._routes.get(request.path)
        if request.path.startswith(MODELS_PREFIX) and request.path != MODELS_PREFIX:
            route = "GET", self._models.retrieve
        if route is None:
            asked = UnsupportedRequest.of(request.method, request.path)
            if asked is None:
                raise RefusedError(404, "not_found", f"there is no {request.target}")
            return partial(self._unsupported.answer, asked=asked)
        method, handler = route
        if request.method == method or (request.method == "HEAD" and method == "GET"):
            return handler
        taken = "GET, HEAD" if method == "GET" else method
        raise RefusedError(
            405,
            "method_not_allowed",
            f"{request.path} takes {taken}, not {request.method}",
            (("Allow", taken),),
        )

    async def _health(self, request: Request) -> None:
        await self._sender.json(request, 200, wire.json_body({"ok": True}))
