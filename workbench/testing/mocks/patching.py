"""Mocks in the place of an application's own functions: agents, and what they call."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, MagicMock, patch
from weakref import WeakKeyDictionary

from workbench.core.text.wording import counted
from workbench.testing.mocks.mock_llm import MockLLM
from workbench.testing.mocks.scripts import ReplySource, require_replies

if TYPE_CHECKING:
    import pytest

__tracebackhide__ = True  # failed tests show their own frames


class ResultsExhaustedError(LookupError):
    """A scripted function was called once more than it has results."""


@contextmanager
def scripted(target: str, *results: Any, repeat_last: bool = False) -> Iterator[MagicMock]:
    """Have the function at ``target`` return ``results``, one for each call.

    Args:
        target: where it is used: ``myapp.tools.web_search``. It may be async.
        results: each is returned; an exception is raised; a function is called with the arguments
            of the call, and its result is returned (awaited, if ``target`` is async).
        repeat_last: the last result answers all further calls, too.

    Returns:
        the mock of ``unittest.mock`` in its place.

    Raises:
        ResultsExhaustedError: at a call after the last result.
    """
    if not results:
        raise TypeError(f"scripted({target!r}) has no results")
    lock = threading.Lock()
    used = 0

    def result(*args: Any, **kwargs: Any) -> Any:
        nonlocal used
        with lock:
            place, used = used, used + 1
        if place >= len(results) and not repeat_last:
            count = counted(len(results), "result")
            raise ResultsExhaustedError(f"{target}, call {place + 1}: it has {count}, all used")
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
    """Replies for one agent, in the place of the functions at ``targets`` while it is active.

    Attributes:
        is_async: whether the functions are async; None: as their ``def`` says.
    """

    targets: Sequence[str]
    replies: tuple[ReplySource, ...]
    repeat_last: bool
    is_async: bool | None = None
    _users: int = 0
    _stack: ExitStack = field(default_factory=ExitStack)
    _call: Any = None

    @contextmanager
    def active(self) -> Iterator[Any]:
        """The ``AgentCall`` or ``SyncAgentCall`` in the place of the functions; blocks in one
        another share it.
        """
        if self._users == 0:
            self._call = self._stack.enter_context(self._patched())
        self._users += 1
        try:
            yield self._call
        finally:
            self._users -= 1
            if self._users == 0:
                self._stack.close()

    @contextmanager
    def _patched(self) -> Iterator[Any]:
        functions = [_function_at(target) for target in self.targets]
        is_async = self.is_async
        if is_async is None:
            kinds = dict(zip(self.targets, map(_is_async, functions), strict=True))
            is_async = any(kinds.values())
            if is_async != all(kinds.values()):
                raise TypeError(f"agent_mock: some functions are async, others are not: {kinds}")
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
        pytest.fail(f"agent_mock cannot replace {target!r}: {error}", pytrace=False)


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
    repeat_last: bool = True,
    is_async: bool | None = None,
) -> Any:
    """A pytest fixture that answers one agent; its value is the ``AgentCall`` in the place of the
    agent's function, or a ``SyncAgentCall`` if that is not async.

    Args:
        target: the function that the agent calls, by the name under which the agent uses it:
            ``"src.agents.abducer.agent.honcho_llm_call"``; a list of names shares one mock.
        replies: one for each call.
        repeat_last: the last reply answers all further calls.
        is_async: whether the function is async, if its ``def`` does not say so.

    Raises:
        TypeError: something is not a reply.
    """
    require_replies(replies)
    if callable(target):
        raise TypeError(f"agent_mock takes the name of a function, such as 'app.ask', not {target}")
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise TypeError("agent_mock needs a function to replace")
    mock = AgentMock(targets, replies, repeat_last=repeat_last, is_async=is_async)

    def mocked(request: pytest.FixtureRequest) -> Iterator[Any]:
        with mock.active() as call:
            _fail_for_mistakes(request, call)
            yield call

    fixture = _fixture(mocked)
    _mocks[fixture] = mock
    return fixture


def combine(**agents: Any) -> Any:
    """A pytest fixture that activates several of ``agent_mock``; its value is a dict of their
    values by name.

    Raises:
        TypeError: one is not an agent mock.
    """
    for name, agent in agents.items():
        if agent not in _mocks:
            raise TypeError(f"{name} is {agent!r}, which agent_mock(…) did not make")
    mocks = {name: _mocks[agent] for name, agent in agents.items()}

    def mocked(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
        with ExitStack() as stack:
            calls = {}
            for name, mock in mocks.items():
                calls[name] = stack.enter_context(mock.active())
                _fail_for_mistakes(request, calls[name])
            yield calls

    return _fixture(mocked)


def _fail_for_mistakes(request: pytest.FixtureRequest, call: Any) -> None:
    """Have the plugin, where it is active, fail the test for what ``call`` could not answer
    (its module ``mock_fixtures``).
    """
    import pytest

    with suppress(pytest.FixtureLookupError):
        request.getfixturevalue("_watched_mocks").append(("agent_mock", call))


def _fixture(function: Callable[..., Iterator[Any]]) -> Any:
    import pytest

    return pytest.fixture(function)
