"""A fake model for tests: it returns the replies that the test scripts, and keeps the requests."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from workbench.core.apis import OF_VENDORS
from workbench.core.apis.table import BY_NAME
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.recordings.exchanges import Exchange
from workbench.core.replies.profile_names import PROFILE_NAMES, RUN_PROFILE, ProfileName
from workbench.core.text.wording import did_you_mean, either, near, shortlist
from workbench.io.fixture.store import FixtureStore
from workbench.io.fixture.stored_fixtures import StoredFixtures
from workbench.testing.arguments import (
    no_file,
    require_flags,
    require_path,
    require_text,
    require_texts,
    require_whole_number,
    wrong_type,
)
from workbench.testing.mocks.calls import Call, exchanges, fail, require_roles
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.errors import MockLLMError, UnknownRoleError
from workbench.testing.mocks.scripts import (
    Header,
    ReplySource,
    Script,
    matcher,
    require_replies,
)

if TYPE_CHECKING:
    from workbench.testing.mocks.agent_calls import AgentCall, SyncAgentCall
    from workbench.testing.mocks.transport import Transport

__tracebackhide__ = True  # failed tests show their own frames


class MockLLM:
    """A fake model for tests. It answers over HTTP, through a transport without a socket, or as a
    function, and each scripted reply is used once. Threads and tasks may share a mock.

    In a test, use the pytest fixture ``mock_llm``. Make a mock of your own for another scope::

        @pytest.fixture(scope="session")
        def model():
            with MockLLM("fixtures") as mock:
                yield mock

    Args:
        store: folder of the fixtures that answer requests without a scripted reply. Requests that
            its ``workbench-ignore.txt`` lists get the fallback (a placeholder reply).
        strict: answer any other request with an error (404) that explains what is missing. If
            False, such requests get the fallback.
        max_calls: number of calls after which further requests are refused, so that an endless
            loop ends.
        profile: ``openai`` for replies with every detail of the real API, ``stub`` for replies of
            the reference stub (``mock_llm.py``).

    Raises:
        FileNotFoundError: the folder does not exist.
        NotADirectoryError: ``store`` is not a folder.
        ValueError: ``store`` is empty, ``max_calls`` is below 1, or ``profile`` is unknown.
    """

    __test__ = False

    def __init__(
        self,
        store: Path | str | None = None,
        *,
        strict: bool = True,
        max_calls: int | None = None,
        profile: ProfileName = RUN_PROFILE,
    ) -> None:
        require_path("MockLLM", "store", store, "the path of a folder", is_optional=True)
        require_flags("MockLLM", strict=strict)
        if max_calls is not None:
            require_whole_number("MockLLM", "max_calls", max_calls, 1)
        if profile not in PROFILE_NAMES:
            raise ValueError(f"MockLLM: profile must be {either(PROFILE_NAMES)}, got {profile!r}")
        self._engine = Engine(
            stored=None if store is None else StoredFixtures(_existing_store(Path(store))),
            strict=strict,
            max_calls=max_calls,
            profile=profile,
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
        """Declare how to recognise the requests of a role: a request matches if everything given
        here matches. Declare a role several times to recognise it in several ways. If you give only
        a name, the role is recognised by the header ``X-Workbench-Node`` or by ``as_call``.

        Args:
            name: name of the role, such as ``planner``.
            system: part of the system message.
            model: full name of the model.
            tool: name of an offered tool.
            header: ``name: value`` or ``{name: value}``; only a name matches any value.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: ``header`` is not a header.
        """
        require_text("MockLLM.role", "name", name)
        signs = matcher("MockLLM.role", None, model, system, tool, header)
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
        """Answer matching requests with ``replies``, one after the other. A request matches if
        everything given here matches; a script with only replies matches any request. If several
        scripts match, the earliest one that has replies left answers.

        Args:
            replies: each a ``Reply``, or a function that takes the ``Call`` and returns a
                ``Reply``.
            role: role of the caller. Declare the role here with one of the next arguments, or with
                ``role()``.
            model, system, tool, header: see ``role``.
            repeat_last: use the last reply for all further requests.

        Raises:
            TypeError: there is no reply, or an argument has the wrong type.
            ValueError: ``header`` is not a header.
        """
        require_replies("MockLLM.script", replies)
        require_flags("MockLLM.script", repeat_last=repeat_last)
        matching = matcher("MockLLM.script", role, model, system, tool, header)
        self._add(Script(matching, replies, repeat_last, needed=len(replies)))

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
        """Answer every matching request with the same ``reply``. ``assert_finished`` does not
        require that the reply is used.

        Args:
            reply: a ``Reply``, or a function that takes the ``Call`` and returns a ``Reply``.
            role, model, system, tool, header: see ``script``.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: ``header`` is not a header.
        """
        require_replies("MockLLM.respond", (reply,))
        matching = matcher("MockLLM.respond", role, model, system, tool, header)
        self._add(Script(matching, (reply,), repeats_last=True, needed=0))

    def _add(self, script: Script) -> None:
        with self._engine.lock:
            self._engine.scripts.add(script)

    # Clients.

    @property
    def base_url(self) -> str:
        """Base URL for ``OpenAI(base_url=…)``; it ends in ``/v1``. The first use starts the server.

        Raises:
            MockServerError: the server cannot start, or sockets are forbidden.
        """
        return self.serve()

    def base_url_of(self, api: str) -> str:
        """Return the base URL for the official client of an API::

            anthropic.Anthropic(base_url=mock_llm.base_url_of("anthropic"))

        Args:
            api: an API (``chat``, ``responses``, ``messages``, ``gemini``, ``converse``,
                ``cohere``, ``ollama``) or a vendor (``openai``, ``anthropic``, ``google``,
                ``bedrock``).

        Raises:
            ValueError: the name is unknown.
            MockServerError: see ``base_url``.
        """
        require_text("MockLLM.base_url_of", "api", api)
        name = OF_VENDORS.get(api, api)
        if name not in BY_NAME:
            names = [*BY_NAME, *OF_VENDORS]
            guess = did_you_mean(near(api, names))
            raise ValueError(f"no such API: {api!r} (choose from {', '.join(names)}){guess}")
        root = self.serve().removesuffix("/v1")
        return root + BY_NAME[name].client.base_path

    def serve(self) -> str:
        """Start to answer over HTTP and return the base URL. All mocks of a process share one
        server, and each mock has its own path.

        Raises:
            MockServerError: the server cannot start, or sockets are forbidden.
        """
        with self._serving:
            if self._base_url is None:
                from workbench.testing.mocks.server import attach

                self._base_url = attach(self._engine)
            return self._base_url

    def close(self) -> None:
        """Stop answering over HTTP, and disconnect clients that wait for a reply. The end of a
        ``with`` block does this.
        """
        with self._serving:
            if self._base_url is not None:
                from workbench.testing.mocks.server import detach

                detach(self._base_url)
                self._base_url = None

    def transport(self) -> Transport:
        """Return a transport that answers without a socket, whatever the host::

            client = httpx2.Client(transport=mock_llm.transport())
            OpenAI(base_url="http://mock/v1", http_client=client)

        It fits ``Client`` and ``AsyncClient`` of httpx and httpx2.
        """
        from workbench.testing.mocks.transport import Transport

        return Transport(self._engine)

    def as_call(self, role: str | None = None) -> AgentCall:
        """Return an async function to use in place of your application's own function that calls
        the model.

        Args:
            role: role of its calls.

        Raises:
            TypeError: ``role`` is not a string.
        """
        from workbench.testing.mocks.agent_calls import agent_call

        self._declare("MockLLM.as_call", role)
        return agent_call(self._engine, role)

    def as_sync_call(self, role: str | None = None) -> SyncAgentCall:
        """Return the same as ``as_call``, for a function that is not async.

        Args:
            role: role of its calls.

        Raises:
            TypeError: ``role`` is not a string.
        """
        from workbench.testing.mocks.agent_calls import sync_agent_call

        self._declare("MockLLM.as_sync_call", role)
        return sync_agent_call(self._engine, role)

    def _declare(self, function: str, role: str | None) -> None:
        require_texts(function, role=role)
        if role is not None:
            self.role(role)

    # Calls.

    def calls(self, role: str | None = None) -> list[Call]:
        """Return the requests so far, in order of arrival.

        Args:
            role: return only requests of this role.

        Raises:
            UnknownRoleError: the role is not declared, and no request has it.
        """
        require_texts("MockLLM.calls", role=role)
        calls = list(self._engine.calls)
        if role is None:
            return calls
        roles = {name for name, _ in self._engine.scripts.roles}
        roles |= {call.role for call in calls if call.role}
        if role not in roles:
            names = f"roles: {shortlist(sorted(roles))}" if roles else "no roles declared"
            guess = did_you_mean(near(role, sorted(roles)))
            raise UnknownRoleError(f"no such role: {role!r} ({names}){guess}")
        return [call for call in calls if call.role == role]

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that were answered over HTTP or a transport, with their replies, as in a
        recording.
        """
        return exchanges(self.calls())

    @property
    def problems(self) -> list[MockLLMError]:
        """The errors of requests that were not answered, in the order of the requests."""
        return list(self._engine.problems)

    @property
    def misses(self) -> list[Call]:
        """The calls that neither a script nor a fixture answered."""
        return [call for call in self.calls() if call.unanswered]

    @property
    def unsupported(self) -> list[UnsupportedRequest]:
        """The requests to paths that are not supported."""
        return list(self._engine.unsupported)

    def assert_calls(self, expected: Iterable[str | None]) -> None:
        """Check that exactly these roles made the calls, in this order.

        Args:
            expected: the role of each call; None for a call without a role.

        Raises:
            AssertionError: other roles made the calls, or a request was not answered. The message
                contains a table of the calls.
            TypeError: ``expected`` is not a list of roles.
        """
        if isinstance(expected, str) or not isinstance(expected, Iterable):
            raise wrong_type("MockLLM.assert_calls", "expected", expected, "a list of roles")
        roles = list(expected)
        for role in roles:
            require_texts("MockLLM.assert_calls", role=role)
        self._assert_no_problems()
        require_roles(roles, self.calls())

    def assert_finished(self) -> None:
        """Check that every scripted reply was used. With ``--llm-live`` the real model answers, so
        scripted replies may be left.

        Raises:
            AssertionError: replies are left, or a request was not answered. The message contains a
                table of the calls.
        """
        self._assert_no_problems()
        scripts = [] if self._engine.upstream is not None else self._engine.scripts.scripts
        unused = [f"{s.left} of {len(s.replies)} in the {s}" for s in scripts if s.left]
        if unused:
            fail("Scripted replies were not used:", *unused, calls=self.calls())

    def _assert_no_problems(self) -> None:
        if problems := self.problems:
            fail("The mock could not answer:", *map(str, problems), calls=self.calls())

    def reset(self) -> None:
        """Forget all roles, scripts, calls and problems."""
        self._engine.reset()


def fixture_store(folder: Path) -> FixtureStore:
    """The store of a folder, which need not exist. Raises NotADirectoryError."""
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file; give the path of a folder with fixtures")
    return FixtureStore(folder)


def _existing_store(folder: Path) -> FixtureStore:
    """The store of a folder. Raises FileNotFoundError and NotADirectoryError."""
    store = fixture_store(folder)
    if not folder.exists():
        raise FileNotFoundError(
            f"MockLLM: {no_file(folder)}\n"
            "Create the folder, correct the path, or leave the argument out."
        )
    return store
