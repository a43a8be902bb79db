"""Agents that ask each API over plain HTTP, as its official client does, and one conversation.

The agent calls a tool twice in its first turn, once in its second, and answers in its third. The
conversation goes on with plain replies, echoed as they are.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import httpx

from workbench.core.apis.table import BY_NAME
from workbench.core.json.values import mappings

Object = dict[str, Any]

SYSTEM: Final = "Be brief."
QUESTION: Final = "Where is it warmest: in Rome, in Oslo or in Bern?"
ANSWER: Final = "In Rome."
SCHEMA: Final[Object] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
FUNCTION: Final[Object] = {"name": "get_weather", "parameters": SCHEMA}
# The calls of each turn before the answer.
TURNS: Final[Sequence[Sequence[str]]] = (("Rome", "Oslo"), ("Bern",))
# Whether each request is sent streamed, one after the other; the last one is plain.
PLAIN: Final = (False,)
BOTH: Final = (True, False)


class Call(NamedTuple):
    """A call of the tool; its id is None where the client knows none."""

    id: str | None
    city: str


class RawAgent(ABC):
    """How the clients of an API write a conversation.

    Attributes:
        name: of the agent.
        api: the name of the API.
    """

    name: ClassVar[str]
    api: ClassVar[str]

    @abstractmethod
    def path(self, model: str, *, streams: bool) -> str:
        """Where it asks."""

    @abstractmethod
    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:
        """A request with the messages ``said``."""

    @abstractmethod
    def opening(self) -> list[Object]:
        """The messages of the first request."""

    @abstractmethod
    def echo(self, reply: Object) -> list[Object]:
        """The messages that repeat a reply."""

    @abstractmethod
    def text(self, reply: Object) -> str:
        """The text of a reply."""

    @abstractmethod
    def calls(self, reply: Object) -> list[Call]:
        """The calls of a reply."""

    @abstractmethod
    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        """The messages with what each call gave."""


class Chat(RawAgent):
    name = api = "chat"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/v1/chat/completions"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:
        tools = [{"type": "function", "function": FUNCTION}]
        return {"model": model, "messages": said, "tools": tools, "stream": streams}

    def opening(self) -> list[Object]:
        return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]

    def message(self, reply: Object) -> Object:
        message: Object = reply["choices"][0]["message"]
        return message

    def echo(self, reply: Object) -> list[Object]:
        return [self.message(reply)]

    def text(self, reply: Object) -> str:
        return str(self.message(reply)["content"])

    def calls(self, reply: Object) -> list[Call]:
        calls = mappings(self.message(reply).get("tool_calls"))
        return [Call(c["id"], json.loads(c["function"]["arguments"])["city"]) for c in calls]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        return [
            {"role": "tool", "tool_call_id": call.id, "content": output}
            for call, output in calls.items()
        ]


class Responses(RawAgent):
    name = api = "responses"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/v1/responses"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:
        tools = [{"type": "function", **FUNCTION, "strict": None}]
        asked = {"model": model, "instructions": SYSTEM, "input": said, "tools": tools}
        return {**asked, "stream": streams}

    def opening(self) -> list[Object]:
        return [{"role": "user", "content": QUESTION}]

    def echo(self, reply: Object) -> list[Object]:
        return list(reply["output"])

    def text(self, reply: Object) -> str:
        (item,) = reply["output"]
        return str(item["content"][0]["text"])

    def calls(self, reply: Object) -> list[Call]:
        items = [item for item in reply["output"] if item["type"] == "function_call"]
        return [Call(item["call_id"], json.loads(item["arguments"])["city"]) for item in items]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        return [
            {"type": "function_call_output", "call_id": call.id, "output": output}
            for call, output in calls.items()
        ]


class Messages(RawAgent):
    name = api = "messages"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/v1/messages"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:
        return {"model": model, **self._body(said), "stream": streams}

    def _body(self, said: list[Object]) -> Object:
        tools = [{"name": "get_weather", "input_schema": SCHEMA}]
        return {"max_tokens": 99, "system": SYSTEM, "messages": said, "tools": tools}

    def opening(self) -> list[Object]:
        return [{"role": "user", "content": QUESTION}]

    def echo(self, reply: Object) -> list[Object]:
        return [{"role": "assistant", "content": reply["content"]}]

    def text(self, reply: Object) -> str:
        return str(reply["content"][0]["text"])

    def calls(self, reply: Object) -> list[Call]:
        blocks = [block for block in reply["content"] if block["type"] == "tool_use"]
        return [Call(block["id"], block["input"]["city"]) for block in blocks]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        blocks = [
            {"type": "tool_result", "tool_use_id": call.id, "content": output}
            for call, output in calls.items()
        ]
        return [{"role": "user", "content": blocks}]


class BedrockInvoke(Messages):
    """The same API as Amazon Bedrock has it."""

    name = "bedrock invoke"

    def path(self, model: str, *, streams: bool) -> str:
        return f"/model/{model}/{'invoke-with-response-stream' if streams else 'invoke'}"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:  # noqa: ARG002
        return {"anthropic_version": "bedrock-2023-05-31", **self._body(said)}


class Gemini(RawAgent):
    name = api = "gemini"

    def path(self, model: str, *, streams: bool) -> str:
        method = "streamGenerateContent?alt=sse" if streams else "generateContent"
        return f"/v1beta/models/{model}:{method}"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:  # noqa: ARG002
        function = {"name": "get_weather", "parametersJsonSchema": SCHEMA}
        return {
            "systemInstruction": {"parts": [{"text": SYSTEM}]},
            "contents": said,
            "tools": [{"functionDeclarations": [function]}],
        }

    def opening(self) -> list[Object]:
        return [{"role": "user", "parts": [{"text": QUESTION}]}]

    def echo(self, reply: Object) -> list[Object]:
        return [reply["candidates"][0]["content"]]

    def text(self, reply: Object) -> str:
        return str(reply["candidates"][0]["content"]["parts"][0]["text"])

    def calls(self, reply: Object) -> list[Call]:
        parts = reply["candidates"][0]["content"]["parts"]
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        return [Call(call.get("id"), call["args"]["city"]) for call in calls]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        parts = []
        for call, output in calls.items():
            response: Object = {"name": "get_weather", "response": {"result": output}}
            if call.id is not None:
                response["id"] = call.id
            parts.append({"functionResponse": response})
        return [{"role": "user", "parts": parts}]


class GeminiWithoutIDs(Gemini):
    """A client that drops the ids of calls."""

    name = "gemini without ids"

    def echo(self, reply: Object) -> list[Object]:
        (content,) = super().echo(reply)
        for part in content["parts"]:
            part.get("functionCall", {}).pop("id", None)
        return [content]

    def calls(self, reply: Object) -> list[Call]:
        return [call._replace(id=None) for call in super().calls(reply)]


class Ollama(Chat):
    name = api = "ollama"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/api/chat"

    def message(self, reply: Object) -> Object:
        message: Object = reply["message"]
        return message

    def calls(self, reply: Object) -> list[Call]:
        calls = mappings(self.message(reply).get("tool_calls"))
        return [Call(None, call["function"]["arguments"]["city"]) for call in calls]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        return [
            {"role": "tool", "tool_name": "get_weather", "content": output}
            for output in calls.values()
        ]


class Converse(RawAgent):
    name = api = "converse"

    def path(self, model: str, *, streams: bool) -> str:
        return f"/model/{model}/{'converse-stream' if streams else 'converse'}"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:  # noqa: ARG002
        tool = {"toolSpec": {"name": "get_weather", "inputSchema": {"json": SCHEMA}}}
        return {"system": [{"text": SYSTEM}], "messages": said, "toolConfig": {"tools": [tool]}}

    def opening(self) -> list[Object]:
        return [{"role": "user", "content": [{"text": QUESTION}]}]

    def echo(self, reply: Object) -> list[Object]:
        return [reply["output"]["message"]]

    def text(self, reply: Object) -> str:
        return str(reply["output"]["message"]["content"][0]["text"])

    def calls(self, reply: Object) -> list[Call]:
        blocks = reply["output"]["message"]["content"]
        calls = [block["toolUse"] for block in blocks if "toolUse" in block]
        return [Call(call["toolUseId"], call["input"]["city"]) for call in calls]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        blocks = [
            {"toolResult": {"toolUseId": call.id, "content": [{"text": output}]}}
            for call, output in calls.items()
        ]
        return [{"role": "user", "content": blocks}]


class Cohere(Chat):
    name = api = "cohere"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/v2/chat"

    def message(self, reply: Object) -> Object:
        message: Object = reply["message"]
        return message

    def text(self, reply: Object) -> str:
        return str(self.message(reply)["content"][0]["text"])

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        messages = []
        for call, output in calls.items():
            document = {"type": "document", "document": {"data": {"output": output}}}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": [document]})
        return messages


class CohereV1(RawAgent):
    """Version 1, whose calls have no ids: a result repeats its call."""

    name = "cohere version 1"
    api = "cohere"

    def path(self, model: str, *, streams: bool) -> str:  # noqa: ARG002
        return "/v1/chat"

    def body(self, model: str, said: list[Object], *, streams: bool) -> Object:
        parameters = {"city": {"type": "str", "required": True}}
        tools = [{"name": "get_weather", "parameter_definitions": parameters}]
        *history, last = said
        asked = {"model": model, "preamble": SYSTEM, "chat_history": history, "tools": tools}
        return {**asked, "message": "", **last, "stream": streams}

    def opening(self) -> list[Object]:
        return [{"role": "USER", "message": QUESTION}]

    def echo(self, reply: Object) -> list[Object]:
        return reply["chat_history"][-1:]  # type: ignore[no-any-return]

    def text(self, reply: Object) -> str:
        return str(reply["text"])

    def calls(self, reply: Object) -> list[Call]:
        calls = mappings(reply.get("tool_calls"))
        return [Call(None, call["parameters"]["city"]) for call in calls]

    def results(self, calls: Mapping[Call, str]) -> list[Object]:
        results = [
            {
                "call": {"name": "get_weather", "parameters": {"city": call.city}},
                "outputs": [{"output": output}],
            }
            for call, output in calls.items()
        ]
        return [{"role": "TOOL", "tool_results": results}]


AGENTS: Final[Sequence[RawAgent]] = (
    *(Chat(), Responses(), Messages(), BedrockInvoke(), Gemini(), GeminiWithoutIDs(), Ollama()),
    *(Converse(), Cohere(), CohereV1()),
)

Outputs = Callable[[list[Call]], Mapping[Call, str]]
"""Gives what each call of a turn gave."""


def outputs(calls: list[Call]) -> dict[Call, str]:
    """What the tool says of each city."""
    return {call: f"sun in {call.city}" for call in calls}


def run(
    client: httpx.Client,
    agent: RawAgent,
    model: str,
    *,
    forms: Sequence[bool] = BOTH,
    outputs: Outputs = outputs,
    root: str = "",
) -> str:
    """Runs the agent; returns its last answer.

    Args:
        forms: ``PLAIN`` or ``BOTH``.
        root: stands before the path of the API.
    """
    said = agent.opening()
    while True:
        replies = []
        for streams in forms:
            body = agent.body(model, said, streams=streams)
            reply = client.post(root + agent.path(model, streams=streams), json=body)
            assert reply.status_code == 200, reply.text
            replies.append(reply)
        first, last = replies[0], replies[-1]
        assert _said(agent, first) == _said(agent, last)
        value = last.json()
        calls = agent.calls(value)
        if not calls:
            return agent.text(value)
        said = [*said, *agent.echo(value), *agent.results(outputs(calls))]


def _said(agent: RawAgent, reply: httpx.Response) -> tuple[object, list[object]]:
    """The text of a reply, streamed or not, and its calls."""
    replies = BY_NAME[agent.api].replies
    response = replies.assemble(reply.headers["content-type"], reply.content)
    calls = [call["function"]["arguments"] for call in mappings(response.get("tool_calls"))]
    return response.get("content") or "", list(map(json.loads, calls))
