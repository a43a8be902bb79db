"""The stub server: an ASGI application."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Collection, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.core.answering.errors import RefusedError
from workbench.core.answering.routes import Conversation, find_route
from workbench.core.apis.hosts import Hosts
from workbench.core.log.lines import note_line
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.volatile import VolatileKind
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.io.state_folder import StateFolder
from workbench.server.errors import ANSWERED, ErrorReplies
from workbench.server.log import LogSink, ReplyHeads
from workbench.server.misses.hold import Hold
from workbench.server.request_heads import RequestHeads
from workbench.server.routes.answering import AnsweringRoute
from workbench.server.routes.control import Control
from workbench.server.routes.plain import PlainRoute
from workbench.server.routes.reply_sender import ReplySender
from workbench.server.state import ServerState
from workbench.server.suite_tests import ReportedSuite
from workbench.server.wire.delays import Delays
from workbench.server.wire.guard import is_control_path
from workbench.server.wire.incoming import is_verification
from workbench.server.wire.request_state import RequestState, state_of

# Loaded only by a server that records or replays.
if TYPE_CHECKING:
    from workbench.core.recordings.exchanges import Exchange
    from workbench.server.misses.recorder import Recorder
    from workbench.server.routes.replay import ReplayRoute


class ConversationRoute(Protocol):
    """Answers requests of conversations with a model."""

    async def complete(
        self, request: Request, state: RequestState, route: Conversation
    ) -> Response:
        """The reply to a request, or its beginning."""


class APIRoute:
    """An ASGI application for every path except the control API's. It catches errors itself,
    because each of Starlette's two error middlewares wraps every message of every reply.
    """

    def __init__(
        self,
        conversations: ConversationRoute,
        plain: PlainRoute,
        errors: ErrorReplies,
        tests: ReportedSuite,
        *,
        is_recording: bool,
    ) -> None:
        self._conversations = conversations
        self._plain = plain
        self._errors = errors
        self._tests = tests
        self._is_recording = is_recording

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request.

        Raises:
            Exception: the server failed; the client has been informed.
        """
        request, state = Request(scope, receive), state_of(scope)
        if not is_verification(state.headers):
            self._tests.count_request(state.test.name)
        try:
            if self._is_recording and "origin" in state.headers:
                message = (
                    "requests from web pages are blocked (Origin header), because this server "
                    "sends your key"
                )
                raise RefusedError(403, "origin_refused", message)
            route = find_route(scope["method"], scope["path"], state.headers)
            if isinstance(route, Conversation):
                response = await self._conversations.complete(request, state, route)
            else:
                response = await self._plain.complete(request, state, route)
        except ANSWERED as error:
            response = await self._errors.reply(request, error)
        except ClientDisconnect as error:
            response = await self._errors.left(request, error)
        except Exception as error:
            response = await self._errors.failed(request, error)
            await response(scope, receive, send)
            raise
        await response(scope, receive, send)


class StubApp:
    """Answers requests of the APIs from fixtures, embeddings from their text.

    Args:
        delays: default delays.
        normalise: kinds of text that may differ between a request and the request of its fixture.
        hold: the seconds a miss waits for its fixture; None: misses do not wait, until the control
            API turns hold on.
        recorder: answers misses from an upstream; None: no upstream is used.
        replay: the LLM calls of a recording to answer from, instead of fixtures.
        state_folder: folder for data that is slow to compute about many fixtures.
        docs_url: base URL of a site with the manual, for links in errors; "" for none.
        more_hosts: hosts of APIs, beside the built-in ones.
        allowed_hosts: further host names for the control API, beside this machine's.
    """

    def __init__(
        self,
        store: FixtureStore,
        profile: ProfileName,
        delays: Delays,
        log: LogSink,
        *,
        strict: bool = False,
        normalise: Collection[VolatileKind] = (),
        hold: float | None = None,
        recorder: Recorder | None = None,
        replay: Sequence[Exchange] | None = None,
        state_folder: StateFolder | None = None,
        allowed_hosts: Collection[str] = (),
        more_hosts: Collection[str] = (),
        docs_url: str = "",
    ) -> None:
        fixtures = StoredFixtures(store, normalise=normalise, state=state_folder)
        self._state = state = ServerState(fixtures, profile, log, strict=strict)
        self._recorder = recorder
        self._hold = Hold(
            fixtures,
            log,
            state.traffic.events,
            is_possible=recorder is None and replay is None,
        )
        if hold is not None:
            self._hold.enabled, self._hold.timeout_s = True, hold
        self._replay = None if replay is None else _replay_route(replay, state)
        conversations = self._replay or AnsweringRoute(
            state, ReplySender(state, delays), self._hold, recorder
        )
        control = Control(state, self._hold)
        errors = ErrorReplies(state, docs_url)
        plain, is_recording = PlainRoute(state), recorder is not None
        apis = APIRoute(conversations, plain, errors, state.tests, is_recording=is_recording)
        controlled = Starlette(
            routes=[control.mount(allowed_hosts)], exception_handlers=errors.handlers
        )
        # Around all of it: the reply to a failure has its line, too.
        self._apis = ReplyHeads(apis, log, is_control=False)
        self._control = ReplyHeads(controlled, log, is_control=True)
        self._app = RequestHeads(self._routed, state.running, Hosts(more_hosts))

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        """Answer a request, as an ASGI application does."""
        return self._app(scope, receive, send)

    def _routed(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        app = self._control if is_control_path(scope["path"]) else self._apis
        return app(scope, receive, send)

    def warm_up(self) -> None:
        """Read the folder once, so that no client waits for that. Slow; call it in a thread."""
        with contextlib.suppress(OSError):  # the first search meets it again
            self._state.fixtures.equivalents.refresh()

    def stop(self) -> None:
        """End all delays and all waiting: what is being answered is answered at once."""
        self._state.stop.set()
        self._hold.release_all()
        self._state.traffic.events.close()

    async def close(self) -> None:
        """End recordings, and log the exchanges that were not replayed."""
        if self._recorder is not None:
            await self._recorder.close()
        if self._replay is not None and (unused := self._replay.unused()):
            self._state.log.write(note_line(unused))


def _replay_route(exchanges: Sequence[Exchange], state: ServerState) -> ReplayRoute:
    from workbench.server.routes.replay import ReplayRoute

    return ReplayRoute(exchanges, state)
