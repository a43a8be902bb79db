"""A model for tests: it answers what the test scripts, and keeps what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from workbench.core.apis.table import BY_NAME
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.recordings.exchanges import Exchange
from workbench.core.replies.profile_names import PROFILE_NAMES, RUN_PROFILE, ProfileName
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.testing.mocks.calls import Call, exchanges, fail, require_roles
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.errors import MockLLMError, UnknownRoleError
from workbench.testing.mocks.scripts import (
    Header,
    Matcher,
    ReplySource,
    Script,
    header_text,
    require_replies,
)

if TYPE_CHECKING:
    from workbench.testing.mocks.agent_calls import AgentCall, SyncAgentCall
    from workbench.testing.mocks.live import LiveModel

__tracebackhide__ = True  # failed tests show their own frames


class MockLLM:
    """Answers the requests of one test: over HTTP, through a transport without a socket, or as a
    function. Safe for threads and tasks; each scripted reply is used once.

    Args:
        store: fixtures for what no script answers: a folder or a store. Requests that its
            ``workbench-ignore.txt`` names get the fallback. A miss says if there is no such folder.
        strict: any other miss gets a 404 that explains it instead of the fallback.
        max_calls: further requests are refused, so that an endless application ends.
        profile: how replies look on the wire: ``openai``, in every detail, or ``stub``, as the
            reference stub sends them.
        on_unanswered: called with each request that nothing answers, or that is not supported.
        on_served: called with the digest of each fixture that answers a request, or that is
            recorded.
        log_options: the options with which commands of workbench find the log that
            ``on_unanswered`` writes; None if it writes none.
        upstream: answers instead of scripts and fixtures.

    Raises:
        NotADirectoryError: ``store`` is not a folder.
        ValueError: there is no such profile.
    """

    __test__ = False

    def __init__(
        self,
        store: StoredFixtures | FixtureStore | Path | str | None = None,
        *,
        strict: bool = True,
        max_calls: int | None = None,
        profile: ProfileName = RUN_PROFILE,
        on_unanswered: Callable[[Call | UnsupportedRequest], None] | None = None,
        on_served: Callable[[str], None] | None = None,
        log_options: Sequence[str] | None = None,
        upstream: LiveModel | None = None,
    ) -> None:
        if profile not in PROFILE_NAMES:
            names = " or ".join(PROFILE_NAMES)
            raise ValueError(f"there is no profile {profile!r}; expected {names}")
        if not isinstance(store, StoredFixtures | None):
            store = StoredFixtures(fixture_store(store))
        self._engine = Engine(
            stored=store,
            strict=strict,
            max_calls=max_calls,
            profile=profile,
            on_unanswered=on_unanswered,
            upstream=upstream,
            on_served=on_served,
            log_options=log_options,
        )
        self._serving = threading.Lock()
        self._base_url: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Scripts.

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
        declared more than once is recognised by any of its declarations. One declared by its name
        alone is recognised by the header ``X-Workbench-Node`` or ``as_call``.

        Args:
            system: a part of the system message.
            model: its whole name.
            tool: the name of an offered tool.
            header: ``name: value`` or ``{name: value}``; a name alone for any value.

        Raises:
            ValueError: ``header`` is not one.
        """
        signs = Matcher(model=model, system=system, tool=tool, header=header_text(header))
        with self._engine.lock:
            self._engine.scripts.roles.append((name, signs))

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
        """Answer the requests that match everything given with ``replies``, one after the other.
        Of two scripts that match, the earlier answers while it has replies.

        Args:
            replies: each a ``Reply``, or a function that takes the ``Call`` and returns one.
            role: of the caller; declared here if more is given, else by ``role``.
            model, system, tool, header: as for ``role``.
            repeat_last: the last reply answers all further requests.

        Raises:
            TypeError: something is not a reply.
            ValueError: ``header`` is not one.
        """
        require_replies(replies)
        matcher = Matcher(role, model, system, tool, header_text(header))
        self._add(Script(matcher, replies, repeat_last, needed=len(replies)))

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
        """Answer every request that matches everything given with ``reply``. Unlike that of a
        script, a reply that is never used does not fail ``assert_finished``.

        Raises:
            TypeError: ``reply`` is not a reply.
        """
        require_replies((reply,))
        matcher = Matcher(role, model, system, tool, header_text(header))
        self._add(Script(matcher, (reply,), repeats_last=True, needed=0))

    def _add(self, script: Script) -> None:
        with self._engine.lock:
            self._engine.scripts.add(script)

    # Clients.

    @property
    def base_url(self) -> str:
        """The base URL for ``OpenAI(base_url=…)``; starts the server at first use. Raises
        MockServerError.
        """
        return self.serve()

    def base_url_of(self, api: str) -> str:
        """The base URL as the official client of an API takes it: ``anthropic.Anthropic(base_url=
        mock_llm.base_url_of("messages"))``.

        Args:
            api: a name that ``workbench hash --api`` takes: ``chat``, ``messages`` and so on.

        Raises:
            ValueError: it is none of these.
            MockServerError: see ``serve``.
        """
        if api not in BY_NAME:
            raise ValueError(f"there is no API {api!r}; expected one of {', '.join(BY_NAME)}")
        root = self.serve().removesuffix("/v1")
        return root + BY_NAME[api].client.base_path

    def serve(self) -> str:
        """Answer over HTTP from now on; returns the base URL. All mocks of this process share one
        server, each under a path of its own.

        Raises:
            MockServerError: there can be no server, or sockets are forbidden.
        """
        with self._serving:
            if self._base_url is None:
                from workbench.testing.mocks.server import attach

                self._base_url = attach(self._engine)
            return self._base_url

    def close(self) -> None:
        """Stop answering over HTTP. Clients that still wait for a reply are disconnected."""
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
        """An async function to use in place of an application's own "call the model"."""
        from workbench.testing.mocks.agent_calls import AgentCall

        if role is not None:
            self.role(role)
        return AgentCall(self._engine, role)

    def as_sync_call(self, role: str | None = None) -> SyncAgentCall:
        """The same as ``as_call``, for a function that is not async."""
        from workbench.testing.mocks.agent_calls import SyncAgentCall

        if role is not None:
            self.role(role)
        return SyncAgentCall(self._engine, role)

    # Calls.

    def calls(self, role: str | None = None) -> list[Call]:
        """The requests so far, in order of arrival; of one role, or all.

        Raises:
            UnknownRoleError: ``role`` was neither declared nor seen.
        """
        calls = list(self._engine.calls)
        if role is None:
            return calls
        roles = {name for name, _ in self._engine.scripts.roles}
        roles |= {call.role for call in calls if call.role}
        if role not in roles:
            names = ", ".join(sorted(roles)) or "none"
            raise UnknownRoleError(f"no role {role!r}; known are {names}")
        return [call for call in calls if call.role == role]

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that were answered, with what was sent, as a recording has them."""
        return exchanges(self.calls())

    @property
    def problems(self) -> list[MockLLMError]:
        """Why requests were not answered, in the order of the requests."""
        return list(self._engine.problems)

    @property
    def misses(self) -> list[Call]:
        """The calls that nothing answered."""
        return [call for call in self.calls() if call.unanswered]

    @property
    def remarks(self) -> list[str]:
        """What fixtures that were recorded leave out, a sentence for each (``--llm-record``)."""
        model = self._engine.upstream
        return [] if model is None else list(model.remarks)

    @property
    def unsupported(self) -> list[UnsupportedRequest]:
        """The requests to paths that are not supported."""
        return list(self._engine.unsupported)

    def assert_calls(self, expected: Iterable[str | None]) -> None:
        """Assert that exactly these roles made the calls, in this order; None for no role.

        Raises:
            AssertionError: with a table of the calls; also if the mock could not answer.
        """
        if isinstance(expected, str):
            raise TypeError(f"assert_calls takes a list of roles, not {expected!r}")
        self._assert_no_problems()
        require_roles(list(expected), self.calls())

    def assert_finished(self) -> None:
        """Assert that every scripted reply was used. A mock with an ``upstream`` uses none.

        Raises:
            AssertionError: with a table of the calls; also if the mock could not answer.
        """
        self._assert_no_problems()
        scripts = [] if self._engine.upstream is not None else self._engine.scripts.scripts
        unused = [f"{s.left} of {len(s.replies)} of the {s}" for s in scripts if s.left]
        if unused:
            fail("Unused scripted replies:", *unused, calls=self.calls())

    def _assert_no_problems(self) -> None:
        if problems := self.problems:
            fail("The mock could not answer:", *map(str, problems), calls=self.calls())

    def reset(self) -> None:
        """Forget roles, scripts, calls and problems."""
        self._engine.reset()


def fixture_store(store: FixtureStore | Path | str) -> FixtureStore:
    """The store of a folder, which need not exist. Raises NotADirectoryError."""
    store = store if isinstance(store, FixtureStore) else FixtureStore(Path(store))
    if store.folder.exists() and not store.folder.is_dir():
        raise NotADirectoryError(f"fixtures are in a folder; {store.folder} is not one")
    return store
