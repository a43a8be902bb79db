"""Functions that answer in the place of an application's own function that calls the model.

If a reply calls tools, the calls are checked, and then the application's executor runs them.
"""

from __future__ import annotations

import copy
import inspect
import json
import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from unittest.mock import AsyncMock, MagicMock

from workbench.core.fixture.rules import schema
from workbench.core.json.text import read_json
from workbench.core.replies.answer import Answer
from workbench.core.requests.view import Tool
from workbench.core.text.wording import did_you_mean, near, shortlist
from workbench.testing.arguments import wrong_type
from workbench.testing.mocks.calls import Call
from workbench.testing.mocks.engine import Engine
from workbench.testing.mocks.errors import CallFailedError, InvalidOutputError, MockLLMError
from workbench.testing.mocks.fitting import does_not_fit
from workbench.testing.mocks.replies import as_json

__tracebackhide__ = True  # failed tests show their own frames

_CONTENT: Final = "Mock LLM response"
_DONE: Final = "Task completed successfully"
_ERROR: Final = "ERROR:"
# Arguments of a call that are not keys of its request.
_OWN: Final = ("prompt", "system", "tool_executor", "response_model")
# Beginnings of the names with which unittest.mock's mocks describe their calls.
_CALLS_OF_MOCKS: Final = ("assert_", "await", "call", "mock_calls")

_logger = logging.getLogger("workbench.testing")


@dataclass(slots=True)
class MockLLMResponse:
    """The result of a call of an agent mock.

    Attributes:
        content: text of the reply, or an object of the ``response_model`` of the call.
        input_tokens, output_tokens: a fixed number.
        finish_reasons: ``["end_turn"]``, or why the reply ended early, such as ``["length"]``.
        tool_calls_made: ``{"name": …, "input": …, "result": …}`` for each tool that ran, in order.
    """

    content: Any = _CONTENT
    input_tokens: int = 100
    output_tokens: int = 50
    finish_reasons: list[str] = field(default_factory=lambda: ["end_turn"])
    tool_calls_made: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def create_response(
        cls,
        content: Any = _CONTENT,
        input_tokens: int = 100,
        output_tokens: int = 50,
        tool_calls_made: Iterable[Mapping[str, Any]] | None = None,
    ) -> MockLLMResponse:
        """Make a final response.

        Args:
            content, input_tokens, output_tokens, tool_calls_made: see the attributes.

        Raises:
            TypeError: ``tool_calls_made`` is not a list of dicts.
        """
        function = "MockLLMResponse.create_response"
        made = _dicts(function, "tool_calls_made", tool_calls_made or ())
        return cls(content, input_tokens, output_tokens, tool_calls_made=made)

    @classmethod
    def create_tool_response(
        cls, tool_results: Iterable[Mapping[str, Any]], final_content: Any = _DONE
    ) -> MockLLMResponse:
        """Make the response after tools ran.

        Args:
            tool_results: ``{"name": …, "input": …, "result": …}`` for each tool.
            final_content: content of the response.

        Raises:
            TypeError: ``tool_results`` is not a list of dicts.
        """
        made = _dicts("MockLLMResponse.create_tool_response", "tool_results", tool_results)
        return cls(final_content, tool_calls_made=made)


