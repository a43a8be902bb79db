"""OpenAI's client, and those of providers whose functions are like OpenAI's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from tests.clients.agents.weather import DESCRIPTION, SCHEMA, WARM_SCHEMA, get_weather
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, client

MODEL = "a-model"
FUNCTION: dict[str, Any] = {
    "name": "get_weather",
    "description": DESCRIPTION,
    "parameters": SCHEMA,
}
TOOLS = [{"type": "function", "function": FUNCTION}]
RESPONSE_FORMAT = {
    "type": "json_schema",
    "json_schema": {"name": "warm", "strict": True, "schema": WARM_SCHEMA},
}
# What is sent back of a call.
_CALL = {"type", "call_id", "name", "arguments"}

Message = dict[str, Any]


def chat(create: Callable[..., Any], mode: str, model: str = MODEL) -> str:
    """Ask with a function like that of OpenAI's client."""
    if mode == STRUCTURED:
        messages = [{"role": "user", "content": STRUCTURED_QUESTION}]
        reply = create(model=model, messages=messages, response_format=RESPONSE_FORMAT)
        return str(reply.choices[0].message.content)

    def ask(messages: list[Message]) -> Message:
        if mode == STREAM:
            chunks = create(model=model, messages=messages, tools=TOOLS, stream=True)
            return whole_message(chunks)
        reply = create(model=model, messages=messages, tools=TOOLS)
        return plain_message(reply.choices[0].message)

    return agent(ask)


def agent(ask: Callable[[list[Message]], Message]) -> str:
    """Ask until the model calls no tool; returns its last text."""
    messages: list[Message] = [{"role": "user", "content": QUESTION}]
    while True:
        message = ask(messages)
        if not message["tool_calls"]:
            return str(message["content"])
        messages.append(message)
        for call in message["tool_calls"]:
            content = get_weather(**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def plain_message(message: Any) -> Message:
    """A message of a library as the chat completions API has it."""
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function.name, "arguments": call.function.arguments},
        }
        for call in message.tool_calls or []
    ]
    return {"role": "assistant", "content": message.content or "", "tool_calls": calls}


def whole_message(chunks: Iterable[Any]) -> Message:
    """The message that the chunks of a stream make."""
    content, calls = "", dict[int, Message]()
    for chunk in chunks:
        chunk = getattr(chunk, "data", chunk)
        for choice in chunk.choices:
            content += choice.delta.content or ""
            for piece in choice.delta.tool_calls or []:
                empty = {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
                call = calls.setdefault(getattr(piece, "index", None) or 0, empty)
                call["id"] = piece.id or call["id"]
                call["function"]["name"] = piece.function.name or call["function"]["name"]
                call["function"]["arguments"] += piece.function.arguments or ""
    return {"role": "assistant", "content": content, "tool_calls": list(calls.values())}


@client("openai", "chat", "openai")
def openai(mode: str) -> str:
    from openai import OpenAI

    return chat(OpenAI().chat.completions.create, mode)


@client("openai-responses", "responses", "openai")
def openai_responses(mode: str) -> str:
    from openai import OpenAI

    responses = OpenAI().responses
    if mode == STRUCTURED:
        form: Any = {"format": {"type": "json_schema", "name": "warm", "schema": WARM_SCHEMA}}
        return responses.create(model="gpt-5", input=STRUCTURED_QUESTION, text=form).output_text
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    tools = [{"type": "function", "strict": False, **FUNCTION}]
    while True:
        asked: dict[str, Any] = {"model": "gpt-5", "input": items, "tools": tools}
        if mode == STREAM:
            with responses.stream(**asked) as events:
                response: Any = events.get_final_response()
        else:
            response = responses.create(**asked)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return str(response.output_text)
        items += [item.model_dump(include=_CALL) for item in calls]
        for call in calls:
            output = get_weather(**json.loads(call.arguments))
            items.append(
                {"type": "function_call_output", "call_id": call.call_id, "output": output}
            )


@client("azure-openai", "chat", "openai", part="`AzureOpenAI`")
def azure_openai(mode: str) -> str:
    from openai import AzureOpenAI

    return chat(AzureOpenAI(api_version="2024-10-21").chat.completions.create, mode)


@client("groq", "chat", "groq")
def groq(mode: str) -> str:
    from groq import Groq

    return chat(Groq().chat.completions.create, mode)


@client("together", "chat", "together")
def together(mode: str) -> str:
    from together import Together

    return chat(Together().chat.completions.create, mode)


@client("fireworks", "chat", "fireworks-ai")
def fireworks(mode: str) -> str:
    from fireworks import Fireworks

    return chat(Fireworks().chat.completions.create, mode)


@client("cerebras", "chat", "cerebras-cloud-sdk")
def cerebras(mode: str) -> str:
    from cerebras.cloud.sdk import Cerebras

    return chat(Cerebras().chat.completions.create, mode)


@client("perplexity", "chat", "perplexityai")
def perplexity(mode: str) -> str:
    from perplexity import Perplexity

    return chat(Perplexity().chat.completions.create, mode)


@client(
    "openrouter-by-openai",
    "chat",
    "openai",
    part="for OpenRouter",
    needs='`base_url=os.environ["OPENROUTER_API_BASE"]`',
)
def openrouter_by_openai(mode: str) -> str:
    from openai import OpenAI

    client = OpenAI(base_url=os.environ["OPENROUTER_API_BASE"])
    return chat(client.chat.completions.create, mode)


@client(
    "openrouter",
    "chat",
    "openrouter",
    needs='`OpenRouter(server_url=os.environ["WORKBENCH_URL"] + "/api/v1")`',
)
def openrouter(mode: str) -> str:
    from openrouter import OpenRouter

    return chat(OpenRouter(server_url=f"{os.environ['WORKBENCH_URL']}/api/v1").chat.send, mode)


@client(
    "mistral",
    "chat",
    "mistralai",
    needs='`Mistral(server_url=os.environ["WORKBENCH_URL"] + "/mistral")`',
)
def mistral(mode: str) -> str:
    from mistralai.client import Mistral

    client = Mistral(
        server_url=f"{os.environ['WORKBENCH_URL']}/mistral", api_key=os.environ["MISTRAL_API_KEY"]
    )

    def create(*, stream: bool = False, **asked: Any) -> Any:
        return (client.chat.stream if stream else client.chat.complete)(**asked)

    return chat(create, mode)


@client(
    "huggingface",
    "chat",
    "huggingface_hub",
    needs='`InferenceClient(base_url=os.environ["WORKBENCH_URL"] + "/v1")`',
)
def huggingface(mode: str) -> str:
    from huggingface_hub import InferenceClient

    client = InferenceClient(base_url=f"{os.environ['WORKBENCH_URL']}/v1", api_key="x")
    return chat(client.chat.completions.create, mode)


@client(
    "azure-ai-inference",
    "chat",
    "azure-ai-inference",
    needs='`ChatCompletionsClient(endpoint=os.environ["WORKBENCH_URL"], …)`',
)
def azure_ai_inference(mode: str) -> str:
    from azure.ai.inference import ChatCompletionsClient
    from azure.core.credentials import AzureKeyCredential

    client = ChatCompletionsClient(
        endpoint=os.environ["WORKBENCH_URL"], credential=AzureKeyCredential("x")
    )

    def create(**asked: Any) -> Any:
        return client.complete(asked)

    return chat(create, mode)
