"""Anthropic's client, also for the clouds that have its models."""

from __future__ import annotations

from typing import Any

from tests.clients.agents.weather import get_weather, warm_model
from tests.clients.client import QUESTION, STREAM, STRUCTURED, STRUCTURED_QUESTION, client

MODEL = "claude-sonnet-5"


def ask(client: Any, mode: str, model: str = MODEL) -> str:
    """Ask with a client of the library."""
    from anthropic import beta_tool

    if mode == STRUCTURED:
        return _structured(client)
    runner = client.beta.messages.tool_runner(
        model=model,
        max_tokens=99,
        tools=[beta_tool(get_weather)],
        messages=[{"role": "user", "content": QUESTION}],
        stream=mode == STREAM,
    )
    for turn in runner:
        message = turn.get_final_message() if mode == STREAM else turn
    return "".join(block.text for block in message.content if block.type == "text")


def _structured(client: Any) -> str:
    message = client.messages.parse(
        model=MODEL,
        max_tokens=99,
        messages=[{"role": "user", "content": STRUCTURED_QUESTION}],
        output_format=warm_model(),
    )
    return str(message.parsed_output.model_dump_json())


@client("anthropic", "messages", "anthropic")
def anthropic(mode: str) -> str:
    from anthropic import Anthropic

    return ask(Anthropic(), mode)


@client(
    "anthropic-foundry",
    "messages",
    "anthropic",
    part="`AnthropicFoundry`",
    needs="leave out `resource`, because the client refuses it beside `ANTHROPIC_FOUNDRY_BASE_URL`",
)
def anthropic_foundry(mode: str) -> str:
    from anthropic import AnthropicFoundry

    return ask(AnthropicFoundry(), mode)


@client(
    "anthropic-vertex",
    "messages",
    "anthropic[vertex]",
    part="`AnthropicVertex`",
    needs='`access_token="x"`, or have Google credentials',
)
def anthropic_vertex(mode: str) -> str:
    from anthropic import AnthropicVertex

    return ask(AnthropicVertex(project_id="p", region="us-east5", access_token="x"), mode)
