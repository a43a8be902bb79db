"""Agent frameworks read the replies, in both profiles: text, streams, tools, structured output and
errors. Each is given its answers miss by miss, as somebody does who runs a suite again and again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import openai
import pytest
from openai import AsyncOpenAI
from pydantic import BaseModel, SecretStr

from tests.server.running import RunningServer
from workbench.core.digest import digest
from workbench.core.replies.profile_names import PROFILE_NAMES, ProfileName

Outcome = TypeVar("Outcome")

REQUEST = "[mock-llm] request: "
QUESTION = "What is the weather in London?"
ANSWER = "It is 12 degrees in London, with light rain."
PLACE = {"city": "London", "degrees": 12}
USAGE = {"prompt_tokens": 20, "completion_tokens": 5}


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int


def get_weather(city: str) -> str:
    """The weather of a city."""
    return f"12 degrees in {city}"


@pytest.fixture(scope="module", params=PROFILE_NAMES)
def profile(request: pytest.FixtureRequest) -> ProfileName:
    return request.param  # type: ignore[no-any-return]


# The answers


def answered(server: RunningServer, run: Callable[[str], Outcome]) -> Outcome:
    """What comes of ``run``, which gets the server's URL, when all it asks for has an answer."""
    for _ in range(4):
        before = server.log_size()
        outcome = None
        with suppress(Exception):  # of fallbacks, which are of no use to an agent
            outcome = run(server.url + "/v1")
        lines = server.log(before).split("\n")
        missed = [json.loads(line[len(REQUEST) :]) for line in lines if line.startswith(REQUEST)]
        if not missed:
            return run(server.url + "/v1") if outcome is None else outcome
        for payload in missed:
            server.write_fixture(digest(payload), {"response": response_to(payload)})
    raise AssertionError("it asks on and on")


def response_to(payload: dict[str, Any]) -> dict[str, Any]:
    """What a model would say: it calls a tool, then it answers in the form that is wanted."""
    names = [tool["function"]["name"] for tool in payload.get("tools") or []]
    was_told = any(message["role"] == "tool" for message in payload["messages"])
    kind = (payload.get("response_format") or {}).get("type", "text")
    if "get_weather" in names and not was_told:
        return calling("get_weather", {"city": "London"})
    if names and names != ["get_weather"]:  # the result is wanted as the arguments of a tool
        return calling(next(name for name in names if name != "get_weather"), PLACE)
    content = json.dumps(PLACE) if kind != "text" else ANSWER
    return {"content": content, "finish_reason": "stop", "usage": USAGE}


def calling(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"index": 0, "id": f"call_{name}", "type": "function", "function": function}
    return {
        "content": "",
        "tool_calls": [call],
        "finish_reason": "tool_calls",
        "usage": USAGE,
    }


def failing(server: RunningServer, run: Callable[[str], object], response: dict[str, Any]) -> None:
    """Give what ``run`` asks for first a fixture of a failure."""
    before = server.log_size()
    with suppress(Exception):
        run(server.url + "/v1")
    (payload, *_) = [
        json.loads(line[len(REQUEST) :])
        for line in server.log(before).split("\n")
        if line.startswith(REQUEST)
    ]
    server.write_fixture(digest(payload), {"response": response})


RATE_LIMIT = {"error": {"status": 429, "message": "Slow down.", "code": "rate_limit_exceeded"}}


# langchain-openai


def langchain_model(url: str, **more: Any) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model="gpt-4o", base_url=url, api_key=SecretStr("none"), max_retries=0, **more
    )


def test_langchain_text(server: RunningServer, profile: ProfileName) -> None:
    reply = answered(server, lambda url: langchain_model(url).invoke(QUESTION))
    assert reply.content == ANSWER
    assert reply.usage_metadata["total_tokens"] == 25
    chunks = answered(
        server, lambda url: list(langchain_model(url, stream_usage=True).stream(QUESTION))
    )
    assert "".join(chunk.content for chunk in chunks) == ANSWER
    counts = [chunk.usage_metadata["total_tokens"] for chunk in chunks if chunk.usage_metadata]
    assert counts == ([25] if profile == "openai" else [])


