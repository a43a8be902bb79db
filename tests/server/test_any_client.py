"""One fixture for one meaning: a conversation whose fixtures were promoted from the misses of one
API is answered through each of the others, with the official clients; Cohere's, which bring much
with them, are tried by ``tests.clients``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from typing import Any

import httpx
import pytest
from google import genai
from google.genai import types
from openai import OpenAI

from tests.server.running import RunningServer
from workbench.cli.main import main
from workbench.core.apis.table import view

SYSTEM = "Be brief."
QUESTION = "What is the weather in Rome and in Oslo?"
ANSWER = "21 C in both."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
# What a model would say, by how many results of the tool it was told.
SAID = (
    ("--tool-call", "get_weather", '{"city": "Rome"}'),
    ("--tool-call", "get_weather", '{"city": "Oslo"}'),
    ("--content", ANSWER),
)
REQUEST = "[mock-llm] request: "

Agent = Callable[[str, str], str]


def get_weather(city: object) -> str:
    return f"21 C in {city}"


def chat(url: str, model: str) -> str:
    function: dict[str, Any] = {"name": "get_weather", "parameters": SCHEMA}
    messages: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
    ]
    with OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
        while True:
            reply = client.chat.completions.create(
                model=model,
                messages=messages,
                tools=[{"type": "function", "function": function}],  # type: ignore[typeddict-item]
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                return str(message.content)
            messages.append(message)
            for call in message.tool_calls:
                assert call.type == "function"
                result = get_weather(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses(url: str, model: str) -> str:
    tool: Any = {"type": "function", "name": "get_weather", "parameters": SCHEMA, "strict": None}
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    with OpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client:
        while True:
            reply = client.responses.create(
                model=model, instructions=SYSTEM, input=items, tools=[tool]
            )
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                return reply.output_text
            items += reply.output
            items += [
                {
                    "type": "function_call_output",
                    "call_id": call.call_id,
                    "output": get_weather(**json.loads(call.arguments)),
                }
                for call in calls
            ]


def messages(url: str, model: str) -> str:
    from anthropic import Anthropic

    tool: Any = {"name": "get_weather", "input_schema": SCHEMA}
    said: list[Any] = [{"role": "user", "content": QUESTION}]
    with Anthropic(base_url=url, api_key="x", max_retries=0) as client:
        while True:
            reply = client.messages.create(
                model=model, max_tokens=99, system=SYSTEM, messages=said, tools=[tool]
            )
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                (text,) = reply.content
                assert text.type == "text"
                return text.text
            said.append({"role": "assistant", "content": reply.content})
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": get_weather(**call.input),
                }
                for call in calls
            ]
            said.append({"role": "user", "content": results})


def gemini(url: str, model: str) -> str:
    options = types.HttpOptions(base_url=url)
    function = types.FunctionDeclaration(name="get_weather", parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM,
        tools=[types.Tool(function_declarations=[function])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents: list[Any] = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
    with genai.Client(api_key="x", http_options=options) as client:
        while True:
            reply = client.models.generate_content(model=model, contents=contents, config=config)
            if not reply.function_calls:
                return str(reply.text)
            contents.append(reply.candidates[0].content)  # type: ignore[index]
            parts = [
                types.Part.from_function_response(
                    name=str(call.name), response={"result": get_weather(**(call.args or {}))}
                )
                for call in reply.function_calls
            ]
            contents.append(types.Content(role="user", parts=parts))


def converse(url: str, model: str) -> str:
    import boto3

    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    tool = {"toolSpec": {"name": "get_weather", "inputSchema": {"json": SCHEMA}}}
    said: list[Any] = [{"role": "user", "content": [{"text": QUESTION}]}]
    with closing(client):
        while True:
            reply = client.converse(
                modelId=model,
                system=[{"text": SYSTEM}],
                messages=said,
                toolConfig={"tools": [tool]},
            )
            message = reply["output"]["message"]
            calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
            if not calls:
                return str(message["content"][0]["text"])
            results = [
                {
                    "toolResult": {
                        "toolUseId": call["toolUseId"],
                        "content": [{"text": get_weather(**call["input"])}],
                    }
                }
                for call in calls
            ]
            said += [message, {"role": "user", "content": results}]


def ollama(url: str, model: str) -> str:
    from ollama import Client

    function = {"name": "get_weather", "description": "d", "parameters": SCHEMA}
    tool: Any = {"type": "function", "function": function}
    said: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": QUESTION},
    ]
    with Client(url) as client:
        while True:
            message = client.chat(model, said, tools=[tool]).message
            if not message.tool_calls:
                return message.content or ""
            said.append(message)
            for call in message.tool_calls:
                result = get_weather(**call.function.arguments)
                said.append({"role": "tool", "tool_name": "get_weather", "content": result})


def cohere(url: str, model: str) -> str:
    function = {"name": "get_weather", "parameters": SCHEMA}
    said: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    asked = {"model": model, "tools": [{"type": "function", "function": function}]}
    with httpx.Client(base_url=url, trust_env=False) as client:
        while True:
            reply = client.post("/v2/chat", json={**asked, "messages": said}).json()
            message = reply["message"]
            if reply["finish_reason"] != "TOOL_CALL":
                return str(message["content"][0]["text"])
            said.append(message)
            for call in message["tool_calls"]:
                result = get_weather(**json.loads(call["function"]["arguments"]))
                document = {"type": "document", "document": {"data": {"output": result}}}
                said.append({"role": "tool", "tool_call_id": call["id"], "content": [document]})


AGENTS: tuple[Agent, ...] = (chat, responses, messages, gemini, converse, ollama, cohere)


def misses(server: RunningServer, run: Agent, model: str) -> tuple[str, list[dict[str, Any]]]:
    """What ``run`` returns, and the requests of it that had no fixture."""
    before = server.log_size()
    outcome = run(server.url, model)
    lines = server.log(before).split("\n")
    return outcome, [json.loads(x[len(REQUEST) :]) for x in lines if x.startswith(REQUEST)]


@pytest.mark.parametrize("maker", AGENTS)
def test_a_conversation_of_one_api_is_answered_through_the_others(
    server: RunningServer, maker: Agent
) -> None:
    model = f"fixtures-of-{maker.__name__}"
    for response in SAID:
        _, (missed,) = misses(server, maker, model)
        digest = view(missed).digest
        folder = ("--fixtures", str(server.fixtures))
        assert main(["promote", str(server.log_path), digest, *folder, *response]) == 0
    for asker in AGENTS:
        assert misses(server, asker, model) == (ANSWER, []), asker.__name__
