"""``python agents.py CLIENT plain|stream``: asks a question with one client library as it comes,
calls the tool as often as it is told to, and prints the answer.

The library finds the server by the environment of ``workbench run``; one that reads no variable is
given the URL. It runs where the library is installed, which this project is not.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

QUESTION = "What is the weather in Rome and in Oslo?"
MODEL = "a-model"
BEDROCK_MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "description": "The weather of a city.", "parameters": SCHEMA}
TOOLS = [{"type": "function", "function": FUNCTION}]
URL = os.environ["WORKBENCH_URL"]

Message = dict[str, Any]
# What sends messages, streamed or not, and returns the message of the model.
Ask = Callable[[list[Message], bool], Message]


def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: its name
    """
    return f"21 C in {city}"


def agent(ask: Ask, stream: bool) -> str:
    """Ask until the model calls no tool; returns its last text."""
    messages: list[Message] = [{"role": "user", "content": QUESTION}]
    while True:
        message = ask(messages, stream)
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


def asking(create: Callable[..., Any], **more: Any) -> Ask:
    """For a library with the functions of OpenAI's."""

    def ask(messages: list[Message], stream: bool) -> Message:
        reply = create(model=MODEL, messages=messages, tools=TOOLS, stream=stream, **more)
        return whole_message(reply) if stream else plain_message(reply.choices[0].message)

    return ask


def azure() -> Ask:
    from openai import AzureOpenAI

    return asking(AzureOpenAI(api_version="2024-10-21").chat.completions.create)


def openai() -> Ask:
    from openai import OpenAI

    return asking(OpenAI().chat.completions.create)


def groq() -> Ask:
    from groq import Groq

    return asking(Groq().chat.completions.create)


def together() -> Ask:
    from together import Together

    return asking(Together().chat.completions.create)


def fireworks() -> Ask:
    from fireworks import Fireworks

    return asking(Fireworks().chat.completions.create)


def cerebras() -> Ask:
    from cerebras.cloud.sdk import Cerebras

    return asking(Cerebras().chat.completions.create)


def perplexity() -> Ask:
    from perplexity import Perplexity

    return asking(Perplexity().chat.completions.create)


def openrouter_by_openai() -> Ask:
    from openai import OpenAI

    client = OpenAI(base_url=os.environ["OPENROUTER_API_BASE"])
    return asking(client.chat.completions.create)


def openrouter() -> Ask:
    from openrouter import OpenRouter

    return asking(OpenRouter(server_url=f"{URL}/api/v1").chat.send)


def mistral() -> Ask:
    from mistralai.client import Mistral

    client = Mistral(server_url=f"{URL}/mistral", api_key=os.environ["MISTRAL_API_KEY"])

    def ask(messages: list[Message], stream: bool) -> Message:
        send = client.chat.stream if stream else client.chat.complete
        reply: Any = send(model=MODEL, messages=messages, tools=TOOLS)
        return whole_message(reply) if stream else plain_message(reply.choices[0].message)

    return ask


def cohere(stream: bool) -> str:
    import cohere

    client = cohere.ClientV2()
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        asked: Any = {"model": MODEL, "messages": messages, "tools": TOOLS}
        message: Any = (
            _message_of_cohere(client.chat_stream(**asked))
            if stream
            else client.chat(**asked).message.dict(exclude_none=True)
        )
        if not message.get("tool_calls"):
            return str(message["content"][0]["text"])
        messages.append(message)
        for call in message["tool_calls"]:
            data = {"weather": get_weather(**json.loads(call["function"]["arguments"]))}
            content = [{"type": "document", "document": {"data": data}}]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def _message_of_cohere(events: Iterable[Any]) -> Message:
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


def langchain_cohere(stream: bool) -> str:  # noqa: ARG001
    from langchain_cohere import ChatCohere
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    model = ChatCohere(model=MODEL, base_url=URL).bind_tools([tool(get_weather)])
    messages: list[Any] = [HumanMessage(QUESTION)]
    while True:
        reply = model.invoke(messages)
        if not reply.tool_calls:
            return str(reply.content)
        messages.append(reply)
        for call in reply.tool_calls:
            result = get_weather(**call["args"])
            messages.append(ToolMessage(result, tool_call_id=call["id"]))


def huggingface() -> Ask:
    from huggingface_hub import InferenceClient

    return asking(InferenceClient(base_url=f"{URL}/v1", api_key="x").chat.completions.create)


def azure_ai_inference() -> Ask:
    from azure.ai.inference import ChatCompletionsClient
    from azure.core.credentials import AzureKeyCredential

    endpoint = f"{URL}/openai/deployments/{MODEL}"
    client = ChatCompletionsClient(endpoint=endpoint, credential=AzureKeyCredential("x"))

    def ask(messages: list[Message], stream: bool) -> Message:
        body = {"messages": messages, "tools": TOOLS, "stream": stream}
        reply: Any = client.complete(body)
        return whole_message(reply) if stream else plain_message(reply.choices[0].message)

    return ask


def litellm(model: str) -> Callable[[], Ask]:
    def client() -> Ask:
        import litellm

        litellm.suppress_debug_info = True  # printed as if it were the answer

        def ask(messages: list[Message], stream: bool) -> Message:
            reply: Any = litellm.completion(
                model=model, messages=messages, tools=TOOLS, stream=stream
            )
            return whole_message(reply) if stream else plain_message(reply.choices[0].message)

        return ask

    return client


def gemini(**options: Any) -> Callable[[bool], str]:
    def run(stream: bool) -> str:
        from google import genai
        from google.genai import types

        config = types.GenerateContentConfig(tools=[get_weather])
        client = genai.Client(**options)
        chat = client.chats.create(model="gemini-2.5-flash", config=config)
        if stream:
            return "".join(chunk.text or "" for chunk in chat.send_message_stream(QUESTION))
        return str(chat.send_message(QUESTION).text)

    return run