@pytest.mark.parametrize("stream", [False, True])
def test_langchain_tools(server: RunningServer, stream: bool) -> None:
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_core.tools import tool

    def run(url: str) -> str:
        model = langchain_model(url, streaming=stream).bind_tools([tool(get_weather)])
        messages: list[Any] = [HumanMessage(QUESTION)]
        while True:
            messages.append(model.invoke(messages))
            if not messages[-1].tool_calls:
                return str(messages[-1].content)
            for call in messages[-1].tool_calls:
                result = get_weather(**call["args"])
                messages.append(ToolMessage(result, tool_call_id=call["id"]))

    assert answered(server, run) == ANSWER


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_langchain_structured_output(server: RunningServer, method: str) -> None:
    def run(url: str) -> Any:
        model = langchain_model(url).with_structured_output(Weather, method=method)
        return model.invoke(f"{QUESTION} As JSON, by {method}.")

    assert answered(server, run) == Weather(city="London", degrees=12)


def test_langchain_errors(server: RunningServer) -> None:
    def run(url: str) -> Any:
        return langchain_model(url).invoke("Too fast for langchain?")

    failing(server, run, RATE_LIMIT)
    with pytest.raises(openai.RateLimitError, match=r"Slow down\."):
        run(server.url + "/v1")


# pydantic-ai


def pydantic_ai_run(url: str, question: str, *, stream: bool, output: Any = str) -> Any:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> Any:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            model = OpenAIChatModel("gpt-4o", provider=OpenAIProvider(openai_client=client))
            agent = Agent(model, output_type=output)
            agent.tool_plain(get_weather)
            if not stream:
                return (await agent.run(question)).output
            async with agent.run_stream(question) as streamed:
                return await streamed.get_output()

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
def test_pydantic_ai_tools(server: RunningServer, stream: bool) -> None:
    reply = answered(server, lambda url: pydantic_ai_run(url, QUESTION, stream=stream))
    assert reply == ANSWER


@pytest.mark.parametrize("stream", [False, True])
def test_pydantic_ai_structured_output(server: RunningServer, stream: bool) -> None:
    from pydantic_ai import NativeOutput

    for output in (Weather, NativeOutput(Weather)):
        reply = answered(
            server,
            lambda url, output=output: pydantic_ai_run(  # type: ignore[misc]
                url, f"{QUESTION} Structured.", stream=stream, output=output
            ),
        )
        assert reply == Weather(city="London", degrees=12)


def test_pydantic_ai_errors(server: RunningServer) -> None:
    from pydantic_ai import ModelHTTPError

    def run(url: str) -> Any:
        return pydantic_ai_run(url, "Too fast for pydantic-ai?", stream=False)

    failing(server, run, RATE_LIMIT)
    with pytest.raises(ModelHTTPError) as caught:
        run(server.url + "/v1")
    assert caught.value.status_code == 429


# openai-agents


def agents_run(url: str, question: str, *, stream: bool, output: Any = None) -> Any:
    from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool

    async def run() -> Any:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            model = OpenAIChatCompletionsModel("gpt-4o", openai_client=client)
            agent = Agent(
                "weather", model=model, tools=[function_tool(get_weather)], output_type=output
            )
            quiet = RunConfig(tracing_disabled=True)
            if not stream:
                return (await Runner.run(agent, question, run_config=quiet)).final_output
            streamed = Runner.run_streamed(agent, question, run_config=quiet)
            async for _event in streamed.stream_events():
                pass
            return streamed.final_output

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
def test_openai_agents_tools(server: RunningServer, stream: bool) -> None:
    assert answered(server, lambda url: agents_run(url, QUESTION, stream=stream)) == ANSWER


def test_openai_agents_structured_output(server: RunningServer) -> None:
    def run(url: str) -> Any:
        return agents_run(url, f"{QUESTION} Structured.", stream=False, output=Weather)

    assert answered(server, run) == Weather(city="London", degrees=12)


def test_openai_agents_errors(server: RunningServer) -> None:
    def run(url: str) -> Any:
        return agents_run(url, "Too fast for agents?", stream=False)

    failing(server, run, RATE_LIMIT)
    with pytest.raises(openai.RateLimitError, match=r"Slow down\."):
        run(server.url + "/v1")
