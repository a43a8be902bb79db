"""Mocks in the place of an application's own functions: agents, and what they call."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest.mock import AsyncMock, MagicMock, patch
from weakref import WeakKeyDictionary

from workbench.core.text.wording import counted
from workbench.testing.arguments import require, require_flags, wrong_type
from workbench.testing.mocks.agent_calls import AgentCall, SyncAgentCall
from workbench.testing.mocks.mock_llm import MockLLM
from workbench.testing.mocks.scripts import ReplySource, require_replies

if TYPE_CHECKING:
    import pytest

__tracebackhide__ = True  # failed tests show their own frames

_A_NAME: Final = "the name of a function with its module, such as 'myapp.llm_call'"

_Value = TypeVar("_Value")

# A pytest fixture that agent_mock made, and one that combine made.
AgentFixture = Callable[..., Iterator[AgentCall | SyncAgentCall]]
CombinedFixture = Callable[..., Iterator[dict[str, AgentCall | SyncAgentCall]]]


class ResultsExhaustedError(LookupError):
    """A function under ``scripted`` was called again after its last result."""


@contextmanager
def scripted(target: str, *results: Any, repeat_last: bool = False) -> Iterator[MagicMock]:
    """Replace a function inside a ``with`` block. Each call gives the next of ``results``::

        with scripted("myapp.tools.web_search", "first", TimeoutError("slow"), lambda query: query):
            run_agent()

    Args:
        target: where the function is used, such as ``myapp.tools.web_search``. It may be async.
        results: a value is returned; an exception is raised; a function is called with the
            arguments of the call, and its result is returned (awaited if ``target`` is async).
        repeat_last: use the last result for all further calls.

    Returns:
        The mock of ``unittest.mock`` that replaces the function.

    Raises:
        ResultsExhaustedError: the function is called after the last result.
        TypeError: there are no results, or ``target`` is not a name.
    """
    _require_name("scripted", target)
    require_flags("scripted", repeat_last=repeat_last)
    if not results:
        raise TypeError(f"scripted: give {target!r} at least one result")
    lock = threading.Lock()
    used = 0

    def result(*args: Any, **kwargs: Any) -> Any:
        nonlocal used
        with lock:
            place, used = used, used + 1
        if place >= len(results) and not repeat_last:
            count = counted(len(results), "result")
            raise ResultsExhaustedError(
                f"call {place + 1} of {target}: scripted has {count}. Add a result, or repeat the "
                "last one with repeat_last=True."
            )
        value = results[min(place, len(results) - 1)]
        is_exception_class = isinstance(value, type) and issubclass(value, BaseException)
        if is_exception_class or isinstance(value, BaseException):
            raise value
        return value(*args, **kwargs) if inspect.isroutine(value) else value

    async def async_result(*args: Any, **kwargs: Any) -> Any:
        value = result(*args, **kwargs)
        return await value if inspect.isawaitable(value) else value

    with patch(target) as mock:
        mock.side_effect = async_result if isinstance(mock, AsyncMock) else result
        yield mock


@dataclass
class AgentMock:
    """Replies for one agent. It replaces the functions at ``targets`` while it is active.

    Attributes:
        is_async: the functions are async; None to take this from their ``def``.
    """

    targets: Sequence[str]
    replies: tuple[ReplySource, ...]
    repeat_last: bool
    is_async: bool | None = None
    _users: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _call: AgentCall | SyncAgentCall | None = None

    @contextmanager
    def active(self) -> Iterator[AgentCall | SyncAgentCall]:
        """Replace the functions inside the block; nested blocks share the replacement."""
        if self._call is None or self._users == 0:
            self._call = self._stack.enter_context(self._patched())
        self._users += 1
        try:
            yield self._call
        finally:
            self._users -= 1
            if self._users == 0:
                self._stack.close()

    @contextmanager
    def _patched(self) -> Iterator[AgentCall | SyncAgentCall]:
        functions = [_function_at(target) for target in self.targets]
        is_async = self.is_async
        if is_async is None:
            kinds = dict(zip(self.targets, map(_is_async, functions), strict=True))
            is_async = any(kinds.values())
            if is_async != all(kinds.values()):
                raise TypeError(
                    "agent_mock: some functions are async and some are not. Make two mocks, or "
                    f"give is_async. Async: {kinds}"
                )
        with MockLLM() as mock, ExitStack() as stack:
            mock.script(*self.replies, repeat_last=self.repeat_last)
            call = mock.as_call() if is_async else mock.as_sync_call()
            for target in self.targets:
                stack.enter_context(patch(target, new=call))
            yield call


def _function_at(target: str) -> Any:
    """The function with this name. If there is none, the test fails with a line: a traceback would
    be one of the libraries that look it up.
    """
    import pytest

    try:
        return resolve_name(target)
    except (ImportError, AttributeError, ValueError) as error:
        pytest.fail(
            f"agent_mock cannot replace {target!r}: {error}. Give the name under which the "
            "application uses the function.",
            pytrace=False,
        )


def _is_async(function: Any) -> bool:
    written = inspect.unwrap(function)
    if not inspect.isroutine(written):  # an object that can be called
        written = type(written).__call__
    return inspect.iscoroutinefunction(written)


# Mocks by the pytest fixture that activates them.
_mocks: WeakKeyDictionary[Any, AgentMock] = WeakKeyDictionary()


def agent_mock(
    target: str | Sequence[str],
    *replies: ReplySource,
    repeat_last: bool = False,
    is_async: bool | None = None,
) -> AgentFixture:
    """Make a pytest fixture that replaces the function with which an agent calls the model::

        critic = agent_mock("myapp.critic.llm_call", Reply.text("No."), Reply.text("Yes."))


        def test_two_rounds(critic):
            run_debate()
            assert len(critic.calls) == 2

    The value of the pytest fixture is an ``AgentCall``, or a ``SyncAgentCall`` if the function is
    not async.

    Args:
        target: name under which the agent uses the function; a list of names shares one mock.
        replies: one for each call.
        repeat_last: use the last reply for all further calls.
        is_async: True or False if the ``def`` of the function does not show that it is async.

    Raises:
        TypeError: there is no reply, or an argument has the wrong type.
    """
    require_replies("agent_mock", replies)
    require_flags("agent_mock", repeat_last=repeat_last)
    require("agent_mock", "is_async", is_async, (bool, type(None)), "True, False or None")
    if not isinstance(target, str):
        require("agent_mock", "target", target, Sequence, f"{_A_NAME}, or a list of names")
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise TypeError("agent_mock needs the name of a function, such as 'myapp.llm_call'")
    for name in targets:
        _require_name("agent_mock", name)
    mock = AgentMock(targets, replies, repeat_last=repeat_last, is_async=is_async)

    def mocked(request: pytest.FixtureRequest) -> Iterator[AgentCall | SyncAgentCall]:
        with mock.active() as call:
            _fail_for_mistakes(request, call)
            yield call

    fixture = _fixture(mocked)
    _mocks[fixture] = mock
    return fixture


def combine(**agents: AgentFixture) -> CombinedFixture:
    """Combine several agent mocks into one pytest fixture, whose value is a dict (name → mock)::

        agents = combine(planner=planner_mock, critic=critic_mock)


        def test_all(agents):
            run_team()
            assert agents["critic"].calls

    Args:
        agents: pytest fixtures that ``agent_mock`` made.

    Raises:
        TypeError: an argument is not an agent mock.
    """
    for name, agent in agents.items():
        if not _is_mock(agent):
            raise wrong_type("combine", name, agent, "a pytest fixture made by agent_mock")
    mocks = {name: _mocks[agent] for name, agent in agents.items()}

    def mocked(request: pytest.FixtureRequest) -> Iterator[dict[str, AgentCall | SyncAgentCall]]:
        with ExitStack() as stack:
            calls = {}
            for name, mock in mocks.items():
                calls[name] = stack.enter_context(mock.active())
                _fail_for_mistakes(request, calls[name])
            yield calls

    return _fixture(mocked)


def _is_mock(value: object) -> bool:
    try:
        return value in _mocks
    except TypeError:  # it cannot be a key
        return False


def _require_name(function: str, target: object) -> None:
    """Raises TypeError if ``target`` is not the dotted name of a function."""
    if not isinstance(target, str) or "." not in target:
        raise wrong_type(function, "target", target, _A_NAME)


def _fail_for_mistakes(request: pytest.FixtureRequest, call: AgentCall | SyncAgentCall) -> None:
    """Have the plugin, where it is active, fail the test for requests that ``call`` could not
    answer (its module ``mock_fixtures``).
    """
    import pytest

    with suppress(pytest.FixtureLookupError):
        request.getfixturevalue("_watched_mocks").append(("agent_mock", call))


def _fixture(function: Callable[..., Iterator[_Value]]) -> Callable[..., Iterator[_Value]]:
    import pytest

    return pytest.fixture(function)
