"""Clients of the Responses API work as they come against fixtures that were promoted from their own
misses: an agent that calls a tool twice, streamed and not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel, SecretStr

from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer
from workbench.core.apis.table import view

MODEL = "gpt-5"

Agent = Callable[[str, bool], str]


class City(BaseModel):
    name: str
    people: int


def openai_client(url: str) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=url + "/v1", api_key="none", max_retries=0)


def by_hand(url: str, stream: bool) -> str:
    """The official client, whose caller runs the tool and repeats the conversation."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tools: Any = [{"type": "function", "name": "get_weather", "parameters": schema}]
    items: list[Any] = [{"role": "user", "content": QUESTION}]
    with OpenAI(base_url=url + "/v1", api_key="none", max_retries=0) as client:
        while True:
            if stream:
                with client.responses.stream(model=MODEL, input=items, tools=tools) as events:
                    reply: Any = events.get_final_response()
            else:
                reply = client.responses.create(model=MODEL, input=items, tools=tools)
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                return str(reply.output_text)
            items += [item.to_dict() for item in reply.output]
            for call in calls:
                output = get_weather(**json.loads(call.arguments))
                item = {"type": "function_call_output", "call_id": call.call_id, "output": output}
                items.append(item)


def openai_agents(url: str, stream: bool, *, by_id: bool = False, output: Any = None) -> Any:
    """As it comes, it speaks Responses."""
    from agents import Agent, RunConfig, Runner, function_tool
    from agents.models.openai_provider import OpenAIProvider

    async def run() -> Any:
        async with openai_client(url) as client:
            provider = OpenAIProvider(openai_client=client)
            config = RunConfig(model_provider=provider, tracing_disabled=True)
            agent = Agent(
                "weather", model=MODEL, tools=[function_tool(get_weather)], output_type=output
            )
            more: Any = {"run_config": config, "auto_previous_response_id": by_id}
            if not stream:
                return (await Runner.run(agent, QUESTION, **more)).final_output
            streamed = Runner.run_streamed(agent, QUESTION, **more)
            async for _event in streamed.stream_events():
                pass
            return streamed.final_output

    return asyncio.run(run())


def openai_agents_by_id(url: str, stream: bool) -> str:
    """Each turn names the response before."""
    return str(openai_agents(url, stream, by_id=True))


def pydantic_ai(url: str, stream: bool) -> str:
    """With a model named ``openai:…`` it speaks Responses."""
    import pydantic_ai as framework
    from pydantic_ai.models import infer_model
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> str:
        async with openai_client(url) as client:
            provider = OpenAIProvider(openai_client=client)
            model = infer_model(f"openai:{MODEL}", lambda _: provider)
            agent = framework.Agent(model, tools=[get_weather])
            if not stream:
                return str((await agent.run(QUESTION)).output)
            async with agent.run_stream(QUESTION) as result:
                return str(await result.get_output())

    return asyncio.run(run())


def langchain(url: str, stream: bool) -> str:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(
        model=MODEL,
        base_url=url + "/v1",
        api_key=SecretStr("none"),
        max_retries=0,
        streaming=stream,
        use_responses_api=True,
    ).bind_tools([tool(get_weather)])
    messages: list[Any] = [HumanMessage(QUESTION)]
    while True:
        reply: Any = model.invoke(messages)
        if not reply.tool_calls:
            return str(reply.text)
        messages.append(reply)
        messages += [
            ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"])
            for call in reply.tool_calls
        ]


@pytest.mark.parametrize(
    ("agents", "misses"),
    [
        # They say the same: what the first is given answers the others.
        ([by_hand, openai_agents, openai_agents_by_id, langchain], [[1, 1, 1, 0], [0], [0], [0]]),
        ([pydantic_ai], [[1, 1, 1, 0]]),
    ],
)
def test_an_agent_is_given_its_answers_miss_by_miss(
    server: RunningServer, agents: list[Agent], misses: list[list[int]]
) -> None:
    for agent, expected in zip(agents, misses, strict=True):
        assert promoted(server, partial(agent, server.url, False)) == (ANSWER, expected)
        # The same requests, streamed: the fixtures are there.
        assert promoted(server, partial(agent, server.url, True)) == (ANSWER, [0])


def test_structured_output_of_openai_agents(server: RunningServer) -> None:
    asked = {"api": "responses", "model": MODEL, "input": QUESTION}
    fixture = {"response": {"content": '{"name": "Rome", "people": 3}'}, "request": asked}
    server.write_fixture(view(asked).digest, fixture)
    assert openai_agents(server.url, False, output=City) == City(name="Rome", people=3)
