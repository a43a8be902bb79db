"""Mocks in the place of an application's own "call the model" function."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from workbench.core.reply import Answer
from workbench.testing import tools as toolbox
from workbench.testing.calls import Call
from workbench.testing.engine import Engine
from workbench.testing.errors import CallFailedError
from workbench.testing.mock_llm import MockLLM
from workbench.testing.responses import DONE, MockLLMResponse
from workbench.testing.scripts import ReplySource, require_replies
from workbench.testing.tools import Executor


class AgentCall:
    """An async function that a mock answers: ``await call(messages=…, tools=…, tool_executor=…)``.

    Each call takes one reply. The tools that the reply calls are run by the executor, in order,
    before it returns; what a tool's declared schema forbids is not run.
    """

    __test__ = False

    def __init__(self, engine: Engine, role: str | None) -> None:
        self._engine = engine
        self._role = role
        self._responses: list[MockLLMResponse] = []

    async def __call__(
        self,
        *,
        messages: Iterable[Mapping[str, Any]] | None = None,
        prompt: str | None = None,
        tools: Iterable[Mapping[str, Any]] | None = None,
        tool_executor: Executor | None = None,
        model: str | None = None,
        response_model: Any = None,
        **ignored: Any,  # noqa: ARG002
    ) -> MockLLMResponse:
        """Answer one call.

        Args:
            prompt: what the user says, where there are no messages.
            tools: in the form of OpenAI's or of Anthropic's API.
            tool_executor: gets name and input of each call; may be async.
            response_model: structured output is read by its ``model_validate_json``.
            ignored: whatever else the application passes.

        Raises:
            MockLLMError: there is no reply.
            CallFailedError: the reply is an error; TimeoutError, ConnectionError: it is none.
        """
        given = list(messages or [{"role": "user", "content": prompt or ""}])
        offered = toolbox.offered(tools)
        payload = {"model": model, "messages": given, **({"tools": offered} if offered else {})}
        # What is no JSON value is kept as its text.
        payload = json.loads(json.dumps(payload, default=str))
        call = self._engine.arrive(payload, {}, self._role)
        answer = self._engine.answer(call)
        await _fail_as_asked(answer)
        assert call.reply is not None
        made = []
        if tool_executor is not None:
            made = await toolbox.run(call.reply.calls, toolbox.read(offered), tool_executor)
        content = answer.reply.content or (DONE if call.reply.calls else "")
        if response_model is not None:
            content = response_model.model_validate_json(content)
        response = MockLLMResponse.create_response(content, tool_calls_made=made)
        if answer.reply.finish_reason not in ("stop", "tool_calls"):
            response.finish_reasons = [answer.reply.finish_reason]
        self._responses.append(response)
        return response

    @property
    def calls(self) -> list[Call]:
        """What it was asked."""
        return [c for c in self._engine.calls if self._role is None or c.role == self._role]

    @property
    def responses(self) -> list[MockLLMResponse]:
        """What it returned."""
        return list(self._responses)

    @property
    def tool_calls_made(self) -> list[dict[str, Any]]:
        """The tools that ran, of all responses: ``{"name", "input", "result"}``."""
        return [made for response in self._responses for made in response.tool_calls_made]

    @property
    def tool_errors(self) -> list[dict[str, Any]]:
        """Those of them whose result begins with ``ERROR:``."""
        return [made for made in self.tool_calls_made if toolbox.is_error(made["result"])]

    def assert_no_tool_errors(self) -> None:
        """Assert that every tool did what it was called for: an agent that drops what a tool
        refused shows nothing of it but counts that stay zero.

        Raises:
            AssertionError: one did not.
        """
        lines = [
            f"  {e['name']}({json.dumps(e['input'])}): {e['result']}" for e in self.tool_errors
        ]
        if lines:
            raise AssertionError("\n".join(["Tools refused their calls:", *lines]))


async def _fail_as_asked(answer: Answer) -> None:
    delivery = answer.reply.delivery
    if delivery.delay_ms and delivery.disconnect_after == 0:
        raise TimeoutError("the model does not answer")
    await asyncio.sleep(delivery.delay_ms / 1000)
    if delivery.error is not None:
        raise CallFailedError(delivery.error.status, delivery.error.message)
    if delivery.disconnect_after is not None:
        raise ConnectionError("the connection to the model was closed")


class AgentMock:
    """Replies for one agent, put in the place of the function at ``target`` while active."""

    def __init__(self, target: str, replies: tuple[ReplySource, ...], *, repeat_last: bool) -> None:
        self._target = target
        self._replies = replies
        self._repeat_last = repeat_last
        self._lock = threading.Lock()
        self._depth = 0
        self._stack = ExitStack()
        self._call: AgentCall | None = None

    @contextmanager
    def active(self) -> Iterator[AgentCall]:
        """The mock in its place; the same one for all who are inside at once."""
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
    def _patched(self) -> Iterator[AgentCall]:
        with MockLLM() as mock:
            mock.script(*self._replies, repeat_last=self._repeat_last)
            call = mock.as_call()
            with patch(self._target, new=call):
                yield call


_mocks: WeakKeyDictionary[Any, AgentMock] = WeakKeyDictionary()


def agent_mock(target: str, *replies: ReplySource, repeat_last: bool = True) -> Any:
    """A pytest fixture that answers one agent; its value is the ``AgentCall``.

    Args:
        target: the function that the agent calls, by the name under which the agent knows it:
            ``"src.agents.abducer.agent.honcho_llm_call"``.
        replies: one for each call.
        repeat_last: the last reply answers all further calls.

    Raises:
        TypeError: what is no reply.
    """
    require_replies(replies)
    mock = AgentMock(target, replies, repeat_last=repeat_last)

    def mocked() -> Iterator[AgentCall]:
        with mock.active() as call:
            yield call

    return _as_fixture(mocked, mock)


def combine(**agents: Any) -> Any:
    """A pytest fixture that activates several of ``agent_mock``; its value is a dict of their
    ``AgentCall`` by name.

    Raises:
        TypeError: one is no agent mock.
    """
    for name, agent in agents.items():
        if agent not in _mocks:
            raise TypeError(f"{name} is {agent!r}, which agent_mock(…) did not make")
    mocks = {name: _mocks[agent] for name, agent in agents.items()}

    def mocked() -> Iterator[dict[str, AgentCall]]:
        with ExitStack() as stack:
            yield {name: stack.enter_context(mock.active()) for name, mock in mocks.items()}

    return _as_fixture(mocked, None)


def _as_fixture(function: Callable[[], Iterator[Any]], mock: AgentMock | None) -> Any:
    import pytest

    fixture = pytest.fixture(function)
    if mock is not None:
        _mocks[fixture] = mock
    return fixture
