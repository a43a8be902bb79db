"""The clients of Amazon Bedrock, Anthropic's among them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.clients.agents import anthropic_clients, frameworks
from tests.clients.agents.openai_clients import Message
from tests.clients.agents.weather import DESCRIPTION, SCHEMA, get_weather, warm_model
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, TOOLS, client

MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


@client(
    "anthropic-bedrock",
    "messages",
    "anthropic[bedrock]",
    part="`AnthropicBedrock`",
    modes=(TOOLS, STREAM),
)
def anthropic_bedrock(mode: str) -> str:
    from anthropic import AnthropicBedrock

    return anthropic_clients.ask(AnthropicBedrock(), mode, MODEL)


@client("boto3", "converse", "boto3", modes=(TOOLS, STREAM))
def boto3(mode: str) -> str:
    import boto3

    client = boto3.client("bedrock-runtime")
    tool = {"name": "get_weather", "description": DESCRIPTION, "inputSchema": {"json": SCHEMA}}
    messages: list[Message] = [{"role": "user", "content": [{"text": QUESTION}]}]
    while True:
        asked = {"messages": messages, "toolConfig": {"tools": [{"toolSpec": tool}]}}
        if mode == STREAM:
            reply = client.converse_stream(modelId=MODEL, **asked)
            content = _whole_content(reply["stream"])
        else:
            reply = client.converse(modelId=MODEL, **asked)
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


def _whole_content(events: Iterable[Any]) -> list[Message]:
    """The content blocks that the events of Converse make."""
    blocks: dict[int, Message] = {}
    for event in events:
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            call = {**start["start"]["toolUse"], "input": ""}
            blocks[start["contentBlockIndex"]] = {"toolUse": call}
        if "contentBlockDelta" in event:
            piece = event["contentBlockDelta"]
            block = blocks.setdefault(piece["contentBlockIndex"], {"text": ""})
            if "toolUse" in piece["delta"]:
                block["toolUse"]["input"] += piece["delta"]["toolUse"]["input"]
            else:
                block["text"] += piece["delta"]["text"]
    for block in blocks.values():
        if "toolUse" in block:
            block["toolUse"]["input"] = json.loads(block["toolUse"]["input"] or "{}")
    return list(blocks.values())


@client("strands", "converse", "strands-agents")
def strands(mode: str) -> str:
    from strands import Agent, tool
    from strands.models import BedrockModel

    model = BedrockModel(model_id=MODEL, streaming=mode == STREAM)
    if mode == STRUCTURED:
        agent = Agent(model, callback_handler=None)
        reply = agent(STRUCTURED_QUESTION, structured_output_model=warm_model())
        return str(reply.structured_output.model_dump_json())
    agent = Agent(model, tools=[tool(get_weather)], callback_handler=None)
    return str(agent(QUESTION)).strip()


@client("langchain-aws", "converse", "langchain-aws", part="`ChatBedrockConverse`")
def langchain_aws(mode: str) -> str:
    from langchain_aws import ChatBedrockConverse

    return frameworks.langchain(ChatBedrockConverse(model=MODEL), mode)
