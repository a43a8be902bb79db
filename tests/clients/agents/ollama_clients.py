"""Ollama's client, and the frameworks' integrations of Ollama."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tests.clients.agents.frameworks import langchain
from tests.clients.agents.openai_clients import TOOLS
from tests.clients.agents.weather import WARM_SCHEMA, get_weather, warm_model
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, client

MODEL = "llama3.2"


@client("ollama", "ollama", "ollama")
def ollama(mode: str) -> str:
    from ollama import chat

    if mode == STRUCTURED:
        asked = [{"role": "user", "content": STRUCTURED_QUESTION}]
        return str(chat(MODEL, asked, format=WARM_SCHEMA).message.content)
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        message: Any = (
            _whole_message(chat(MODEL, messages, tools=TOOLS, stream=True))
            if mode == STREAM
            else chat(MODEL, messages, tools=TOOLS).message
        )
        if not message.get("tool_calls"):
            return str(message["content"])
        messages.append(message)
        for call in message["tool_calls"]:
            name, output = call.function.name, get_weather(**call.function.arguments)
            messages.append({"role": "tool", "tool_name": name, "content": output})


def _whole_message(parts: Iterable[Any]) -> dict[str, Any]:
    """The message that the parts of a stream make."""
    content, calls = "", list[Any]()
    for part in parts:
        content += part.message.content or ""
        calls += part.message.tool_calls or []
    return {"role": "assistant", "content": content, "tool_calls": calls}


@client("langchain-ollama", "ollama", "langchain-ollama")
def langchain_ollama(mode: str) -> str:
    from langchain_ollama import ChatOllama

    return langchain(ChatOllama(model=MODEL), mode)


@client(
    "llama-index-ollama",
    "ollama",
    "llama-index-llms-ollama",
    needs='`Ollama(base_url=os.environ["OLLAMA_HOST"])`',
)
def llama_index_ollama(mode: str) -> str:
    import asyncio

    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.ollama import Ollama

    model: Any = Ollama(model=MODEL, base_url=os.environ["OLLAMA_HOST"])
    if mode == STRUCTURED:
        answer = model.as_structured_llm(warm_model()).complete(STRUCTURED_QUESTION)
        return str(answer.raw.model_dump_json())
    agent: Any = FunctionAgent(tools=[get_weather], llm=model, streaming=mode == STREAM)

    async def run() -> str:
        return str(await agent.run(QUESTION))

    return asyncio.run(run())
