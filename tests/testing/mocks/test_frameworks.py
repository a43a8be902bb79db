"""Agent frameworks against a mock: structured output and tools.

They take long to load: only the tests that use one do so.
"""

from __future__ import annotations

import asyncio

import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel

from workbench.testing import MockLLM, Reply


class Weather(BaseModel):
    city: str
    degrees: int


SUNNY = Weather(city="Oslo", degrees=20)


def test_g2_pydantic_ai_gets_the_arguments_of_its_output_tool(mock_llm: MockLLM) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> Weather:
        async with AsyncOpenAI(base_url=mock_llm.base_url, api_key="none") as client:
            model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, output_type=Weather, system_prompt="You are the forecaster")
            forecast: Weather = (await agent.run("weather in Oslo?")).output
            return forecast

    mock_llm.role("forecaster", system="You are the forecaster")
    mock_llm.script(
        Reply.json({"city": "Oslo"}, unchecked=True), Reply.json(SUNNY), role="forecaster"
    )
    assert asyncio.run(run()) == SUNNY
    first, second = mock_llm.calls("forecaster")
    assert first.reply is not None
    assert first.reply.calls == [("final_result", {"city": "Oslo"})]
    assert "degrees" in str(second.messages[-1])  # the framework asks again, saying what is missing


@pytest.mark.parametrize("stream", [False, True])
def test_g5_openai_agents_run_tools(mock_llm: MockLLM, stream: bool) -> None:
    from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool

    asked: list[str] = []

    def get_weather(city: str) -> str:
        """The weather of a city."""
        asked.append(city)
        return "20 degrees"

    async def run() -> object:
        async with AsyncOpenAI(base_url=mock_llm.base_url, api_key="none") as client:
            agent = Agent(
                name="forecaster",
                instructions="You are the forecaster",
                model=OpenAIChatCompletionsModel("m", client),
                tools=[function_tool(get_weather)],
                output_type=Weather,
            )
            quiet = RunConfig(tracing_disabled=True)
            if not stream:
                return (await Runner.run(agent, "weather in Oslo?", run_config=quiet)).final_output
            streamed = Runner.run_streamed(agent, "weather in Oslo?", run_config=quiet)
            async for _ in streamed.stream_events():
                pass
            return streamed.final_output

    mock_llm.script(Reply.tool_call("get_weather", city="Oslo"), Reply.json(SUNNY))
    assert asyncio.run(run()) == SUNNY
    assert asked == ["Oslo"]
    assert "20 degrees" in mock_llm.calls()[1].text
    mock_llm.assert_finished()