def anthropic(make: Callable[[Any], Any], model: str = "claude-sonnet-5") -> Callable[[bool], str]:
    def run(stream: bool) -> str:
        import anthropic

        client = make(anthropic)
        tool = anthropic.beta_tool(get_weather)
        runner = client.beta.messages.tool_runner(
            model=model,
            max_tokens=99,
            tools=[tool],
            messages=[{"role": "user", "content": QUESTION}],
            stream=stream,
        )
        for turn in runner:
            message = turn.get_final_message() if stream else turn
        return "".join(block.text for block in message.content if block.type == "text")

    return run


def boto3(stream: bool) -> str:
    import boto3

    client = boto3.client("bedrock-runtime")
    tool = {"name": "get_weather", "description": "d", "inputSchema": {"json": SCHEMA}}
    messages: list[Message] = [{"role": "user", "content": [{"text": QUESTION}]}]
    while True:
        asked = {"messages": messages, "toolConfig": {"tools": [{"toolSpec": tool}]}}
        if stream:
            reply = client.converse_stream(modelId=BEDROCK_MODEL, **asked)
            content = whole_content(reply["stream"])
        else:
            reply = client.converse(modelId=BEDROCK_MODEL, **asked)
            content = reply["output"]["message"]["content"]
        calls = [block["toolUse"] for block in content if "toolUse" in block]
        if not calls:
            return "".join(block["text"] for block in content)
        results = [
            {"toolUseId": call["toolUseId"], "content": [{"text": get_weather(**call["input"])}]}
            for call in calls
        ]
        messages.append({"role": "assistant", "content": content})
        messages.append({"role": "user", "content": [{"toolResult": each} for each in results]})


def whole_content(events: Iterable[Any]) -> list[Message]:
    """The content blocks that the events of Converse make."""
    blocks: dict[int, Message] = {}
    for event in events:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            blocks[start["contentBlockIndex"]] = {
                "toolUse": {**start["start"]["toolUse"], "input": ""}
            }
        if "contentBlockDelta" in event:
            index, delta = (
                event["contentBlockDelta"][key] for key in ("contentBlockIndex", "delta")
            )
            block = blocks.setdefault(index, {"text": ""})
            if "toolUse" in delta:
                block["toolUse"]["input"] += delta["toolUse"]["input"]
            else:
                block["text"] += delta["text"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    return list(blocks.values())


def strands(stream: bool) -> str:
    from strands import Agent, tool
    from strands.models import BedrockModel

    model = BedrockModel(model_id=BEDROCK_MODEL, streaming=stream)
    return str(Agent(model, tools=[tool(get_weather)], callback_handler=None)(QUESTION)).strip()


def langchain_aws(stream: bool) -> str:
    from langchain_aws import ChatBedrockConverse
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    model = ChatBedrockConverse(model=BEDROCK_MODEL).bind_tools([tool(get_weather)])
    messages: list[Any] = [HumanMessage(QUESTION)]
    while True:
        if stream:
            first, *others = model.stream(messages)
            message = sum(others, first)
        else:
            message = model.invoke(messages)
        if not message.tool_calls:
            return str(message.text)
        results = [
            ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"])
            for call in message.tool_calls
        ]
        messages += [message, *results]


def chat(client: Callable[[], Ask]) -> Callable[[bool], str]:
    return lambda stream: agent(client(), stream)


RUNS: dict[str, Callable[[bool], str]] = {
    "openai": chat(openai),
    "azure-openai": chat(azure),
    "groq": chat(groq),
    "together": chat(together),
    "fireworks": chat(fireworks),
    "cerebras": chat(cerebras),
    "perplexity": chat(perplexity),
    "openrouter-by-openai": chat(openrouter_by_openai),
    "openrouter": chat(openrouter),
    "mistral": chat(mistral),
    "huggingface": chat(huggingface),
    "azure-ai-inference": chat(azure_ai_inference),
    **{
        f"litellm-{provider}": chat(litellm(f"{provider}/{model}"))
        for provider, model in {
            "azure": MODEL,
            "openai": MODEL,
            "anthropic": "claude-sonnet-5",
            "bedrock": BEDROCK_MODEL,
            "cerebras": "llama-3.3-70b",
            "cohere_chat": "command-a-03-2025",
            "deepseek": "deepseek-chat",
            "fireworks_ai": f"accounts/fireworks/models/{MODEL}",
            "gemini": "gemini-2.5-flash",
            "groq": "llama-3.3-70b-versatile",
            "mistral": "mistral-large-latest",
            "openrouter": f"openai/{MODEL}",
            "together_ai": MODEL,
            "xai": "grok-4",
        }.items()
    },
    "cohere": cohere,
    "langchain-cohere": langchain_cohere,
    "boto3": boto3,
    "langchain-aws": langchain_aws,
    "strands": strands,
    "gemini": gemini(),
    "gemini-vertex": gemini(vertexai=True, api_key="x"),
    "anthropic": anthropic(lambda library: library.Anthropic()),
    "anthropic-bedrock": anthropic(lambda library: library.AnthropicBedrock(), BEDROCK_MODEL),
    "anthropic-foundry": anthropic(lambda library: library.AnthropicFoundry()),
    "anthropic-vertex": anthropic(
        lambda library: library.AnthropicVertex(project_id="p", region="us-east5", access_token="x")
    ),
}

if __name__ == "__main__":
    print(RUNS[sys.argv[1]](sys.argv[2] == "stream"))
