"""The agent: a conversation that answers, calling the weather tool as often as the model asks.

Streaming or not, it sends the same messages, so both ways meet the same fixtures. No date stands in
its prompts: fixtures do not rot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from openai import OpenAI, Stream
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessageFunctionToolCall,
)

from tests.apps.chat_agent.weather import GET_WEATHER, run_call

SYSTEM = (
    "You are a friendly assistant. For questions about the weather call get_weather, once for "
    "each city; answer in one or two sentences."
)
PLAN_FORMAT = {
    "type": "json_schema",
    "json_schema": {
        "name": "Plan",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "goal": {"type": "string"},
                "steps": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["goal", "steps"],
            "additionalProperties": False,
        },
    },
}

Messages = list[dict[str, Any]]


class AgentError(Exception):
    """The model did not do what the agent needs."""


@dataclass(frozen=True)
class Plan:
    goal: str
    steps: list[str]


@dataclass
class Call:
    """One call the model makes; of a stream it grows delta by delta."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def as_message_part(self) -> dict[str, Any]:
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass
class Turn:
    """One answer of the model, put together."""

    content: str = ""
    calls: list[Call] = field(default_factory=list)
    finish_reason: str | None = None

    def as_message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.calls:
            message["tool_calls"] = [call.as_message_part() for call in self.calls]
        return message


class ChatAgent:
    """One conversation.

    Args:
        stream: ask for answers as streams.
        max_turns: how many answers of the model one question may take.
    """

    def __init__(
        self,
        client: OpenAI,
        *,
        model: str = "gpt-4o-mini",
        stream: bool = False,
        max_turns: int = 5,
    ) -> None:
        self._client = client
        self._model = model
        self._stream = stream
        self._max_turns = max_turns
        self.messages: Messages = [{"role": "system", "content": SYSTEM}]

    def ask(self, question: str) -> str:
        """The answer to ``question``, which goes on from what was said before.

        Raises:
            AgentError: the model calls tools and never answers.
        """
        self.messages.append({"role": "user", "content": question})
        for _ in range(self._max_turns):
            turn = self._complete(self.messages, tools=[GET_WEATHER])
            self.messages.append(turn.as_message())
            if not turn.calls:
                return turn.content + (" […]" if turn.finish_reason == "length" else "")
            for call in turn.calls:
                result = run_call(call.name, call.arguments)
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise AgentError(f"no answer in {self._max_turns} turns")

    def plan(self, goal: str) -> Plan:
        """A plan for ``goal``, as structured output.

        Raises:
            AgentError: the answer is none.
        """
        messages = [*self.messages, {"role": "user", "content": f"Make a plan: {goal}"}]
        turn = self._complete(messages, response_format=PLAN_FORMAT)
        try:
            return Plan(**json.loads(turn.content))
        except (TypeError, ValueError) as error:
            raise AgentError(f"the answer is no plan: {error}") from None

    def look_up(self, place: str) -> str:
        """What the tool says about ``place``; the model only finds out which city that is.

        Raises:
            AgentError: it does not call the tool, though it must.
        """
        turn = self._complete(
            [*self.messages, {"role": "user", "content": f"Look up the weather: {place}"}],
            tools=[GET_WEATHER],
            tool_choice={"type": "function", "function": {"name": "get_weather"}},
        )
        if not turn.calls:
            raise AgentError("the model called no tool")
        return run_call(turn.calls[0].name, turn.calls[0].arguments)

    def _complete(self, messages: Messages, **more: Any) -> Turn:
        answer: ChatCompletion | Stream[ChatCompletionChunk]
        # The client's types name each message's keys; ours are what was received.
        answer = self._client.chat.completions.create(
            model=self._model,
            messages=messages,  # type: ignore[arg-type]
            stream=self._stream,
            **more,
        )
        return _whole(answer) if isinstance(answer, ChatCompletion) else _joined(answer)


def _whole(answer: ChatCompletion) -> Turn:
    choice = answer.choices[0]
    calls = [
        Call(call.id, call.function.name, call.function.arguments)
        for call in choice.message.tool_calls or []
        if isinstance(call, ChatCompletionMessageFunctionToolCall)
    ]
    return Turn(choice.message.content or "", calls, choice.finish_reason)


def _joined(chunks: Iterable[ChatCompletionChunk]) -> Turn:
    """The answer that a stream spells; parts of a call belong together by their index."""
    turn = Turn()
    calls: dict[int, Call] = {}
    for choice in (choice for chunk in chunks for choice in chunk.choices):
        turn.content += choice.delta.content or ""
        turn.finish_reason = choice.finish_reason or turn.finish_reason
        for delta in choice.delta.tool_calls or []:
            call = calls.setdefault(delta.index, Call())
            call.id = delta.id or call.id
            if delta.function is not None:
                call.name = delta.function.name or call.name
                call.arguments += delta.function.arguments or ""
    turn.calls = [calls[index] for index in sorted(calls)]
    return turn