def _dicts(function: str, name: str, values: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The values of an argument, copied. Raises TypeError."""
    try:
        return list(map(dict, values))
    except (TypeError, ValueError):
        raise wrong_type(function, name, values, "a list of dicts") from None


@dataclass(frozen=True, slots=True)
class _AnsweredCall:
    """One call and its answer."""

    call: Call
    answer: Answer
    arguments: Mapping[str, Any]

    @property
    def seconds(self) -> float:
        """How long the call takes. A call without an answer times out at once."""
        assert self.call.reply is not None
        delay = self.answer.reply.delivery.delay_ms / 1000
        return 0.0 if self.call.reply.never_comes else delay

    def tool_calls(self) -> list[tuple[str, Any]]:
        """The calls for the executor. Raises an exception if the reply is not a response."""
        reply, delivery = self.call.reply, self.answer.reply.delivery
        assert reply is not None
        if reply.never_comes:
            raise TimeoutError("the model did not answer in time")
        if delivery.error is not None:
            raise CallFailedError(delivery.error.status, delivery.error.message)
        if reply.is_refused:
            raise ConnectionRefusedError("the connection to the model was refused")
        if delivery.disconnect_after is not None:
            raise ConnectionError("the connection to the model was closed")
        return reply.calls if self.arguments.get("tool_executor") is not None else []

    def run(self, name: str, arguments: Any) -> Any:
        """Run one tool call by the executor. Return its result, or text that begins with ``ERROR:``
        for an impossible call, which is not run.
        """
        wrong = _problem(name, arguments, self.call.view.tools)
        if wrong:
            return f"{_ERROR} {wrong}"
        return self.arguments["tool_executor"](name, copy.deepcopy(arguments))

    def content(self) -> Any:
        """The text, or an object of the response model.

        Raises:
            InvalidOutputError: a scripted text is none; what the model itself raises for any other.
        """
        reply, model = self.answer.reply, self.arguments.get("response_model")
        text = reply.content or (_DONE if reply.tool_calls else "")
        if model is None:
            return text
        try:
            return model.model_validate_json(text)
        except ValueError as error:
            scripted = self.call.reply if self.call.source == "scripted" else None
            if scripted is None or scripted.unchecked:
                raise
            faults = _faults(error) if reply.content else ["the reply has no content"]
            wrong = (f"response_model {model.__name__}: {fault}" for fault in faults)
            message = does_not_fit(f"scripted for {self.call}", wrong)
            raise InvalidOutputError(message) from None

    def response(self, made: list[dict[str, Any]]) -> MockLLMResponse:
        """The response, after the executor ran its tools. Raises what ``content`` raises."""
        reply, content = self.answer.reply, self.content()
        response = MockLLMResponse.create_response(content, tool_calls_made=made)
        if reply.finish_reason not in ("stop", "tool_calls"):
            response.finish_reasons = [reply.finish_reason]
        return response


@dataclass(slots=True)
class _Asking:
    """The requests of one function, and what they got.

    Attributes:
        recorder: a mock of ``unittest.mock`` that counts the calls.
    """

    engine: Engine
    role: str | None
    recorder: MagicMock | AsyncMock
    responses: list[MockLLMResponse] = field(default_factory=list)

    def ask(self, arguments: dict[str, Any]) -> _AnsweredCall:
        """Raises MockLLMError if no reply is found."""
        try:
            call = self.engine.arrive(_payload(arguments), {}, self.role)
            # An application may keep its tools to itself, and pass only an executor.
            answer = self.engine.answer(call, checked=bool(call.view.tools))
        except MockLLMError as error:
            # Leave out the mock's own frames: they do not help the author of the test.
            raise error.with_traceback(None) from error.__cause__
        return _AnsweredCall(call, answer, arguments)

    def respond(self, answered: _AnsweredCall, made: list[dict[str, Any]]) -> MockLLMResponse:
        """Keep the response and return it. Raises what ``_AnsweredCall.content`` raises."""
        try:
            response = answered.response(made)
        except InvalidOutputError as error:
            raise self.engine.note(error) from None
        self.responses.append(response)
        return response


class _ModelCall:
    """The calls of a function, async or not.

    It also has the names by which mocks of ``unittest.mock`` describe their calls:
    ``assert_called_once()``, ``call_args``, ``await_count`` and so on.
    """

    __test__ = False

    def __init__(self, asking: _Asking) -> None:
        self._asking = asking

    def __getattr__(self, name: str) -> Any:
        if name.startswith(_CALLS_OF_MOCKS) and hasattr(type(self._asking.recorder), name):
            return getattr(self._asking.recorder, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def calls(self) -> list[Call]:
        """The requests so far, in order."""
        calls = list(self._asking.engine.calls)
        return [call for call in calls if self._asking.role in (None, call.role)]

    @property
    def problems(self) -> list[MockLLMError]:
        """The errors of calls that were not answered, in order."""
        return list(self._asking.engine.problems)

    @property
    def responses(self) -> list[MockLLMResponse]:
        """The responses so far, in order."""
        return list(self._asking.responses)

    @property
    def tool_calls_made(self) -> list[dict[str, Any]]:
        """The tool calls of all responses: ``{"name": …, "input": …, "result": …}``."""
        return [made for response in self.responses for made in response.tool_calls_made]

    @property
    def tool_errors(self) -> list[dict[str, Any]]:
        """The tool calls whose result begins with ``ERROR:``."""
        return [made for made in self.tool_calls_made if _is_error(made["result"])]

    def assert_no_tool_errors(self) -> None:
        """Check that no tool call had an error. Use it for an agent that ignores such errors,
        because its test would only see counts that stay zero.

        Raises:
            AssertionError: a result begins with ``ERROR:``; the message lists these calls.
        """
        lines = [
            f"  {e['name']}({json.dumps(e['input'])}): {e['result']}" for e in self.tool_errors
        ]
        if lines:
            raise AssertionError("\n".join(["Tool calls had errors:", *lines]))


class AgentCall(_ModelCall):
    """An async function that a mock answers: ``await call(messages=…, tools=…, tool_executor=…)``.
    ``MockLLM.as_call`` and ``agent_mock`` make it.

    Each call uses one reply. If the reply calls tools, the executor runs them in order before the
    call returns. If the offered tools do not allow a scripted call, the test fails. With
    ``unchecked=True`` such a call is not run, and its result is a text that begins with ``ERROR:``.

    Methods and attributes of ``unittest.mock`` work as well, such as ``assert_called_once()``,
    ``call_args`` and ``await_count``.
    """

    async def __call__(self, *by_position: Any, **given: Any) -> MockLLMResponse:
        """Answer one call.

        Args:
            given: keyword arguments of the application. All are in ``payload`` of the call, and
                unchanged in ``call_args``. The mock interprets ``messages``; ``prompt`` (the user
                message if there are no messages); ``system`` (a message before them); ``model``;
                ``tools`` (in the form of OpenAI or Anthropic, which decide which calls fit; of
                other objects only the names count); ``tool_executor`` (called with name and input
                of each tool call, may be async); ``response_model`` (its ``model_validate_json``
                reads structured output).

        Raises:
            MockLLMError: there is no reply, or the scripted reply does not fit: its tool calls do
                not fit ``tools``, or its content does not fit ``response_model``.
            CallFailedError: the reply is ``Reply.error``.
            TimeoutError: the reply is ``Reply.timeout``.
            ConnectionError: the reply is ``Reply.disconnect`` or ``Reply.refused``.
            TypeError: an argument is positional.
        """
        import anyio  # for any event loop

        _require_keywords(by_position)
        await self._asking.recorder(**given)
        answered = self._asking.ask(given)
        await anyio.sleep(answered.seconds)
        made = []
        for name, arguments in answered.tool_calls():
            result = answered.run(name, arguments)
            if inspect.isawaitable(result):
                result = await result
            made.append(_made(name, arguments, result))
        return self._asking.respond(answered, made)


class SyncAgentCall(_ModelCall):
    """The same as ``AgentCall``, but not async: ``call(messages=…)``. ``MockLLM.as_sync_call`` and
    ``agent_mock`` make it.
    """

    def __call__(self, *by_position: Any, **given: Any) -> MockLLMResponse:
        """Answer one call; see ``AgentCall``.

        Raises:
            MockLLMError, CallFailedError, TimeoutError, ConnectionError: see ``AgentCall``.
            TypeError: the executor is async, or an argument is positional.
        """
        _require_keywords(by_position)
        self._asking.recorder(**given)
        answered = self._asking.ask(given)
        time.sleep(answered.seconds)
        made = []
        for name, arguments in answered.tool_calls():
            result = answered.run(name, arguments)
            if inspect.iscoroutine(result):
                result.close()
                raise TypeError(
                    f"{name}: tool_executor is async; use as_call() instead of as_sync_call()"
                )
            made.append(_made(name, arguments, result))
        return self._asking.respond(answered, made)


def agent_call(engine: Engine, role: str | None) -> AgentCall:
    """An async function whose calls have ``role`` and are answered by ``engine``."""
    return AgentCall(_Asking(engine, role, AsyncMock()))


def sync_agent_call(engine: Engine, role: str | None) -> SyncAgentCall:
    """The same as ``agent_call``, but not async."""
    return SyncAgentCall(_Asking(engine, role, MagicMock()))


def _require_keywords(by_position: tuple[Any, ...]) -> None:
    if by_position:
        raise TypeError(
            "an agent mock takes only keyword arguments, such as messages=… or prompt=…; give "
            f"these arguments a name: {by_position!r}"
        )


def _made(name: str, arguments: Any, result: Any) -> dict[str, Any]:
    """``{"name", "input", "result"}`` of a call that ran; an ``ERROR:`` is logged."""
    if _is_error(result):
        _logger.warning("%s: %s", name, result)
    return {"name": name, "input": arguments, "result": result}


def _is_error(result: object) -> bool:
    return isinstance(result, str) and result.lstrip().startswith(_ERROR)


def _problem(name: str, arguments: Any, tools: list[Tool]) -> str:
    """Why a call is not possible; "" if it is."""
    by_name = {tool.name: tool for tool in tools}
    if tools and name not in by_name:
        guess = did_you_mean(near(name, by_name))
        return f"no such tool: {name} (tools of the call: {shortlist(by_name)}){guess}"
    if not isinstance(arguments, dict):
        return f"the arguments of {name} must be a JSON object, got {arguments!r}"
    parameters = by_name[name].parameters if tools else None
    if parameters is None:
        return ""
    verdict = schema.examine(parameters, read_json(json.dumps(arguments)), name)
    return "; ".join(violation.message for violation in verdict.violations)


def _faults(error: ValueError) -> list[str]:
    """Why a response model rejects text: each problem with its field."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return [str(error)]
    faults = [(".".join(map(str, fault["loc"])), fault["msg"]) for fault in error.errors()]
    return [f"{field}: {reason}" if field else reason for field, reason in faults]


def _payload(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The request for the arguments of a call. A value that is not JSON is kept as its text."""
    messages = arguments.get("messages")
    if not messages or isinstance(messages, str):
        messages = [_message("user", messages or arguments.get("prompt") or "")]
    messages = list(messages)
    if arguments.get("system"):
        messages.insert(0, _message("system", arguments["system"]))
    payload = {key: value for key, value in arguments.items() if key not in _OWN}
    payload |= {"model": arguments.get("model"), "messages": messages}
    if tools := list(map(_offered, arguments.get("tools") or ())):
        payload["tools"] = tools
    return {key: as_json(value) for key, value in payload.items()}


def _message(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _offered(tool: Any) -> dict[str, Any]:
    """A tool in the form of a chat completion request, from that form or from Anthropic's
    (``name``, ``input_schema``). Of a function or a framework's object only the name is known.
    """
    if not isinstance(tool, Mapping):
        name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
        tool = {"name": str(name or tool)}
    if "function" in tool:
        return dict(tool)
    function = {"name": tool.get("name"), "description": tool.get("description", "")}
    parameters = tool.get("input_schema", tool.get("parameters"))
    if parameters is not None:
        function["parameters"] = parameters
    return {"type": "function", "function": function}
