"""Functions that a mock answers in the place of an application's own "call the model"."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from unittest.mock import AsyncMock, MagicMock

from workbench.core.apis.chat.request import Tool
from workbench.core.replies.answer import Answer
from workbench.testing.agents import tools as toolbox
from workbench.testing.agents.responses import DONE, MockLLMResponse
from workbench.testing.agents.tools import Executor
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.errors import CallFailedError, MockLLMError

# What a call may be given that is no part of the request as the chat API has it.
_OWN: Final = ("prompt", "system", "tool_executor", "response_model")
# The names of unittest.mock's mocks that tell of calls begin with one of these.
_TOLD_BY_MOCKS: Final = ("assert_", "await", "call", "mock_calls")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One call, and what the mock answers.

    Attributes:
        tools: those that are offered.
        delay: seconds until the response.
        failure: what is raised in its place, if anything is.
    """

    call: Call
    answer: Answer
    tools: list[Tool]
    executor: Executor | None
    response_model: Any
    delay: float
    failure: Exception | None

    @property
    def tool_calls(self) -> list[tuple[str, Any]]:
        """What the executor has to run."""
        assert self.call.reply is not None
        return self.call.reply.calls if self.executor is not None else []

    def response(self, made: list[dict[str, Any]]) -> MockLLMResponse:
        """The response, after the executor ran its tools."""
        reply = self.answer.reply
        content = reply.content or (DONE if reply.tool_calls else "")
        if self.response_model is not None:
            content = self.response_model.model_validate_json(content)
        response = MockLLMResponse.create_response(content, tool_calls_made=made)
        if reply.finish_reason not in ("stop", "tool_calls"):
            response.finish_reasons = [reply.finish_reason]
        return response


class _ModelCall:
    """What the function in an application's place knows of its calls.

    Beside its own names it has those by which a mock of ``unittest.mock`` tells of its calls:
    ``assert_called_once()``, ``call_args``, ``await_count`` and so on.
    """

    __test__ = False

    def __init__(self, engine: Engine, role: str | None, recorder: MagicMock | AsyncMock) -> None:
        self._engine = engine
        self._role = role
        self._recorder = recorder
        self._responses: list[MockLLMResponse] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_TOLD_BY_MOCKS) and hasattr(type(self._recorder), name):
            return getattr(self._recorder, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

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
        __tracebackhide__ = True
        lines = [
            f"  {e['name']}({json.dumps(e['input'])}): {e['result']}" for e in self.tool_errors
        ]
        if lines:
            raise AssertionError("\n".join(["Tools refused their calls:", *lines]))

    def _ask(self, given: dict[str, Any]) -> _Asked:
        """Raises MockLLMError where there is no reply."""
        __tracebackhide__ = True
        offered = toolbox.offered(given.get("tools"))
        try:
            call = self._engine.arrive(_payload(given, offered), {}, self._role)
            # The executor's tools are checked when they run.
            answer = self._engine.answer(call, checked=False)
        except MockLLMError as error:
            # Its way through the mock says nothing to those who wrote the test.
            raise error.with_traceback(None) from error.__cause__
        executor, response_model = given.get("tool_executor"), given.get("response_model")
        tools = toolbox.read(offered)
        return _Asked(call, answer, tools, executor, response_model, *_trouble(call, answer))


class AgentCall(_ModelCall):
    """An async function that a mock answers: ``await call(messages=…, tools=…, tool_executor=…)``.

    Each call takes one reply. The tools that the reply calls are run by the executor, in order,
    before it returns; what a tool's declared schema forbids is not run.
    """

    def __init__(self, engine: Engine, role: str | None) -> None:
        super().__init__(engine, role, AsyncMock())

    async def __call__(self, **given: Any) -> MockLLMResponse:
        """Answer one call.

        Args:
            given: what the application passes, all of it kept in the ``payload`` of the call, and
                itself in ``call_args``. These have a meaning here: ``messages``; ``prompt``, what
                the user says, where there are no messages; ``system``, a message before them;
                ``model``; ``tools``, in the form of OpenAI's or of Anthropic's API;
                ``tool_executor``, which gets name and input of each call and may be async;
                ``response_model``, by whose ``model_validate_json`` structured output is read.

        Raises:
            MockLLMError: there is no reply.
            CallFailedError: the reply is an error; TimeoutError, ConnectionError: it is none.
        """
        __tracebackhide__ = True
        await self._recorder(**given)
        asked = self._ask(given)
        await asyncio.sleep(asked.delay)
        if asked.failure is not None:
            raise asked.failure
        made = []
        for name, arguments in asked.tool_calls:
            result = toolbox.run(name, arguments, asked.tools, asked.executor)
            if inspect.isawaitable(result):
                result = await result
            made.append(toolbox.record(name, arguments, result))
        response = asked.response(made)
        self._responses.append(response)
        return response


class SyncAgentCall(_ModelCall):
    """As ``AgentCall``, a function that is not awaited: ``call(messages=…)``."""

    def __init__(self, engine: Engine, role: str | None) -> None:
        super().__init__(engine, role, MagicMock())

    def __call__(self, **given: Any) -> MockLLMResponse:
        """Answer one call.

        Args:
            given: as of ``AgentCall``; the executor is not async.

        Raises:
            MockLLMError, CallFailedError, TimeoutError, ConnectionError: as of ``AgentCall``.
            TypeError: the executor is async.
        """
        __tracebackhide__ = True
        self._recorder(**given)
        asked = self._ask(given)
        time.sleep(asked.delay)
        if asked.failure is not None:
            raise asked.failure
        made = []
        for name, arguments in asked.tool_calls:
            result = toolbox.run(name, arguments, asked.tools, asked.executor)
            if inspect.iscoroutine(result):
                result.close()
                raise TypeError(
                    f"{name}: an async tool_executor needs as_call(), not as_sync_call()"
                )
            made.append(toolbox.record(name, arguments, result))
        response = asked.response(made)
        self._responses.append(response)
        return response


def _payload(given: Mapping[str, Any], offered: list[dict[str, Any]]) -> dict[str, Any]:
    """The request that says what a call was given. What is no JSON value is kept as its text."""
    messages = list(given.get("messages") or [_message("user", given.get("prompt") or "")])
    if given.get("system"):
        messages.insert(0, _message("system", given["system"]))
    payload = {key: value for key, value in given.items() if key not in _OWN}
    payload |= {"model": given.get("model"), "messages": messages}
    if offered:
        payload["tools"] = offered
    return {key: _as_json(value) for key, value in payload.items()}


def _message(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _as_json(value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, default=str))
    except (TypeError, ValueError, RecursionError):  # other keys than strings, or it holds itself
        return str(value)


def _trouble(call: Call, answer: Answer) -> tuple[float, Exception | None]:
    """How long a call takes, and what it raises."""
    delivery = answer.reply.delivery
    if call.reply is not None and call.reply.never_comes:
        return 0.0, TimeoutError("the model does not answer")
    delay = delivery.delay_ms / 1000
    if delivery.error is not None:
        return delay, CallFailedError(delivery.error.status, delivery.error.message)
    if call.reply is not None and call.reply.is_refused:
        return delay, ConnectionRefusedError("the connection to the model was refused")
    if delivery.disconnect_after is not None:
        return delay, ConnectionError("the connection to the model was closed")
    return delay, None
