"""A model for tests: it answers what the test scripts, and keeps what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from workbench.core.apis.chat.wire import ProfileName
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.runs.exchanges import Exchange
from workbench.io.store import FixtureStore
from workbench.testing.mocks import asserting
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.errors import MockLLMError, UnknownRoleError
from workbench.testing.mocks.scripts import (
    Matcher,
    ReplySource,
    Script,
    header_text,
    require_replies,
)
from workbench.testing.mocks.stored import Stored
from workbench.testing.mocks.unanswered import Miss, Unanswered

if TYPE_CHECKING:
    from workbench.testing.agents.agent_calls import AgentCall, SyncAgentCall
    from workbench.testing.mocks.live import Upstream

Header = str | Mapping[str, str]


class MockLLM:
    """Answers the requests of one test, over HTTP, through a transport without a socket, or as a
    function. Safe for threads and tasks: each reply of a script is given out once.

    Args:
        store: fixtures that answer what no script answers: a folder or a store of them.
        strict: a request that nothing answers gets a 404 that explains it, not the fallback.
        max_calls: more requests than that are refused: an application that never ends, ends.
        profile: how replies look on the wire.
        on_miss: is told of each request that nothing answers.
        on_unsupported: is told of each request to a path that is not spoken here.
        upstream: answers over HTTP instead of scripts and fixtures.
    """

    __test__ = False

    def __init__(
        self,
        store: Stored | FixtureStore | Path | str | None = None,
        *,
        strict: bool = True,
        max_calls: int | None = None,
        profile: ProfileName = "openai",
        on_miss: Callable[[Miss], None] | None = None,
        on_unsupported: Callable[[UnsupportedRequest], None] | None = None,
        upstream: Upstream | None = None,
    ) -> None:
        stored = store if store is None or isinstance(store, Stored) else Stored(store)
        self._engine = Engine(
            stored,
            max_calls=max_calls,
            profile=profile,
            unanswered=Unanswered(strict=strict, on_miss=on_miss, on_unsupported=on_unsupported),
            upstream=upstream,
        )
        self._serving = threading.Lock()
        self._base_url: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What it answers.

    def role(
        self,
        name: str,
        *,
        system: str | None = None,
        model: str | None = None,
        tool: str | None = None,
        header: Header | None = None,
    ) -> None:
        """Declare how the requests of a role are recognised: by all that is given. A role that is
        declared more than once is recognised by any of its declarations; one that is declared by
        its name alone, by the header ``X-Workbench-Node`` or by ``as_call``.

        Args:
            system: a part of the system message.
            tool: a tool that is offered.
            header: ``name: value``, or a name alone.
        """
        __tracebackhide__ = True
        self._engine.declare(name, Matcher(model, system, tool, header_text(header)))

    def script(
        self,
        *replies: ReplySource,
        role: str | None = None,
        model: str | None = None,
        system: str | None = None,
        tool: str | None = None,
        header: Header | None = None,
        repeat_last: bool = False,
    ) -> None:
        """Answer the requests that have all that is named with ``replies``, one after the other.
        Of two scripts that match, the earlier answers while it has replies.

        Args:
            replies: each a ``Reply``, or a function that makes one of the ``Call``.
            role: whose requests; declared here, if more is named, or by ``role``.
            repeat_last: the last reply answers all further requests.

        Raises:
            TypeError: what is no reply.
        """
        __tracebackhide__ = True
        require_replies(replies)
        matcher = Matcher(model, system, tool, header_text(header))
        self._engine.add(
            Script(matcher, role, replies, is_standing=repeat_last, needed=len(replies))
        )

    def respond(
        self,
        reply: ReplySource,
        *,
        role: str | None = None,
        model: str | None = None,
        system: str | None = None,
        tool: str | None = None,
        header: Header | None = None,
    ) -> None:
        """Answer every request that has all that is named with ``reply``, or none at all: unlike
        that of a script, a reply that nobody asks for is not left over.

        Raises:
            TypeError: what is no reply.
        """
        __tracebackhide__ = True
        require_replies((reply,))
        matcher = Matcher(model, system, tool, header_text(header))
        self._engine.add(Script(matcher, role, (reply,), is_standing=True, needed=0))

    # How it is reached.

    @property
    def base_url(self) -> str:
        """Where it answers over HTTP, for ``OpenAI(base_url=…)``; the server starts when this is
        first asked for.
        """
        return self.serve()

    def serve(self) -> str:
        """Answer over HTTP from now on. One server of this process answers for all its mocks, each
        under a path of its own.

        Returns:
            the base URL.
        """
        with self._serving:
            if self._base_url is None:
                from workbench.testing.mocks.server import attach

                self._base_url = attach(self._engine)
            return self._base_url

    def close(self) -> None:
        """Answer no more over HTTP. Who still waits for a reply is disconnected."""
        with self._serving:
            if self._base_url is not None:
                from workbench.testing.mocks.server import detach

                detach(self._base_url)
                self._base_url = None

    def transport(self) -> Any:
        """For ``httpx.Client(transport=…)`` and ``AsyncClient``, of httpx or httpx2: requests are
        answered without a socket, whatever their host.
        """
        from workbench.testing.mocks.transport import Transport

        return Transport(self._engine)

    def as_call(self, role: str | None = None) -> AgentCall:
        """An async function that answers in the place of an application's own "call the model"."""
        from workbench.testing.agents.agent_calls import AgentCall

        if role is not None:
            self.role(role)
        return AgentCall(self._engine, role)

    def as_sync_call(self, role: str | None = None) -> SyncAgentCall:
        """As ``as_call``, a function that is not awaited."""
        from workbench.testing.agents.agent_calls import SyncAgentCall

        if role is not None:
            self.role(role)
        return SyncAgentCall(self._engine, role)

    # What it was asked.

    def calls(self, role: str | None = None) -> list[Call]:
        """The requests so far, in order of arrival; of one role, or all.

        Raises:
            UnknownRoleError: ``role`` was neither declared nor seen.
        """
        __tracebackhide__ = True
        calls = self._engine.calls
        if role is None:
            return calls
        known = self._engine.known_roles
        if role not in known:
            names = ", ".join(sorted(known)) or "none"
            raise UnknownRoleError(f"no role {role!r}; known are {names}")
        return [call for call in calls if call.role == role]

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that were replied to, with what was sent, as a run records them."""
        return self._engine.exchanges

    @property
    def problems(self) -> list[MockLLMError]:
        """Why requests were not answered, in the order of the requests."""
        return self._engine.unanswered.problems

    @property
    def misses(self) -> list[Miss]:
        """The requests that nothing answered."""
        return self._engine.unanswered.misses

    @property
    def unsupported(self) -> list[UnsupportedRequest]:
        """The requests to paths that are not spoken here, each with what to switch to."""
        return self._engine.unanswered.unsupported

    def assert_calls(self, expected: Iterable[str | None]) -> None:
        """Assert that exactly these roles asked, in this order; None for a request of no role.

        Raises:
            AssertionError: others did, or the mock could not answer; with a table of the calls.
        """
        __tracebackhide__ = True
        asserting.require_calls(list(expected), self.calls(), self.problems)

    def assert_finished(self) -> None:
        """Assert that every scripted reply was asked for.

        Raises:
            AssertionError: some were not, or the mock could not answer; with a table of the calls.
        """
        __tracebackhide__ = True
        asserting.require_finished(self._engine.left, self.calls(), self.problems)

    def reset(self) -> None:
        """Forget roles, scripts, calls and problems."""
        self._engine.reset()
