"""Spies on the tool objects of agent frameworks, whose functions run inside the framework.

They take long to load: only the tests that use one do so.
"""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from openai import AsyncOpenAI

from workbench.testing import MockLLM, Reply, ToolCallSpy


def test_langchain() -> None:
    from langchain_core.tools import tool

    def search(query: str, limit: int = 3) -> str:
        """Find something."""
        if query == "boom":
            raise ValueError("no such query")
        return query * limit

    async def look_up(query: str) -> str:
        """Look something up."""
        return query.upper()

    tools = SimpleNamespace(search=tool(search), look_up=tool(look_up))
    with ToolCallSpy(tools, {"search_wines": "search", "look_up": "look_up"}) as spy:
        assert tools.search.invoke({"query": "a"}) == "aaa"
        assert asyncio.run(tools.search.ainvoke({"query": "b", "limit": 1})) == "b"
        assert asyncio.run(tools.look_up.ainvoke({"query": "c"})) == "C"
        with pytest.raises(ValueError, match="no such query"):
            tools.search.invoke({"query": "boom"})
    assert [(call.name, call.arguments, call.result) for call in spy.calls] == [
        ("search_wines", {"query": "a", "limit": 3}, "aaa"),
        ("search_wines", {"query": "b", "limit": 1}, "b"),
        ("look_up", {"query": "c"}, "C"),
        ("search_wines", {"query": "boom", "limit": 3}, None),
    ]
    assert isinstance(spy.calls[-1].exception, ValueError)
    assert tools.search.func is search
    assert tools.look_up.coroutine is look_up


def test_pydantic_ai() -> None:
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.test import TestModel

    def search(query: str) -> str:
        return query * 2

    tools = SimpleNamespace(search=Tool(search))
    agent = Agent(TestModel(), tools=[tools.search])
    with ToolCallSpy(tools, {"search_wines": "search"}) as spy:
        assert asyncio.run(agent.run("find it")).output == '{"search":"aa"}'
    assert (spy.first_tool, spy.first_args) == ("search_wines", {"query": "a"})
    assert spy.calls[0].result == "aa"
    assert tools.search.function_schema.function is search


def test_openai_agents(mock_llm: MockLLM) -> None:
    from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner, function_tool

    def search(query: str) -> str:
        """Find something."""
        return query * 2

    async def run() -> Any:
        async with AsyncOpenAI(base_url=mock_llm.base_url, api_key="none") as client:
            model = OpenAIChatCompletionsModel("m", client)
            agent = Agent(name="finder", model=model, tools=[tools.search])
            quiet = RunConfig(tracing_disabled=True)
            return (await Runner.run(agent, "find it", run_config=quiet)).final_output

    tools = SimpleNamespace(search=function_tool(search))
    before = tools.search.on_invoke_tool
    mock_llm.script(Reply.tool_call("search", query="a"), Reply.text("found"))
    with ToolCallSpy(tools, {"search_wines": "search"}) as spy:
        assert asyncio.run(run()) == "found"
    assert (spy.first_tool, spy.first_args) == ("search_wines", {"query": "a"})
    assert spy.calls[0].result == "aa"
    assert tools.search.on_invoke_tool is before
    mock_llm.assert_finished()
