"""Cohere's client."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.clients.agents.openai_clients import TOOLS, Message
from tests.clients.agents.weather import WARM_SCHEMA, get_weather
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, client

MODEL = "command-a-03-2025"


@client("cohere", "cohere", "cohere", part="`ClientV2`")
def cohere(mode: str) -> str:
    from cohere import ClientV2

    client = ClientV2()
    if mode == STRUCTURED:
        asked: Any = [{"role": "user", "content": STRUCTURED_QUESTION}]
        form: Any = {"type": "json_object", "schema": WARM_SCHEMA}
        reply: Any = client.chat(model=MODEL, messages=asked, response_format=form)
        return str(reply.message.content[0].text)
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        body: Any = {"model": MODEL, "messages": messages, "tools": TOOLS}
        message: Any = (
            _whole_message(client.chat_stream(**body))
            if mode == STREAM
            else client.chat(**body).message.dict(exclude_none=True)
        )
        if not message.get("tool_calls"):
            return str(message["content"][0]["text"])
        messages.append(message)
        for call in message["tool_calls"]:
            data = {"weather": get_weather(**json.loads(call["function"]["arguments"]))}
            content = [{"type": "document", "document": {"data": data}}]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


@client("cohere-v1", "cohere", "cohere", part="`Client`")
def cohere_v1(mode: str) -> str:
    """Version 1, whose replies have the whole conversation."""
    from cohere import Client

    client = Client()
    if mode == STRUCTURED:
        form: Any = {"type": "json_object", "schema": WARM_SCHEMA}
        return str(client.chat(model=MODEL, message=STRUCTURED_QUESTION, response_format=form).text)
    parameters = {"city": {"type": "str", "required": True}}
    tool = {"name": "get_weather", "description": "d", "parameter_definitions": parameters}
    asked: Any = {"model": MODEL, "message": QUESTION, "tools": [tool]}
    while True:
        if mode == STREAM:
            *_, end = client.chat_stream(**asked)
            reply: Any = end.response
        else:
            reply = client.chat(**asked)
        if not reply.tool_calls:
            return str(reply.text)
        results = [
            {"call": call, "outputs": [{"weather": get_weather(**call.parameters)}]}
            for call in reply.tool_calls
        ]
        asked |= {"message": "", "chat_history": reply.chat_history, "tool_results": results}


def _whole_message(events: Iterable[Any]) -> Message:
    """The message that the events of a stream make."""
    text, plan, calls = "", "", list[Message]()
    for event in events:
        message: Any = getattr(getattr(event, "delta", None), "message", None)
        if event.type == "content-delta":
            text += message.content.text
        elif event.type == "tool-plan-delta":
            plan += message.tool_plan
        elif event.type == "tool-call-start":
            calls.append(message.tool_calls.dict())
        elif event.type == "tool-call-delta":
            arguments = message.tool_calls.function.arguments
            calls[event.index]["function"]["arguments"] += arguments
    if calls:
        return {"role": "assistant", "tool_plan": plan, "tool_calls": calls}
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}
