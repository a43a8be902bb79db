"""Pytest fixtures that put a mock in the place of an application's own functions."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from workbench.testing.agents.agent_calls import AgentCall, SyncAgentCall
from workbench.testing.mocks.mock_llm import MockLLM
from workbench.testing.mocks.scripts import ReplySource, require_replies


class AgentMock:
    """Replies for one agent, put in the place of the functions at ``targets`` while active.

    Args:
        is_async: whether the functions are awaited; None: as they are written.
    """

    def __init__(
        self,
        targets: Sequence[str],
        replies: tuple[ReplySource, ...],
        *,
        repeat_last: bool,
        is_async: bool | None = None,
    ) -> None:
        self._targets = targets
        self._replies = replies
        self._repeat_last = repeat_last
        self._is_async = is_async
        self._lock = threading.Lock()
        self._depth = 0
        self._stack = ExitStack()
        self._call: AgentCall | SyncAgentCall | None = None

    @contextmanager
    def active(self) -> Iterator[AgentCall | SyncAgentCall]:
        """The mock in its place; the same one for all who are inside at once."""
        __tracebackhide__ = True
        with self._lock:
            if self._depth == 0:
                self._call = self._stack.enter_context(self._patched())
            self._depth += 1
            assert self._call is not None
            call = self._call
        try:
            yield call
        finally:
            with self._lock:
                self._depth -= 1
                if self._depth == 0:
                    self._stack.close()

    @contextmanager
    def _patched(self) -> Iterator[AgentCall | SyncAgentCall]:
        __tracebackhide__ = True
        is_async = self._is_async
        if is_async is None:
            kinds = list(map(_is_async, map(resolve_name, self._targets)))
            is_async = kinds[0]
            if len(set(kinds)) > 1:
                said = dict(zip(self._targets, kinds, strict=True))
                raise TypeError(f"agent_mock: some functions are async, others are not: {said}")
        with MockLLM() as mock, ExitStack() as stack:
            mock.script(*self._replies, repeat_last=self._repeat_last)
            call = mock.as_call() if is_async else mock.as_sync_call()
            for target in self._targets:
                stack.enter_context(patch(target, new=call))
            yield call


def _is_async(function: Any) -> bool:
    written = inspect.unwrap(function)
    if not inspect.isroutine(written):  # an object that can be called
        written = type(written).__call__
    return inspect.iscoroutinefunction(written)


_mocks: WeakKeyDictionary[Any, AgentMock] = WeakKeyDictionary()


def agent_mock(
    target: str | Sequence[str],
    *replies: ReplySource,
    repeat_last: bool = True,
    is_async: bool | None = None,
) -> Any:
    """A pytest fixture that answers one agent; its value is the ``AgentCall`` that stands in the
    place of the agent's function, or the ``SyncAgentCall`` where that is not async.

    Args:
        target: the function that the agent calls, by the name under which the agent knows it:
            ``"src.agents.abducer.agent.honcho_llm_call"``; a list of several that are replaced by
            one mock.
        replies: one for each call.
        repeat_last: the last reply answers all further calls.
        is_async: whether the function is awaited, where its ``def`` does not say so.

    Raises:
        TypeError: what is no reply.
    """
    require_replies(replies)
    targets = [target] if isinstance(target, str) else list(target)
    if not targets:
        raise TypeError("agent_mock needs a function to replace")
    mock = AgentMock(targets, replies, repeat_last=repeat_last, is_async=is_async)

    def mocked() -> Iterator[AgentCall | SyncAgentCall]:
        __tracebackhide__ = True
        with mock.active() as call:
            yield call

    return _as_fixture(mocked, mock)


def combine(**agents: Any) -> Any:
    """A pytest fixture that activates several of ``agent_mock``; its value is a dict of their
    values by name.

    Raises:
        TypeError: one is no agent mock.
    """
    for name, agent in agents.items():
        if agent not in _mocks:
            raise TypeError(f"{name} is {agent!r}, which agent_mock(…) did not make")
    mocks = {name: _mocks[agent] for name, agent in agents.items()}

    def mocked() -> Iterator[dict[str, AgentCall | SyncAgentCall]]:
        __tracebackhide__ = True
        with ExitStack() as stack:
            calls = {}
            for name, mock in mocks.items():
                calls[name] = stack.enter_context(mock.active())
            yield calls

    return _as_fixture(mocked, None)


def _as_fixture(function: Callable[[], Iterator[Any]], mock: AgentMock | None) -> Any:
    import pytest

    fixture = pytest.fixture(function)
    if mock is not None:
        _mocks[fixture] = mock
    return fixture
