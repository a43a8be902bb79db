"""Clients of the Messages API work against fixtures that were promoted from their own misses: an
agent that calls a tool twice, streamed and not.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import SecretStr

from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer

if TYPE_CHECKING:
    from anthropic import Anthropic

MODEL = "claude-sonnet-4-6"
KEY = "sk-ant-api03-" + "aB3dE5gH7jK9" * 4

Agent = Callable[[str, bool], str]


def official(url: str) -> Anthropic:
    from anthropic import Anthropic

    return Anthropic(base_url=url, api_key=KEY, max_retries=0)


def by_hand(url: str, stream: bool) -> str:
    """The official client, whose caller runs the tool."""
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    asked: dict[str, Any] = {
        "model": MODEL,
        "max_tokens": 99,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": QUESTION}],
        "tools": [{"name": "get_weather", "input_schema": schema}],
    }
    with official(url) as client:
        while True:
            if stream:
                with client.messages.stream(**asked) as events:
                    message: Any = events.get_final_message()
            else:
                message = client.messages.create(**asked)
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return str(message.content[0].text)
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.id,
                    "content": get_weather(**call.input),
                }
                for call in calls
            ]
            asked["messages"] += [
                {"role": "assistant", "content": message.content},
                {"role": "user", "content": results},
            ]


def with_threads(url: str, stream: bool) -> str:
    """The tool runner of the official client, which sends each turn what is new in it."""
    from anthropic import beta_tool

    with official(url) as client:
        turns: Any = client.beta.messages.tool_runner(
            model=MODEL,
            max_tokens=99,
            system="Answer in one sentence.",
            tools=[beta_tool(get_weather)],
            messages=[{"role": "user", "content": QUESTION}],
            stream=stream,
        )
        said = [turn.get_final_message() if stream else turn for turn in turns]
        return str(said[-1].content[0].text)


def langchain(url: str, stream: bool) -> str:
    from langchain_anthropic import ChatAnthropic
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
    from langchain_core.tools import tool

    model = ChatAnthropic(
        model=MODEL, base_url=url, api_key=SecretStr(KEY), max_retries=0, streaming=stream
    ).bind_tools([tool(get_weather)])
    messages: list[Any] = [HumanMessage(QUESTION)]
    while True:
        reply = model.invoke(messages)
        assert isinstance(reply, AIMessage)
        if not reply.tool_calls:
            return str(reply.text)
        messages.append(reply)
        messages += [
            ToolMessage(get_weather(**call["args"]), tool_call_id=call["id"])
            for call in reply.tool_calls
        ]


def pydantic_ai(url: str, stream: bool) -> str:
    import pydantic_ai as framework
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    async def run() -> str:
        async with AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client:
            model = AnthropicModel(MODEL, provider=AnthropicProvider(anthropic_client=client))
            agent = framework.Agent(model, tools=[get_weather])
            if not stream:
                return str((await agent.run(QUESTION)).output)
            async with agent.run_stream(QUESTION) as result:
                return str(await result.get_output())

    return asyncio.run(run())


@pytest.mark.parametrize("agent", [by_hand, with_threads, langchain, pydantic_ai])
def test_an_agent_is_given_its_answers_miss_by_miss(server: RunningServer, agent: Agent) -> None:
    assert promoted(server, lambda: agent(server.url, False)) == (ANSWER, [1, 1, 1, 0])
    # The same requests, streamed: the fixtures are there.
    assert promoted(server, lambda: agent(server.url, True)) == (ANSWER, [0])


def texts_in(folder: Path) -> list[str]:
    found = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert found
    return found


def test_a_key_reaches_no_file(server: RunningServer) -> None:
    assert by_hand(server.url, False)
    assert [text for text in texts_in(server.log_path.parent) if KEY in text] == []


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstream_is_recorded(server: RunningServer, tmp_path: Path, stream: bool) -> None:
    promoted(server, lambda: by_hand(server.url, False))
    (tmp_path / "pyproject.toml").touch()
    upstream = ("--record", "--upstream", server.url)
    with RunningServer(tmp_path, arguments=upstream, working_folder=tmp_path) as recorder:
        assert by_hand(recorder.url, stream) == ANSWER
        recorded = {
            path.name: json.loads(path.read_bytes())["response"]
            for path in recorder.fixtures.iterdir()
        }
    assert len(recorded) == 3
    for name, response in recorded.items():
        promoted_response = json.loads((server.fixtures / name).read_bytes())["response"]
        del response["usage"]
        assert response == promoted_response
    assert [text for text in texts_in(tmp_path) if KEY in text] == []
